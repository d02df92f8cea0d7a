/* SPDX-License-Identifier: MIT */
/*
 * Makes a profile from a description on stdin, for tests that need one without a recording.
 *
 *     make-profile [--add] OUT <<EOF   --add: one more recording of the profile OUT
 *     program PATH                     (needed)
 *     command TEXT
 *     argument TEXT                    of the start, argv[0] first
 *     folder PATH                      the working folder of the start; default: ours
 *     runs N                           default: the largest RUNS below, or 1
 *     learnt                           by headstartd
 *     file regular|directory|symlink PATH
 *     range PAGE PAGES ORDER RUNS      of the file before it
 *     call ADDRESS OFFSET SIZE         a function of the file before it was called, after those named before
 *     exec PATH ORDER
 *     metadata PATH PAGE PAGES         of the file system that this file or folder is on, if it has an id
 *     EOF
 *
 * Files that exist are identified (size, mtime, build-id, landmarks). A file has the order of its first range; one
 * without ranges the next order that is free. Lines that are empty or begin with '#' are passed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "device/file-system.h"
#include "profile/file/profile-file.h"
#include "profile/functions.h"
#include "profile/metadata.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/carry.h"
#include "profile/updates/staleness.h"

struct maker {
	struct profile profile;
	char *arguments[32]; /* owned */
	size_t n_arguments;
	uint32_t next; /* the lowest order above all used so far */
};

static int die(const char *what, int error)
{
	fprintf(stderr, "make-profile: %s: %s\n", what, strerror(-error));
	return 1;
}

/* A file without ranges gets its order last, when it is known that it has none. */
static void end_file(struct maker *maker)
{
	struct profile *profile = &maker->profile;
	struct profile_file *file;

	if (profile->n_files == 0)
		return;
	file = &profile->files[profile->n_files - 1];
	if (file->n_ranges > 0) {
		file->order = file->ranges[0].order;
		for (size_t i = 1; i < file->n_ranges; i++)
			if (file->ranges[i].order < file->order)
				file->order = file->ranges[i].order;
	} else {
		file->order = maker->next++;
	}
}

static int add_file(struct maker *maker, const char *text)
{
	static const char *const kinds[] = {"regular ", "directory ", "symlink "};
	size_t index, known = maker->profile.n_files;
	int r;

	end_file(maker);
	for (unsigned kind = 0; kind < 3; kind++) {
		const char *path = after_prefix(text, kinds[kind]);

		if (!path)
			continue;
		r = profile_add_file(&maker->profile, path, kind, &index);
		if (r < 0)
			return r;
		if (index < known)
			return -EEXIST;
		r = profile_file_identify(&maker->profile.files[index]);
		return r == -ENOENT ? 0 : r;
	}
	return -EINVAL;
}

static int add_range(struct maker *maker, const char *text)
{
	struct profile *profile = &maker->profile;
	struct profile_range range = {0};

	if (profile->n_files == 0 ||
		sscanf(text, "%u %u %u %u", &range.page, &range.pages, &range.order, &range.runs) != 4)
		return -EINVAL;
	if (range.order + range.pages > maker->next)
		maker->next = range.order + range.pages;
	if (range.runs > profile->runs)
		profile->runs = range.runs;
	return profile_file_add_range(&profile->files[profile->n_files - 1], range);
}

/* In a file whose functions are known, it lies at this offset. */
static int add_call(struct maker *maker, const char *text)
{
	struct profile *profile = &maker->profile;
	const struct profile_file *file;
	struct profile_place place = {0};
	uint64_t address;
	size_t index;
	int r;

	if (profile->n_files == 0 ||
		sscanf(text, "%" SCNu64 " %u %u", &address, &place.offset, &place.size) != 3)
		return -EINVAL;
	file = &profile->files[profile->n_files - 1];
	if (!profile->functions)
		profile->functions = calloc(1, sizeof(*profile->functions));
	if (!profile->functions)
		return -ENOMEM;
	r = profile_functions_add_object(
		profile->functions, file->path, file->build_id, file->build_id_size, &index);
	return r < 0 ? r : profile_functions_add_call(profile->functions, index, address, &place);
}

