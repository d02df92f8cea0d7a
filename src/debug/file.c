/* SPDX-License-Identifier: MIT */
/*
 * The name of a separate debug file is made from the build-id (gdb's manual, "Debugging Information in Separate Files"): the
 * first byte names a folder, the rest the file. debuginfod's client keeps it as BUILDID/debuginfo (debuginfod-find(1), "CACHE").
 */
#include "debug/file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/paths/stranger.h"
#include "debug/link.h"
#include "elf/identity.h"

#define FOLDER_OF_THE_SYSTEM "/usr/lib/debug"

/* A build-id in hexadecimal digits. */
struct digits {
	char text[2 * DEBUG_ID_MAX + 1];
};

static struct digits digits_of(const struct debug_id *id)
{
	struct digits digits = {0};

	for (size_t i = 0; i < id->size; i++)
		sprintf(digits.text + 2 * i, "%02x", id->bytes[i]);
	return digits;
}

/* Whether the file has that very build-id. */
static bool has_id(int fd, const struct debug_id *id)
{
	struct debug_id found;

	return elf_build_id(fd, found.bytes, sizeof(found.bytes), &found.size) == 0 &&
		debug_id_equal(&found, id);
}

static int open_by_id(const struct debug_id *id, const char *folder)
{
	struct digits digits = digits_of(id);
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", folder, digits.text,
		    digits.text + 2) >= (int)sizeof(path))
		return -ENOENT;
	fd = open_regular(path, 0); /* follows links, because packages use them */
	if (fd < 0)
		return fd;
	return has_id(fd, id) ? TAKE_FD(fd) : -ENOENT;
}

/* Root believes only a cache that is its own, and everybody only what is their own or root's. */
static int open_in_cache(const struct debug_id *id, const char *folder, const char *below)
{
	struct digits digits = digits_of(id);
	_cleanup_close_ int fd = -1;
	struct stranger stranger;
	char path[PATH_MAX];
	struct stat st;

	if (!folder || folder[0] != '/' ||
		snprintf(path, sizeof(path), "%s%s/%s/debuginfo", folder, below, digits.text) >=
			(int)sizeof(path) ||
		stranger_to_us(path, &stranger) < 0)
		return -ENOENT;
	fd = open_regular(path, 0);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || (st.st_uid != 0 && st.st_uid != geteuid()) || !has_id(fd, id))
		return -ENOENT;
	return TAKE_FD(fd);
}

/* In the order in which debuginfod's client chooses its folder. */
static int open_cached(const struct debug_id *id)
{
	const char *chosen = secure_getenv("DEBUGINFOD_CACHE_PATH");
	const char *caches = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	int fd;

	if (chosen && chosen[0])
		return open_in_cache(id, chosen, "");
	fd = open_in_cache(id, home, "/.debuginfod_client_cache");
	if (fd >= 0)
		return fd;
	return caches && caches[0] ? open_in_cache(id, caches, "/debuginfod_client")
				   : open_in_cache(id, home, "/.cache/debuginfod_client");
}

/* Closes a debug file that is for another processor. Returns fd, negative if it was, or -ENOENT. */
static int for_same_processor(int fd, const struct elf_file *file)
{
	struct elf_file debug;
	const char *problem;

	if (fd < 0 ||
		(elf_file_open(&debug, fd, &problem) == 0 &&
			debug.header.e_machine == file->header.e_machine && debug.wide == file->wide &&
			debug.big == file->big))
		return fd;
	close(fd);
	return -ENOENT;
}

int debug_file_open(struct elf_file *file, const char *root, const char *folder)
{
	struct debug_id id = {0};
	char below_root[PATH_MAX];
	int fd = -ENOENT;

	if (!folder && snprintf(below_root, sizeof(below_root), "%s" FOLDER_OF_THE_SYSTEM, root) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!folder)
		folder = below_root;
	if (elf_file_note(file, ELF_NOTE_GNU, NT_GNU_BUILD_ID, id.bytes, sizeof(id.bytes), &id.size) < 0)
		id.size = 0;
	if (id.size >= 2)
		fd = for_same_processor(open_by_id(&id, folder), file);
	if (fd < 0)
		fd = for_same_processor(debug_link_open(file, &id, root, folder), file);
	if (fd < 0 && id.size >= 2 && !*root)
		fd = for_same_processor(open_cached(&id), file);
	return fd;
}
