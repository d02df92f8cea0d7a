/* SPDX-License-Identifier: MIT */
/*
 * LD_AUDIT, LD_PRELOAD and /etc/ld.so.preload: whether the libraries that they name can be loaded, and work together
 * with headstart.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "doctor/checks.h"
#include "elf/static-tls.h"

struct list {
	const char *name;    /* "LD_PRELOAD" */
	const char *failing; /* the effect of an entry that cannot be loaded */
};

static const struct {
	const char *part, *trouble;
} known_trouble[] = {
	{"libasan",
		"AddressSanitizer's run-time wants to be the first of all libraries, and refuses to "
		"start behind another"},
	{"libtsan", "ThreadSanitizer's run-time has more static TLS than fits under an auditor"},
	{"liblsan", "LeakSanitizer's run-time has more static TLS than fits under an auditor"},
};

static void say_trouble(const char *entry, const struct list *list, struct doctor_report *report)
{
	for (size_t i = 0; i < sizeof(known_trouble) / sizeof(known_trouble[0]); i++) {
		if (!strstr(entry, known_trouble[i].part))
			continue;
		doctor_say(report, DOCTOR_NOTE, "preloads", "%s has '%s'", list->name, entry);
		doctor_consequence(report, "%s", known_trouble[i].trouble);
	}
}

/* Whether this is a bare name, or has tokens: the program then decides where the loader looks for it. */
static bool is_searched(const char *entry)
{
	return entry[0] != '/' || strchr(entry, '$');
}

/* The totals of the lists. */
struct sums {
	uint64_t static_tls; /* bytes */
	bool shim;           /* one of the entries is headstart's */
};

static const char *const folders_64[] = {
	"lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib", NULL};
static const char *const folders_32[] = {
	"lib/i386-linux-gnu", "lib/arm-linux-gnueabihf", "lib32", "lib", NULL};

/* The entry, with $LIB replaced by the first folder that has such a file. Returns false if the entry has no $LIB. */
static bool expand_lib(
	const struct doctor_host *host, const char *entry, const char *const *folders, char path[PATH_MAX])
{
	const char *token = strstr(entry, "$LIB"), *rest = token ? token + 4 : NULL;

	if (!token && (token = strstr(entry, "${LIB}")))
		rest = token + 6;
	if (!token || entry[0] != '/')
		return false;
	for (; *folders; folders++)
		if ((size_t)snprintf(path, PATH_MAX, "%.*s%s%s", (int)(token - entry), entry, *folders,
			    rest) < PATH_MAX &&
			host_exists(host, path))
			return true;
	return false;
}

static bool lacks_library(const struct doctor_host *host, const char *path)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {
		.root = host->root, .library_path = host->variable("LD_LIBRARY_PATH")};

	return elf_closure_add(&closure, path) == 0 && closure.n_missing > 0;
}

/* Why it cannot be loaded into a 64-bit program, or NULL. *ret_tls is how much static TLS it takes. */
static const char *entry_fault(const struct doctor_host *host, const char *path, uint64_t *ret_tls)
{
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	struct stat st;
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];
	int r;

	if (!host_path(host, path, full))
		return "has too long a name";
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? "does not exist" : "cannot be read";
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return "is not a regular file";
	r = elf_needs_read(fd, &needs);
	if (r < 0)
		return r == -ENOEXEC ? "is not a whole ELF file" : "cannot be read";
	if (needs.is_32bit)
		return "is a 32-bit library";
	if (needs.loaded_size > (uint64_t)st.st_size)
		return "is truncated";
	if (lacks_library(host, path))
		return "needs a library that is not found";
	*ret_tls = static_tls_of(&needs);
	return NULL;
}

/* `uninstall` removes the entry that `install` wrote; the administrator has to edit others. */
static void mend_file(const char *entry, struct doctor_report *report)
{
	if (streq(entry, HEADSTART_PRELOAD_NAME))
		doctor_mend(report, "sudo headstart uninstall --system");
	else
		doctor_mend(report, "sudoedit %s", PRELOAD_FILE);
}

/* The loaders of 32-bit programs load what this file names too. */
static void say_32bit(const struct doctor_host *host, const struct list *list, const char *entry,
	struct doctor_report *report)
{
	char path[PATH_MAX];

	if (!streq(list->name, PRELOAD_FILE) || !host_exists(host, "/lib/ld-linux.so.2") ||
		expand_lib(host, entry, folders_32, path))
		return;
	doctor_say(report, DOCTOR_NOTE, "preloads", "%s names '%s', of which there is no 32-bit version",
		list->name, entry);
	doctor_consequence(report,
		"each 32-bit program that is started prints an error, and goes on without it; with $LIB in "
		"the path the loader takes the right one of two");
	if (streq(entry, HEADSTART_PRELOAD_NAME))
		doctor_mend(report, "sudo headstart install --system");
	else
		mend_file(entry, report);
}

static void say_entry(const struct doctor_host *host, const struct list *list, const char *entry,
	struct sums *sums, struct doctor_report *report)
{
	char path[PATH_MAX];
	const char *fault = NULL;
	uint64_t own = 0;