static int add_exec(struct maker *maker, char *text)
{
	char *space = strrchr(text, ' ');

	if (!space)
		return -EINVAL;
	*space = '\0';
	return profile_add_exec(&maker->profile, text, (uint32_t)strtoul(space + 1, NULL, 10));
}

static int add_metadata(struct maker *maker, const char *text)
{
	struct profile_block_range range;
	struct device_file_system system;
	char path[256];
	int fd, r;

	if (sscanf(text, "%255s %u %u", path, &range.page, &range.pages) != 3)
		return -EINVAL;
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = device_file_system(fd, &system);
	close(fd);
	if (r < 0)
		return r == -EOPNOTSUPP ? 0 : r;
	return profile_add_metadata(&maker->profile, system.id, range);
}

static int set_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int take_line(struct maker *maker, char *line)
{
	struct profile *profile = &maker->profile;
	const char *rest;

	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if ((rest = after_prefix(line, "program ")))
		return set_text(&profile->program, rest);
	if ((rest = after_prefix(line, "command ")))
		return set_text(&profile->command, rest);
	if ((rest = after_prefix(line, "folder ")))
		return set_text(&profile->folder, rest);
	if ((rest = after_prefix(line, "argument "))) {
		if (maker->n_arguments + 1 >= sizeof(maker->arguments) / sizeof(*maker->arguments))
			return -E2BIG;
		return set_text(&maker->arguments[maker->n_arguments++], rest);
	}
	if ((rest = after_prefix(line, "file ")))
		return add_file(maker, rest);
	if ((rest = after_prefix(line, "range ")))
		return add_range(maker, rest);
	if ((rest = after_prefix(line, "call ")))
		return add_call(maker, rest);
	if ((rest = after_prefix(line, "metadata ")))
		return add_metadata(maker, rest);
	if ((rest = after_prefix(line, "exec ")))
		return add_exec(maker, line + strlen("exec "));
	if (streq(line, "learnt")) {
		profile->bias |= PROFILE_BIAS_LEARNT;
		return 0;
	}
	if ((rest = after_prefix(line, "runs "))) {
		profile->runs = (uint32_t)strtoul(rest, NULL, 10);
		return 0;
	}
	return -EINVAL;
}

static int save(struct profile *profile, const char *out, bool add)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault;
	int r = add ? recordings_load(out, &recordings, &fault) : 0;

	if (r == 0)
		r = recordings_add(&recordings, profile);
	return r < 0 ? r : recordings_save(&recordings, out, 0644);
}

static int finish(struct maker *maker, const char *out, bool add)
{
	struct profile *profile = &maker->profile;
	int r;

	end_file(maker);
	r = profile_set_arguments(profile, (const char *const *)maker->arguments);
	if (r < 0)
		return r;
	if (!profile->folder)
		profile->folder = realpath(".", NULL);
	if (profile->runs == 0)
		profile->runs = 1;
	if (!profile->command && profile->program)
		profile->command = strdup(profile->program);
	profile->kernel = strdup("synthetic");
	profile->device = strdup("none");
	profile->milestone = strdup("exit");
	profile->recorded = (int64_t)time(NULL);
	profile->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	profile->backend = PROFILE_BACKEND_SYNTHETIC;
	if (profile->functions) {
		profile_functions_finish(profile->functions);
		profile_keep_places(profile->functions);
	}
	r = profile_finish(profile);
	for (size_t i = 0; r == 0 && i < profile->n_files; i++)
		(void)profile_file_keep_landmarks(&profile->files[i], profile->page_size);
	return r < 0 ? r : save(profile, out, add);
}

int main(int argc, char **argv)
{
	struct maker maker = {0};
	_cleanup_free_ char *line = NULL;
	bool add = argc == 3 && streq(argv[1], "--add");
	size_t capacity = 0;
	int r = 0;

	if (argc != 2 + add) {
		fputs("usage: make-profile [--add] OUT < DESCRIPTION\n", stderr);
		return 2;
	}
	argv += add;
	while (r == 0 && getline(&line, &capacity, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		r = take_line(&maker, line);
	}
	if (r < 0)
		r = die(line, r);
	else if ((r = finish(&maker, argv[1], add)) < 0)
		r = die(argv[1], r);
	profile_release(&maker.profile);
	for (size_t i = 0; i < maker.n_arguments; i++)
		free(maker.arguments[i]);
	return r;
}
