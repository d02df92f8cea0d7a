/* SPDX-License-Identifier: MIT */
/*
 * The output of dpkg-query -S (dpkg-query(1)):
 *
 *	liba:amd64, liba:i386: /usr/lib/liba.so
 *	diversion by B from: /usr/lib/liba.so        or: local diversion from: /usr/lib/liba.so
 *	diversion by B to: /usr/lib/liba.so.orig         local diversion to: /usr/lib/liba.so.orig
 *	liba:amd64, b: /usr/lib/liba.so
 *
 * The answer for either name of a diverted file has the two lines on the diversion; only the answer for the name
 * diverted from has the owners. So b owns liba.so there, and liba owns liba.so.orig, which needs a question about the
 * first name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "package/capture.h"
#include "package/lookup.h"

#define NONE_FOUND 1 /* exit status of dpkg-query: at least one file has no owner */

/* Paths, escaped because dpkg-query takes them for patterns. */
struct patterns {
	char **items;
	size_t n;
	size_t capacity;
};

struct answers {
	const struct lookup *lookup;
	bool moved; /* look for the owners of files that were diverted away, not of those that lie here */
	struct patterns *later; /* names to ask about for that */

	/* The last diversion in the output: */
	const char *by; /* a package; "" for a local diversion */
	char *from;
	char *to;
};

static void patterns_releasep(struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		free(patterns->items[i]);
	free(patterns->items);
}

static int add_pattern(struct patterns *patterns, const char *path)
{
	_cleanup_free_ char *pattern = malloc(2 * strlen(path) + 1);
	char *end = pattern;
	int r;

	if (!pattern)
		return -ENOMEM;
	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			*end++ = '\\';
		*end++ = *path;
	}
	*end = '\0';
	r = ARRAY_RESERVE(patterns->items, patterns->capacity, patterns->n + 1);
	if (r < 0)
		return r;
	patterns->items[patterns->n++] = TAKE_PTR(pattern);
	return 0;
}

/* Whether the owner is the package: "liba:amd64" is liba. */
static bool is_of(const char *owner, size_t n, const char *package)
{
	return n >= strlen(package) && after_prefix(owner, package) &&
		(n == strlen(package) || owner[strlen(package)] == ':');
}

/* Keeps in the list "a, b:amd64, c" only the diverting package, or only the others. */
static void keep_owners(char *list, const char *by, bool others)
{
	char *end = list;

	for (const char *owner = list; *owner;) {
		size_t n = strcspn(owner, ",");
		const char *next = owner + n + strspn(owner + n, ", ");

		if (is_of(owner, n, by) != others) {
			if (end != list) { /* without a NUL, which would be in the next owner's place */
				memcpy(end, ", ", 2);
				end += 2;
			}
			memmove(end, owner, n);
			end += n;
		}
		owner = next;
	}
	*end = '\0';
}

static int take_owners(struct answers *answers, char *list, char *path)
{
	struct package_owner owner = {.manager = PACKAGE_DPKG, .package = list, .path = path};

	if (answers->from && streq(answers->from, path)) {
		keep_owners(list, answers->by, answers->moved);
		owner.moved = answers->moved;
		if (answers->moved)
			owner.path = answers->to;
	}
	return list[0] ? lookup_claim(answers->lookup, &owner) : 0;
}

static int take_diversion_end(struct answers *answers, char *to)
{
	answers->to = to;
	if (answers->moved || !answers->from || !lookup_wants(answers->lookup, to))
		return 0;
	return add_pattern(answers->later, answers->from);
}

/* Parses "local diversion from" or "diversion by B to". Returns the word at its end, or NULL for another line. */
static const char *take_diversion(struct answers *answers, char *line)
{
	const char *word = after_prefix(line, "local diversion ");
	char *by, *space;

	if (word) {
		answers->by = "";
		return word;
	}
	if (!after_prefix(line, "diversion by "))
		return NULL;
	by = line + strlen("diversion by ");
	space = strchr(by, ' ');
	if (!space)
		return NULL;
	*space = '\0';
	answers->by = by;
	return space + 1;
}

/* No package has a slash in its name, so the path begins after the first ": /". */
static int take_line(struct answers *answers, char *line)
{
	char *path = strstr(line, ": /");
	const char *word;

	if (!path)
		return 0;
	*path = '\0';
	path += 2;
	word = take_diversion(answers, line);
	if (!word)
		return take_owners(answers, line, path);
	if (streq(word, "to"))
		return take_diversion_end(answers, path);
	answers->from = path;
	return 0;
}

static int ask(struct answers *answers, const struct patterns *patterns)
{
	_cleanup_free_ char *admindir = NULL;
	const char *const *items = (const char *const *)patterns->items;

	if (asprintf(&admindir, "%s/var/lib/dpkg", answers->lookup->root) < 0)
		return -ENOMEM;
	for (size_t at = 0; at < patterns->n;) {
		const char *const command[] = {"dpkg-query", "--admindir", admindir, "-S", "--", NULL};
		size_t batch = capture_batch(items + at, patterns->n - at);
		_cleanup_free_ char *output = NULL;
		char *rest, *line;
		int status, r;

		r = capture(command, items + at, batch, &output, &status);
		if (r < 0)
			return r;
		if (status > NONE_FOUND)
			return -EIO;
		answers->from = answers->to = NULL;
		rest = output;
		while (r == 0 && (line = strsep(&rest, "\n")))
			r = take_line(answers, line);
		if (r < 0)
			return r;
		at += batch;
	}
	return 0;
}

static bool have_database(const char *root)
{
	_cleanup_free_ char *status = NULL;

	return asprintf(&status, "%s/var/lib/dpkg/status", root) >= 0 && access(status, F_OK) == 0;
}

int dpkg_claim(const struct lookup *lookup)
{
	_cleanup_(patterns_releasep) struct patterns now = {0}, later = {0};
	_cleanup_free_ const char **names = NULL;
	struct answers here = {.lookup = lookup, .later = &later};
	struct answers moved = {.lookup = lookup, .moved = true};
	size_t n;
	int r;

	if (!have_database(lookup->root))
		return 0;
	r = lookup_unowned(lookup, &names, &n);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_pattern(&now, names[i]);
	if (r == 0)
		r = ask(&here, &now);
	if (r == 0)
		r = ask(&moved, &later);
	return r == -ENOENT ? 0 : r;
}