	say_trouble(entry, list, report);
	sums->shim |= strstr(entry, "/libheadstart-") != NULL;
	if (expand_lib(host, entry, folders_64, path))
		fault = entry_fault(host, path, &own);
	else if (!is_searched(entry))
		fault = entry_fault(host, entry, &own);
	else if (entry[0] == '/' && strstr(entry, "LIB"))
		fault = "does not exist";
	sums->static_tls = static_tls_add(sums->static_tls, own);
	if (!fault) {
		say_32bit(host, list, entry, report);
		return;
	}
	doctor_say(report, DOCTOR_PROBLEM, "preloads", "%s names '%s', which %s", list->name, entry, fault);
	doctor_consequence(report, "%s", list->failing);
	if (streq(list->name, PRELOAD_FILE))
		mend_file(entry, report);
	else
		doctor_mend(report, "unset %s", list->name);
}

/* Returns the number of entries. */
static size_t say_variable(const struct doctor_host *host, const char *name, const char *failing,
	struct sums *sums, struct doctor_report *report)
{
	const struct list list = {name, failing};
	const char *value = host->variable(name), *separators = streq(name, "LD_AUDIT") ? ":" : ": ";
	_cleanup_free_ char *text = value ? strdup(value) : NULL;
	size_t n = 0;

	for (char *state, *entry = text ? strtok_r(text, separators, &state) : NULL; entry;
		entry = strtok_r(NULL, separators, &state), n++)
		say_entry(host, &list, entry, sums, report);
	return n;
}

static void say_unread(int error, struct doctor_report *report)
{
	if (error == -EISDIR) {
		doctor_say(report, DOCTOR_NOTE, "preloads", "'%s' is a directory", PRELOAD_FILE);
		doctor_consequence(report,
			"the loader takes it for an empty file: nothing is preloaded, and "
			"'headstart install --system' refuses");
		doctor_mend(report, "sudo rmdir %s", PRELOAD_FILE);
		return;
	}
	doctor_say(
		report, DOCTOR_NOTE, "preloads", "'%s' cannot be read: %s", PRELOAD_FILE, strerror(-error));
	doctor_consequence(report,
		"what it names is unknown; the loader, too, silently ignores a file that it cannot read");
}

/* Reports if some users' loader cannot read the file. Returns whether that is so. */
static bool say_mode(const struct doctor_host *host, struct doctor_report *report)
{
	char full[PATH_MAX];
	struct stat st;

	if (!host_path(host, PRELOAD_FILE, full) || stat(full, &st) < 0 || !S_ISREG(st.st_mode) ||
		(st.st_mode & S_IROTH))
		return false;
	doctor_say(report, DOCTOR_NOTE, "preloads", "not all users can read '%s' (mode %04o)", PRELOAD_FILE,
		(unsigned)st.st_mode & 07777);
	doctor_consequence(
		report, "programs of users who cannot read it silently load nothing that it names");
	doctor_mend(report, "sudo chmod a+r %s", PRELOAD_FILE);
	return true;
}

static size_t say_file(const struct doctor_host *host, struct sums *sums, struct doctor_report *report)
{
	static const struct list list = {PRELOAD_FILE,
		"each program that is started prints an error, or dies if the file is truncated or lacks a "
		"library"};
	_cleanup_free_ char *text = NULL;
	size_t length, n = 0;
	const char *end;
	int r = host_read(host, PRELOAD_FILE, &text);

	if (!say_mode(host, report) && r < 0 && r != -ENOENT)
		say_unread(r, report);
	if (r < 0)
		return 0;
	end = text + strlen(text);
	for (const char *at = text; (at = preload_text_next(at, end, &length)); at += length, n++) {
		_cleanup_free_ char *entry = strndup(at, length);

		if (entry)
			say_entry(host, &list, entry, sums, report);
		else
			report->out_of_memory = true;
	}
	return n;
}

void check_preloads(const struct doctor_host *host, struct doctor_report *report)
{
	static const char failing[] = "each program that is started prints an error, and goes on without it";
	size_t before = report->n, preloads, audits;
	struct sums audit = {0}, preload = {0};

	audits = say_variable(host, "LD_AUDIT", failing, &audit, report);
	preloads = say_variable(host, "LD_PRELOAD", failing, &preload, report);
	preloads += say_file(host, &preload, report);
	if (!static_tls_fits(preload.static_tls)) {
		doctor_say(report, DOCTOR_NOTE, "preloads",
			"preloaded libraries take %llu bytes of static TLS",
			(unsigned long long)preload.static_tls);
		doctor_consequence(report,
			"with them, programs may not start under the audit shim; 'headstart run' has no "
			"such limit, and with --audit it makes room");
		doctor_mend(report, "export GLIBC_TUNABLES=%s=%llu", STATIC_TLS_TUNABLE,
			(unsigned long long)static_tls_add(preload.static_tls, STATIC_TLS_OPTIONAL));
	}
	if (report->n == before)
		doctor_say(report, DOCTOR_OK, "preloads", "%zu preloaded librar%s%s, %zu auditor%s%s",
			preloads, plural_of(preloads, "y", "ies"),
			preload.shim ? " (headstart's among them)" : "", audits, plural(audits),
			audit.shim ? " (headstart's among them)" : "");
}
