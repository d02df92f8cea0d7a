/* SPDX-License-Identifier: MIT */
/*
 * Without pid 1 the kernel panics. So pid 1 itself does next to nothing here: helpers do the work, and whatever becomes of them, it
 * executes an init.
 */
#include "launcher/init.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/links.h"
#include "base/files/same-file.h"
#include "base/strings.h"
#include "boot/command-line.h"
#include "launcher/begin.h"
#include "prefetcher/detach.h"
#include "prefetcher/tool-path.h"
#include "verb.h"
#include "verbs/boot/boot.h"

#define NAME        "headstart-init"
#define RECORD_UNIT "headstart-boot-record.service"

/* Of the kernel's command line: it makes environment variables of words with a value that it does not know. An initramfs may clear those. */
#define OTHER_INIT "headstart_init"
#define MODE       "headstart" /* boot/command-line.h */

enum {
	PREFETCH_MS = 31000, /* the prefetcher ends after 30 seconds */
	RECORD_MS = 5000,
};

/* The links that systemctl-enable(1) makes. */
static const char *const enabled_at[] = {
	"/etc/systemd/system/sysinit.target.wants/" RECORD_UNIT,
	"/usr/lib/systemd/system/sysinit.target.wants/" RECORD_UNIT,
};

/* Links of systemd.offline-updates(7): such a boot installs packages, and then the machine boots anew. */
static const char *const updates[] = {"/system-update", "/etc/system-update"};

/* The link that systemctl-mask(1) makes. */
#define MASK "/etc/systemd/system/" RECORD_UNIT

/* init/main.c of the kernel, kernel_init(). */
static const char *const inits[] = {"/sbin/init", "/etc/init", "/bin/init", "/bin/sh"};

static const char usage[] =
	"usage: init=/usr/sbin/" NAME
	", on the kernel's command line\n"
	"Reads ahead what the last boots have read, and records this one, before it becomes the real init: headstart-init(8).\n";

bool init_is(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	return argv0 && streq(slash ? slash + 1 : argv0, NAME);
}

/* As an initramfs does, and else systemd would: what the helpers need, and what they leave in /run has to stay. */
static const struct {
	const char *path, *type;
	unsigned long flags;
	const char *options;
} kernel_file_systems[] = {
	{"/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL},
	{"/sys", "sysfs", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL},
	{"/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=20%"},
};

static bool is_mount_point(const char *path)
{
	struct stat st, root;

	return stat(path, &st) == 0 && stat("/", &root) == 0 && st.st_dev != root.st_dev;
}

/* Whether /proc is there; without the others less is done. */
static bool mount_kernel_file_systems(void)
{
	for (size_t i = 0; i < sizeof(kernel_file_systems) / sizeof(*kernel_file_systems); i++)
		if (!is_mount_point(kernel_file_systems[i].path))
			(void)mount(kernel_file_systems[i].type, kernel_file_systems[i].path,
				kernel_file_systems[i].type, kernel_file_systems[i].flags,
				kernel_file_systems[i].options);
	return access("/proc/self", F_OK) == 0;
}

/* Not all containers say that they are one. */
static bool in_container(void)
{
	return getenv("container") || !detach_in_first_namespace();
}

/* If the recorder's unit is enabled. In a container the kernel's events would be those of the whole machine. */
static bool records(void)
{
	const char *mode = getenv(MODE);
	struct stat st;

	if ((in_container() && !(mode && streq(mode, "record"))) || link_is(MASK, "/dev/null"))
		return false;
	for (size_t i = 0; i < sizeof(updates) / sizeof(*updates); i++)
		if (lstat(updates[i], &st) == 0)
			return false;
	for (size_t i = 0; i < sizeof(enabled_at) / sizeof(*enabled_at); i++)
		if (lstat(enabled_at[i], &st) == 0)
			return true;
	return false;
}

static int record(void)
{
	char *argv[] = {(char *)"headstart", (char *)"boot", (char *)"record", (char *)"--first", NULL};

	return verb_fail_errno(exec_tool(argv), "cannot start '%s'", HEADSTART_PRIVATE_DIR "/headstart-tool");
}

static void begin(void)
{
	if (!mount_kernel_file_systems())
		return;
	begin_and_await(boot_prefetch, PREFETCH_MS);
	if (records())
		begin_and_await(record, RECORD_MS);
}

/* It would be executed for ever. There may be no /proc to ask for our own executable. */
static bool is_this_program(const char *path)
{
	const char *executed = (const char *)getauxval(AT_EXECFN);
	struct stat own, other;

	return executed && stat(executed, &own) == 0 && stat(path, &other) == 0 && same_file(&own, &other);
}

static int become(const char *path, char **argv)
{
	if (is_this_program(path))
		return -ELOOP;
	argv[0] = (char *)path;
	execv(path, argv);
	return -errno;
}

/* The command line in /proc is that of the machine, also in a container. */
static const char *other_init(void)
{
	const char *other = getenv(OTHER_INIT);

	return other || in_container() ? other : boot_value_read(BOOT_COMMAND_LINE, OTHER_INIT);
}

int init_run(int argc, char **argv)
{
	const char *other;
	int r = -ENOENT;

	if (getpid() != 1) {
		bool asked = argc == 2 && streq(argv[1], "--help");

		fputs(usage, asked ? stdout : stderr);
		return asked ? 0 : VERB_USAGE;
	}
	begin();
	other = other_init();
	if (other)
		verb_fail_errno(become(other, argv), "cannot execute '%s', the value of " OTHER_INIT, other);
	for (size_t i = 0; i < sizeof(inits) / sizeof(*inits); i++)
		r = become(inits[i], argv);
	return verb_fail_errno(r, "cannot execute an init");
}
