/* SPDX-License-Identifier: MIT */
/* Cuts recordings down to what does not depend on the arguments. */
#include "plan/asked/certain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/strings.h"
#include "elf/closure.h"
#include "elf/script.h"
#include "profile/edit.h"

static bool is_roots(const char *path)
{
	struct stranger stranger;

	return stranger_find_unasked(path, &stranger) == 0;
}

/* The executable and the libraries that ld.so maps with it. Empty if they cannot be found out. */
static int find_executable(const char *program, struct elf_closure *closure)
{
	_cleanup_free_ char *executed = NULL;
	int r = script_executed(program, closure->may_look, &executed);

	if (r == 0)
		r = elf_closure_add(closure, executed);
	return r == -ENOMEM ? r : 0;
}

static bool is_in(const struct elf_closure *closure, const char *path)
{
	for (size_t i = 0; i < closure->n; i++)
		if (streq(closure->paths[i], path))
			return true;
	return false;
}

/* The folder that the rule says is the program's own (own=FOLDER), canonical; NULL if there is none. */
static int find_own_folder(const char *program, const char *rule, bool of_root, char **ret)
{
	static const char word[] = "own=";
	_cleanup_free_ char *path = NULL;
	const char *value = strstr(rule, word), *end = strrchr(program, '/');
	int length = end ? (int)(end - program) : 0;

	*ret = NULL;
	while (value && value != rule && value[-1] != ' ')
		value = strstr(value + 1, word);
	if (!value)
		return 0;
	value += strlen(word);
	if (asprintf(&path, "%.*s/%.*s", length, program, (int)strcspn(value, " "), value) < 0)
		return -ENOMEM;
	if (of_root && !is_roots(path))
		return 0;
	*ret = realpath(path, NULL);
	return *ret || errno != ENOMEM ? 0 : -ENOMEM;
}

static bool is_below(const char *folder, const char *path)
{
	const char *rest = folder ? after_prefix(path, folder) : NULL;

	return rest && *rest == '/';
}

/* The touches before the file that was asked for; 0 if none was, or it was not touched. */
static uint32_t touches_before(const struct profile *recording)
{
	for (size_t i = 0; recording->asked_path && i < recording->n_files; i++)
		if (recording->files[i].kind == PROFILE_REGULAR &&
			streq(recording->files[i].path, recording->asked_path))
			return recording->files[i].order;
	return 0;
}

/* Cuts off the touches from `end` on. Returns whether any are left. */
static bool cut_file(struct profile_file *file, uint32_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->n_ranges; i++) {
		struct profile_range range = file->ranges[i];

		if (range.order >= end)
			continue;
		if (range.pages > end - range.order)
			range.pages = end - range.order;
		file->ranges[kept++] = range;
	}
	file->n_ranges = kept;
	return kept > 0 || file->order < end;
}

static bool is_before(const void *end, const struct profile_exec *exec)
{
	return exec->order < *(const uint32_t *)end;
}

struct cut {
	const struct elf_closure *closure;
	const char *own;
	uint32_t end; /* of the touches that stay */
};

/* Whether it is a file of the closure or of the program's own folder, or has touches that stay. */
static int is_certain(void *context, struct profile_file *file)
{
	const struct cut *cut = context;

	return is_in(cut->closure, file->path) || is_below(cut->own, file->path) || cut_file(file, cut->end);
}

static int certain_of_one(
	const struct profile *recording, const char *rule, bool of_root, struct profile *ret)
{
	_cleanup_free_ char *own = NULL;
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {.may_look = of_root ? is_roots : NULL};
	_cleanup_(profile_releasep) struct profile certain = {0};
	struct cut cut;
	int r = find_executable(recording->program, &closure);

	if (r == 0)
		r = find_own_folder(recording->program, rule, of_root, &own);
	if (r == 0)
		r = profile_copy(recording, &certain);
	if (r < 0)
		return r;
	cut = (struct cut){&closure, own, touches_before(recording)};
	(void)profile_keep_files(&certain, is_certain, &cut);
	profile_keep_execs(&certain, is_before, &cut.end);
	r = profile_finish(&certain);
	if (r < 0)
		return r;
	*ret = certain;
	certain = (struct profile){0};
	return 0;
}

/* Whether the path is what was asked for, or lies in the folder that was. */
static bool was_asked_for(const struct profile *recording, const char *path)
{
	const char *rest = recording->asked_path && *recording->asked_path
		? after_prefix(path, recording->asked_path)
		: NULL;

	return rest && (*rest == '\0' || *rest == '/');
}

static int is_nobodys(void *context, struct profile_file *file)
{
	const struct recordings *recordings = context;

	for (size_t i = 0; i < recordings->n; i++)
		if (was_asked_for(&recordings->items[i], file->path))
			return 0;
	return 1;
}

int certain_of(const struct recordings *recordings, const char *rule, bool of_root, struct profile *ret)
{
	struct profile common = {0};
	int r;

	if (recordings->n == 1)
		return certain_of_one(&recordings->items[0], rule, of_root, ret);
	r = recordings_common(recordings, &common);
	if (r < 0)
		return r;
	(void)profile_keep_files(&common, is_nobodys, (void *)recordings);
	*ret = common;
	return 0;
}
