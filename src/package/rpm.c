/* SPDX-License-Identifier: MIT */
/*
 * rpm -qf lists the packages that own any of the files, but not which package owns which file: each line is a package,
 * and a file may have several. So we ask these packages for their lists of files.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "package/capture.h"
#include "package/lookup.h"

/* Borrowed names of packages. */
struct packages {
	const char **items;
	size_t n;
	size_t capacity;
};

struct question {
	const struct lookup *lookup;
	const char *database; /* folder, inside the root */
};

/* Where rpm keeps its database, and the database's possible names. If there is none, rpm would make one when asked. */
static const char *find_database(const char *root)
{
	static const char *const folders[] = {"/usr/lib/sysimage/rpm", "/var/lib/rpm"};
	static const char *const files[] = {"rpmdb.sqlite", "Packages.db", "Packages"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (size_t j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
			_cleanup_free_ char *path = NULL;

			if (asprintf(&path, "%s%s/%s", root, folders[i], files[j]) >= 0 &&
				access(path, F_OK) == 0)
				return folders[i];
		}
	return NULL;
}

static int rpm(const struct question *question, const char *mode, const char *format,
	const char *const *arguments, size_t n, char **ret_output, int *ret_status)
{
	const char *root = question->lookup->root;
	const char *const command[] = {"rpm", "--root", root[0] ? root : "/", "--dbpath", question->database,
		mode, "--queryformat", format, "--", NULL};

	return capture(command, arguments, n, ret_output, ret_status);
}

/*
 * rpm -qf fails alike for a file without an owner and for a damaged database. So this asks a question that fails only
 * for a damaged database.
 */
static int check_database(const struct question *question)
{
	static const char *const nothing[] = {"headstart-asks-for-no-package"};
	_cleanup_free_ char *output = NULL;
	int status, r = rpm(question, "-qa", "x", nothing, 1, &output, &status);

	if (r < 0)
		return r;
	return status == 0 ? 0 : -EIO;
}

static int add_package(struct packages *packages, const char *name)
{
	int r;

	for (size_t i = 0; i < packages->n; i++)
		if (streq(packages->items[i], name))
			return 0;
	r = ARRAY_RESERVE(packages->items, packages->capacity, packages->n + 1);
	if (r < 0)
		return r;
	packages->items[packages->n++] = name;
	return 0;
}

/* Each line of the output is "PACKAGE /PATH". */
static int claim_listed(const struct lookup *lookup, char *output)
{
	struct package_owner owner = {.manager = PACKAGE_RPM};
	char *rest = output, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *space = strchr(line, ' ');
		int r;

		if (!space)
			continue;
		*space = '\0';
		owner.package = line;
		owner.path = space + 1;
		r = lookup_claim(lookup, &owner);
		if (r < 0)
			return r;
	}
	return 0;
}

static int ask(const struct question *question, const char *const *names, size_t n)
{
	_cleanup_free_ char *owners = NULL, *files = NULL;
	_cleanup_free_ const char **items = NULL;
	struct packages packages = {0};
	char *rest, *line;
	int status, r;

	r = rpm(question, "-qf", "%{NVRA}\n", names, n, &owners, &status);
	if (r < 0)
		return r;
	rest = owners;
	while (r == 0 && (line = strsep(&rest, "\n")))
		if (line[0] && !strchr(line, ' ')) /* not "file … is not owned by any package" */
			r = add_package(&packages, line);
	items = packages.items;
	if (r < 0 || packages.n == 0)
		return r;
	r = rpm(question, "-q", "[%{=NVRA} %{FILENAMES}\n]", items, packages.n, &files, &status);
	if (r < 0)
		return r;
	return status == 0 ? claim_listed(question->lookup, files) : -EIO;
}

int rpm_claim(const struct lookup *lookup)
{
	struct question question = {.lookup = lookup, .database = find_database(lookup->root)};
	_cleanup_free_ const char **names = NULL;
	size_t n;
	int r;

	if (!question.database)
		return 0;
	r = lookup_unowned(lookup, &names, &n);
	if (r < 0)
		return r;
	r = n > 0 ? check_database(&question) : 0;
	for (size_t at = 0; r == 0 && at < n;) {
		size_t batch = capture_batch(names + at, n - at);

		r = ask(&question, names + at, batch);
		at += batch;
	}
	return r == -ENOENT ? 0 : r;
}
