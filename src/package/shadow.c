/* SPDX-License-Identifier: MIT */
/* What --shadow writes: the script that mounts, and what runs it. */
#include "package/shadow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/publish.h"
#include "base/quote.h"
#include "base/strings.h"

struct shadow {
	const char *folder;
	const char *profile;
	const struct shadow_file **files; /* by original */
	size_t n;
};

static const char script_head[] =
	"#!/bin/sh\n"
	"# Written by 'headstart relayout --shadow', and anew each time: see headstart-relayout-packages(7).\n"
	"# Lays relaid copies of program files over their originals, which stay as they are, by bind mounts.\n"
	"#   headstart-shadow start | stop | status\n"
	"set -u\n"
	"failed=0\n"
	"\n"
	"# Each is called with: SIZE MTIME ORIGINAL COPY. An original that has another size or time than the\n"
	"# copy was made from, because its package was upgraded, must not be hidden by it.\n"
	"is_what_was_copied() {\n"
	"\t[ \"$(stat -c '%s %Y' -- \"$3\" 2>/dev/null)\" = \"$1 $2\" ]\n"
	"}\n"
	"\n"
	"start() {\n"
	"\tif mountpoint -q -- \"$3\"; then\n"
	"\t\treturn\n"
	"\telif is_what_was_copied \"$@\"; then\n"
	"\t\tmount -o bind,ro -- \"$4\" \"$3\" || failed=1\n"
	"\telse\n"
	"\t\techo \"headstart-shadow: '$3' has changed since it was copied and is left as it is\" >&2\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Lazily: a program that runs has the copy mapped, and keeps it.\n"
	"stop() {\n"
	"\tif mountpoint -q -- \"$3\"; then\n"
	"\t\tumount -l -- \"$3\" || failed=1\n"
	"\tfi\n"
	"}\n"
	"\n"
	"status() {\n"
	"\tif mountpoint -q -- \"$3\"; then\n"
	"\t\techo \"mounted  $3\"\n"
	"\telif is_what_was_copied \"$@\"; then\n"
	"\t\techo \"off      $3\"\n"
	"\telse\n"
	"\t\techo \"changed  $3\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"each_file() {\n";

static const char script_tail[] =
	"}\n"
	"\n"
	"case ${1-} in\n"
	"start | stop | status)\n"
	"\tdo=$1\n"
	"\teach_file\n"
	"\texit \"$failed\" ;;\n"
	"*)\n"
	"\techo \"usage: headstart-shadow start | stop | status\" >&2\n"
	"\texit 2 ;;\n"
	"esac\n";

static void write_script(FILE *file, const struct shadow *shadow)
{
	fputs(script_head, file);
	for (size_t i = 0; i < shadow->n; i++) {
		const struct shadow_file *entry = shadow->files[i];

		fprintf(file, "\t\"$do\" %" PRIu64 " %" PRId64 " ", entry->size, entry->mtime);
		quote_shell(file, entry->original);
		fputc(' ', file);
		quote_shell(file, entry->copy);
		fputc('\n', file);
	}
	if (shadow->n == 0)
		fputs("\t:\n", file);
	fputs(script_tail, file);
}

/* FOLDER/NAME as one word. */
static void write_path(
	FILE *file, void (*quote)(FILE *, const char *), const struct shadow *shadow, const char *name)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", shadow->folder, name) >= 0)
		quote(file, path);
}

static void write_install_line(FILE *file, const struct shadow *shadow, const char *name, const char *to)
{
	fputs("#   cp ", file);
	write_path(file, quote_shell, shadow, name);
	fprintf(file, " %s\n", to);
}

static void write_service(FILE *file, const struct shadow *shadow)
{
	fputs("# Written by 'headstart relayout --shadow'. To install it:\n", file);
	write_install_line(file, shadow, "headstart-shadow.service", "/etc/systemd/system/");
	fputs("#   systemctl enable --now headstart-shadow.service\n"
	      "# and where dpkg installs the packages:\n",
		file);
	write_install_line(file, shadow, "headstart-shadow.dpkg", "/etc/dpkg/dpkg.cfg.d/headstart-shadow");
	fputs("[Unit]\n"
	      "Description=Relaid copies of program files over their originals\n"
	      "Documentation=man:headstart-relayout-packages(7)\n"
	      "# As early as the disks allow: a program that has started keeps the files it has mapped.\n"
	      "DefaultDependencies=no\n"
	      "After=local-fs.target\n"
	      "Before=sysinit.target shutdown.target\n"
	      "Conflicts=shutdown.target\n"
	      "RequiresMountsFor=",
		file);
	quote_unit(file, shadow->folder);
	fputs("\n"
	      "\n"
	      "[Service]\n"
	      "Type=oneshot\n"
	      "RemainAfterExit=yes\n"
	      "ExecStart=:/bin/sh ",
		file);
	write_path(file, quote_unit, shadow, "headstart-shadow");
	fputs(" start\n"
	      "ExecStop=:/bin/sh ",
		file);
	write_path(file, quote_unit, shadow, "headstart-shadow");
	fputs(" stop\n"
	      "\n"
	      "[Install]\n"
	      "WantedBy=sysinit.target\n",
		file);
}

