/* SPDX-License-Identifier: MIT */
/* Guesses what a start touches of a file that was updated since the recording (profile/updates/carry.h). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "plan/build/draft.h"
#include "profile/updates/carry.h"

/* The path of the file now: its own or, if it is gone, that of the library in its place. Returns 0 or negative errno. */
static int find_path(const struct plan_draft *draft, const struct profile_file *source, char **ret)
{
	_cleanup_free_ char *full = NULL;
	char name[NAME_MAX + 1];
	int folder = (int)(strrchr(source->path, '/') + 1 - source->path);
	const struct profile_file *recorded = NULL;
	char *path;
	int r = draft_path(draft, source->path, &full);

	if (r < 0)
		return r;
	if (access(full, F_OK) == 0)
		path = strdup(source->path);
	else if (profile_file_successor(full, name) < 0)
		return -ENODATA;
	else if (asprintf(&path, "%.*s%s", folder, source->path, name) < 0)
		path = NULL;
	if (!path)
		return -ENOMEM;
	r = streq(path, source->path) ? 0 : profile_find_file(draft->profile, path, &recorded);
	if (r < 0 || recorded) {
		free(path);
		return r < 0 ? r : -ENODATA;
	}
	*ret = path;
	return 0;
}

/* Reads the landmarks of the file at `full`, and carries the pages. */
static int carry(const struct plan_draft *draft, const struct profile_file *source, const char *full,
	struct profile_file *guess)
{
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks landmarks = {0};
	const struct profile_object *called;
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (draft_is_others(draft, source, full))
		return -EPERM;
	fd = open_regular(full, OPEN_NO_LINKS);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENODATA;
	called = profile_functions_of(draft->profile->functions, source);
	r = called ? profile_read_places(fd, &landmarks) : elf_landmarks_read(fd, NULL, &landmarks);
	if (r < 0)
		return r == -ENOMEM ? r : -ENODATA;
	return profile_file_carry(
		source, called, &landmarks, (uint64_t)st.st_size, draft->profile->page_size, guess);
}

int draft_guess(
	struct plan_draft *draft, const struct profile_file *source, const struct profile_file **ret_guess)
{
	_cleanup_(profile_file_releasep) struct profile_file guess = {
		.kind = PROFILE_REGULAR, .order = source->order};
	_cleanup_free_ char *full = NULL;
	struct profile_file *kept;
	int r;

	if (source->kind != PROFILE_REGULAR || !source->landmarks)
		return -ENODATA;
	r = find_path(draft, source, &guess.path);
	if (r == 0)
		r = draft_path(draft, guess.path, &full);
	if (r == 0)
		r = carry(draft, source, full, &guess);
	if (r == 0)
		r = ARRAY_RESERVE(draft->guesses, draft->guesses_capacity, draft->n_guesses + 1);
	if (r < 0)
		return r;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	*kept = guess;
	guess = (struct profile_file){0};
	draft->guesses[draft->n_guesses++] = kept;
	*ret_guess = kept;
	return 0;
}
