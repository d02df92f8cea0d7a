/* SPDX-License-Identifier: MIT */
#include "profile/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/landmarks.h"
#include "profile/functions.h"
#include "profile/metadata.h"
#include "profile/texts.h"

int profile_copy_text(char **to, const char *from)
{
	char *copy = strdup(from ? from : "");

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

/* The last of them is followed by NULL (profile_set_arguments()). */
static const char *const *arguments_of(const struct profile *profile)
{
	static const char *const none[] = {NULL};

	return profile->arguments ? (const char *const *)profile->arguments : none;
}

int profile_copy_description(struct profile *to, const struct profile *from)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < PROFILE_TEXTS; i++)
		r = profile_copy_text(profile_text(to, i), *profile_text(from, i));
	if (r == 0)
		r = profile_set_arguments(to, arguments_of(from));
	to->asked = from->asked;
	to->status = from->status;
	to->recorded = from->recorded;
	to->page_size = from->page_size;
	to->backend = from->backend;
	return r;
}

static void forget_landmarks(struct profile_file *file)
{
	elf_landmarks_free(file->landmarks);
	file->landmarks = NULL;
}

int profile_copy_identity(struct profile_file *to, const struct profile_file *from, bool same)
{
	if (!same)
		forget_landmarks(to);
	to->kind = from->kind;
	to->size = from->size;
	to->mtime = from->mtime;
	memcpy(to->build_id, from->build_id, sizeof(to->build_id));
	to->build_id_size = from->build_id_size;
	return elf_landmarks_add(&to->landmarks, from->landmarks);
}

int profile_add_like(struct profile *to, const struct profile_file *from, struct profile_file **ret)
{
	size_t index;
	int r = profile_add_file(to, from->path, from->kind, &index);

	if (r < 0)
		return r;
	to->files[index].order = from->order;
	*ret = &to->files[index];
	return profile_copy_identity(&to->files[index], from, false);
}

static int copy_profile(struct profile *to, const struct profile *from)
{
	int r = profile_copy_description(to, from);

	to->runs = from->runs;
	to->touches = from->touches;
	to->first_touches = from->first_touches;
	to->first_pages = from->first_pages;
	to->bias = from->bias;
	for (size_t i = 0; r == 0 && i < from->n_files; i++) {
		const struct profile_file *file = &from->files[i];
		struct profile_file *copy;

		r = profile_add_like(to, file, &copy);
		for (size_t j = 0; r == 0 && j < file->n_ranges; j++)
			r = profile_file_add_range(copy, file->ranges[j]);
	}
	for (size_t i = 0; r == 0 && i < from->n_execs; i++)
		r = profile_add_exec(to, from->execs[i].path, from->execs[i].order);
	if (r == 0)
		r = profile_functions_copy(from->functions, &to->functions);
	return r < 0 ? r : profile_add_metadata_of(to, from);
}

int profile_copy(const struct profile *profile, struct profile *ret)
{
	_cleanup_(profile_releasep) struct profile copy = {0};
	int r = copy_profile(&copy, profile);

	if (r < 0)
		return r;
	*ret = copy;
	copy = (struct profile){0};
	return 0;
}