static void write_dpkg_hooks(FILE *file, const struct shadow *shadow)
{
	fputs("# Written by 'headstart relayout --shadow'. dpkg renames new files over old ones, which the kernel\n"
	      "# refuses (EBUSY) for a mount point: unmount before, and after mount what has not changed.\n"
	      "pre-invoke=[ ! -e ",
		file);
	write_path(file, quote_shell, shadow, "headstart-shadow");
	fputs(" ] || sh ", file);
	write_path(file, quote_shell, shadow, "headstart-shadow");
	fputs(" stop\n"
	      "post-invoke=! systemctl is-active --quiet headstart-shadow.service || sh ",
		file);
	write_path(file, quote_shell, shadow, "headstart-shadow");
	fputs(" start || true\n", file);
}

static void write_image_hook(FILE *file, const struct shadow *shadow)
{
	fputs("#!/bin/sh\n"
	      "# Written by 'headstart relayout --shadow'. For builders of images, who need no mounts: relays the\n"
	      "# files of the profile in an image's root folder.\n"
	      "#   mkosi        FinalizeScripts=headstart-image-hook    (the root is $BUILDROOT)\n"
	      "#   mmdebstrap   --customize-hook='./headstart-image-hook \"$1\"'\n"
	      "#   debootstrap  ./headstart-image-hook ROOT             (afterwards)\n"
	      "#   Dockerfile   RUN headstart-image-hook /              (where the packages are installed)\n"
	      "# HEADSTART_PROFILE names another profile.\n"
	      "set -eu\n"
	      "root=${BUILDROOT:-${1-}}\n"
	      "if [ -z \"$root\" ]; then\n"
	      "\techo \"usage: headstart-image-hook ROOT\" >&2\n"
	      "\texit 2\n"
	      "fi\n"
	      "default=",
		file);
	quote_shell(file, shadow->profile);
	fputs("\n"
	      "# --force: the image's files are its packages'.\n"
	      "exec headstart relayout --profile \"${HEADSTART_PROFILE:-$default}\" --tree \"$root\" \\\n"
	      "\t--in-place --force\n",
		file);
}

static const struct {
	const char *name;
	mode_t mode;
	void (*write)(FILE *file, const struct shadow *shadow);
} products[] = {
	{"headstart-shadow", 0755, write_script},
	{"headstart-shadow.service", 0644, write_service},
	{"headstart-shadow.dpkg", 0644, write_dpkg_hooks},
	{"headstart-image-hook", 0755, write_image_hook},
};

static int publish_product(const struct shadow *shadow, size_t product)
{
	_cleanup_free_ char *text = NULL, *path = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return -ENOMEM;
	products[product].write(file, shadow);
	if (fclose(file) != 0)
		return -ENOMEM;
	if (asprintf(&path, "%s/%s", shadow->folder, products[product].name) < 0)
		return -ENOMEM;
	return publish_file(path, products[product].mode, text, size);
}

static bool usable(const char *path)
{
	return path[0] == '/' && !strchr(path, '\n');
}

static bool lies_below(const char *path, const char *folder)
{
	const char *rest = after_prefix(path, folder);

	return rest && rest[0] == '/' && rest[1];
}

static int compare(const void *a, const void *b)
{
	return strcmp((*(const struct shadow_file *const *)a)->original,
		(*(const struct shadow_file *const *)b)->original);
}

int shadow_write(const char *folder, const char *profile, const struct shadow_file *files, size_t n)
{
	_cleanup_free_ const struct shadow_file **sorted = malloc((n + 1) * sizeof(*sorted));
	struct shadow shadow = {.folder = folder, .profile = profile, .files = sorted, .n = n};

	if (!sorted)
		return -ENOMEM;
	if (!usable(folder) || !usable(profile))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!usable(files[i].original) || !usable(files[i].copy) ||
			!lies_below(files[i].copy, folder))
			return -EINVAL;
		sorted[i] = &files[i];
	}
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		int r = publish_product(&shadow, i);

		if (r < 0)
			return r;
	}
	return 0;
}
