/* SPDX-License-Identifier: MIT */
/*
 * Looks at a call before the kernel carries it out. Whether it will succeed is not known, so only what exists counts. Other
 * threads can change the arguments meanwhile: a wrong page in a profile is all that comes of it.
 */
#include "record/follow/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "elf/script.h"
#include "record/follow/filter.h"
#include "record/follow/pages/page-tables.h"
#include "record/follow/paths.h"
#include "record/follow/rights.h"

#define VECTORS_MAX  64   /* of one readv(2) that are looked at */
#define SYSTEM_PAGE  4096 /* no page is smaller */
#define COMMAND_NAME 64

void follow_notes_release(struct follow_notes *notes)
{
	free(notes->tracer);
	free(notes->privileged);
	free(notes->missing);
	free(notes->unknown);
	*notes = (struct follow_notes){0};
}

static size_t peek(const struct touched *touched, const struct follow_stop *stop, uint64_t address, void *to,
	size_t size)
{
	return follow_process_read(
		stop->process, stop->tid, address, to, size, touched->serves || touched->serves_memory);
}

/* Page by page, since the next page need not be there. Returns whether there is a whole path. */
static bool peek_path(
	const struct touched *touched, const struct follow_stop *stop, uint64_t address, char ret[PATH_MAX])
{
	size_t have = 0;

	while (have < PATH_MAX) {
		size_t part = SYSTEM_PAGE - (address + have) % SYSTEM_PAGE, n;

		part = part < PATH_MAX - have ? part : PATH_MAX - have;
		n = peek(touched, stop, address + have, ret + have, part);
		if (memchr(ret + have, 0, n))
			return ret[0] != 0;
		if (n < part)
			return false;
		have += n;
	}
	return false;
}

/* The same with the rights of the thread, which must suffice for such a `use`: R_OK, W_OK, X_OK. */
static int open_allowed(struct touched *touched, const struct follow_stop *stop, int folder, const char *path,
	int use, bool only_new)
{
	struct follow_rights rights;
	int fd, r = follow_rights_borrow(stop->tid, &rights);

	if (r < 0)
		return r;
	fd = follow_path_open(touched, stop, folder, path, only_new);
	if (fd >= 0 && !follow_rights_allow(&rights, fd, use)) {
		close(fd);
		fd = -EACCES;
	}
	follow_rights_return(&rights);
	return fd;
}

static int take_open(
	struct touched *touched, const struct follow_stop *stop, int folder, uint64_t address, uint64_t flags)
{
	bool only_read = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC);
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;
	size_t file;

	if (!peek_path(touched, stop, address, path))
		return 0;
	fd = open_allowed(touched, stop, folder, path, (flags & O_ACCMODE) == O_WRONLY ? W_OK : R_OK, true);
	return fd < 0 ? 0 : touched_add(touched, fd, stop->process->pid, only_read, &file);
}

/* Whether executing the file would give other rights than the process has. */
static bool is_privileged(int fd)
{
	char path[64], capabilities[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	if (status.st_mode & S_ISUID && status.st_uid != geteuid())
		return true;
	if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getegid())
		return true;
	return getxattr(path, "security.capability", capabilities, sizeof(capabilities)) > 0;
}

/* The interpreter of a script: the kernel opens it, not the process. */
static int add_interpreter(struct touched *touched, const struct follow_stop *stop, int program)
{
	_cleanup_close_ int readable = open_descriptor_again(program, O_RDONLY), fd = -1;
	char interpreter[SCRIPT_HEAD];
	size_t file;

	if (readable < 0 || !script_interpreter(readable, interpreter))
		return 0;
	fd = open_allowed(touched, stop, AT_FDCWD, interpreter, X_OK, true);
	return fd < 0 ? 0 : touched_add(touched, fd, stop->process->pid, true, &file);
}

/* The absolute path that counts as the program's name: of names that mean the process itself, where they lead. */
static char *name_program(const struct follow_stop *stop, int folder, const char *path)
{
	char link[FOLLOW_LINK_MAX], start[PATH_MAX];
	const char *rest = follow_path_begin(stop, folder, path, link);
	ssize_t length = link[0] ? readlink(link, start, sizeof(start) - 1) : 0;
	char *name;

	start[length > 0 ? length : 0] = 0;
	if (start[0] != '/')
		return strdup(path);
	if (!*rest)
		return strdup(start);
	return asprintf(&name, "%s/%s", start, rest) < 0 ? NULL : name;
}

/* What is mapped now goes away if the program can be executed. The kernel reads its first page. */
static int take_exec(struct touched *touched, const struct follow_stop *stop, int folder, uint64_t address,
	struct follow_notes *notes)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;
	struct stat status;
	size_t file;
	int r;

	if (!peek_path(touched, stop, address, path))
		path[0] = 0; /* AT_EMPTY_PATH, or an error of the program */
	if (!*path && folder == AT_FDCWD)
		return 0;
	free(TAKE_PTR(stop->process->executing)); /* an earlier one, which failed */
	fd = open_allowed(touched, stop, folder, path, X_OK, false);
	if (fd == -EAGAIN || fd == -ELOOP)
		return follow_process_look(touched, stop->process, 0, UINT64_MAX);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || !(status.st_mode & 0111))
		return 0;
	r = follow_process_look(touched, stop->process, 0, UINT64_MAX);
	if (r == 0)
		r = touched_add(touched, fd, stop->process->pid, true, &file);
	if (r == 0)
		r = touched_pages(touched, file, 0, 0, stop->process->pid, TOUCH_READ);
	if (r == 0)
		r = add_interpreter(touched, stop, fd);
	if (r < 0)
		return r;
	if (stop->unprivileged && !notes->privileged && is_privileged(fd))
		notes->privileged = strdup(path);
	stop->process->executing = name_program(stop, folder, path);
	return stop->process->executing ? 0 : -ENOMEM;
}

/*
 * Opens the file that is open under this number: the very same opening, whose position we can ask for, with
 * pidfd_getfd(2), Linux 5.6. Without that, positions are read from /proc, which takes four times as long; and where a
 * followed process serves files, since closing that opening would ask it.
 */
static int open_same(
	const struct touched *touched, const struct follow_stop *stop, int number, bool *ret_same)
{
	int fd = touched->serves ? -1 : (int)syscall(SYS_pidfd_getfd, stop->process->pidfd, number, 0);

	*ret_same = fd >= 0;
	return fd >= 0 ? fd : process_open(stop->tid, O_PATH, "fd/%d", number);
}

static bool find_position(const struct follow_stop *stop, int number, int fd, bool same, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;
	off_t at;

	if (same) {
		at = lseek(fd, 0, SEEK_CUR);
		*ret = (uint64_t)at;
		return at >= 0;
	}
	return process_read(stop->tid, 1 << 16, &text, NULL, "fdinfo/%d", number) == 0 &&
		number_of_line(text, "pos:", ret);
}

/* A read of `size` bytes: from the position of the descriptor, unless it has an `offset`. */
static int take_read(struct touched *touched, const struct follow_stop *stop, int number, uint64_t size,
	const uint64_t *offset)
{
	uint64_t pages, position;
	struct stat status;
	bool same;
	_cleanup_close_ int fd = open_same(touched, stop, number, &same);
	size_t file;
	int r;

	if (fd < 0 || size == 0 ||
		(touched->serves && opens_may_wait(touched->opens, fd, stop->process->pid)))
		return 0;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return 0;
	file = touched_find(touched, &status);
	r = file == TOUCHED_NONE ? touched_add(touched, fd, stop->process->pid, false, &file) : 0;
	if (r < 0)
		return r;
	pages = ((uint64_t)status.st_size + touched->page_size - 1) / touched->page_size;
	if (file == TOUCHED_NONE || touched->items[file].ignored || touched->items[file].n_seen >= pages)
		return 0;
	if (offset)
		position = *offset;
	else if (!find_position(stop, number, fd, same, &position))
		return 0;
	if (position >= (uint64_t)status.st_size)
		return 0;
	if (size > (uint64_t)status.st_size - position)
		size = (uint64_t)status.st_size - position;
	return touched_pages(touched, file, position / touched->page_size,
		(position + size - 1) / touched->page_size, stop->process->pid, TOUCH_READ);
}

/* The bytes that the vectors of a readv(2) have room for. */
static uint64_t sum_vectors(
	const struct touched *touched, const struct follow_stop *stop, uint64_t address, uint64_t count)
{
	uint64_t words[2 * VECTORS_MAX] = {0}, sum = 0;
	const uint32_t *halves = (const uint32_t *)words;
	size_t width = stop->narrow ? sizeof(uint32_t) : sizeof(uint64_t), n;

	count = count < VECTORS_MAX ? count : VECTORS_MAX;
	n = peek(touched, stop, address, words, 2 * width * count) / width;
	for (size_t i = 1; i < n; i += 2)
		if (__builtin_add_overflow(sum, stop->narrow ? halves[i] : words[i], &sum))
			return INT64_MAX;
	return sum;
}

/* An offset that two arguments of a 32-bit program hold together. */
static uint64_t wide(const struct follow_stop *stop, unsigned at)
{
	const uint64_t *arguments = stop->arguments;

	return stop->narrow ? arguments[at + 1] << 32 | (uint32_t)arguments[at] : arguments[at];
}

/* A copy inside the kernel: the offset lies in memory, or is the descriptor's. */
static int take_copy(struct touched *touched, const struct follow_stop *stop, int fd, uint64_t address,
	size_t width, uint64_t size)
{
	uint64_t offset = 0;

	if (!address)
		return take_read(touched, stop, fd, size, NULL);
	return peek(touched, stop, address, &offset, width) == width
		? take_read(touched, stop, fd, size, &offset)
		: 0;
}

static void note_tracer(const struct follow_stop *stop, struct follow_notes *notes)
{
	_cleanup_free_ char *text = NULL;

	if (notes->tracer || process_read(stop->process->pid, COMMAND_NAME, &text, NULL, "comm") < 0)
		return;
	text[strcspn(text, "\n")] = 0;
	notes->tracer = TAKE_PTR(text);
}

/* What is mapped there goes away. */
static int take_unmap(struct touched *touched, const struct follow_stop *stop)
{
	uint64_t start = stop->arguments[0], end;

	if (stop->narrow)
		start = (uint32_t)start;
	if (__builtin_add_overflow(start, stop->arguments[1], &end))
		return 0;
	return follow_process_look(touched, stop->process, start, end);
}

/* As the filter has it for what is not known to be a file. */
static bool replaces(uint64_t flags)
{
	return (flags & (MAP_FIXED | MAP_DENYWRITE)) == MAP_FIXED;
}

int follow_take_call(struct touched *touched, const struct follow_stop *stop, struct follow_notes *notes)
{
	const uint64_t *arguments = stop->arguments;
	int fd = (int)arguments[0];
	uint64_t offset, flags = 0;

	switch (stop->call) {
	case FOLLOW_OPEN:
		return take_open(touched, stop, AT_FDCWD, arguments[0], arguments[1]);
	case FOLLOW_OPENAT:
		return take_open(touched, stop, fd, arguments[1], arguments[2]);
	case FOLLOW_OPENAT2:
		(void)peek(touched, stop, arguments[2], &flags, sizeof(flags));
		return take_open(touched, stop, fd, arguments[1], flags);
	case FOLLOW_EXEC:
		return take_exec(touched, stop, AT_FDCWD, arguments[0], notes);
	case FOLLOW_EXECAT:
		return take_exec(touched, stop, fd, arguments[1], notes);
	case FOLLOW_UNMAP:
	case FOLLOW_MOVE:
		return take_unmap(touched, stop);
	case FOLLOW_READ:
		return take_read(touched, stop, fd, arguments[2], NULL);
	case FOLLOW_PREAD:
		offset = wide(stop, 3);
		return take_read(touched, stop, fd, arguments[2], &offset);
	case FOLLOW_READV:
		return take_read(
			touched, stop, fd, sum_vectors(touched, stop, arguments[1], arguments[2]), NULL);
	case FOLLOW_PREADV:
		offset = wide(stop, 3);
		return take_read(touched, stop, fd, sum_vectors(touched, stop, arguments[1], arguments[2]),
			offset == UINT64_MAX ? NULL : &offset); /* -1: the position, of preadv2 */
	case FOLLOW_SENDFILE:
		return take_copy(
			touched, stop, (int)arguments[1], arguments[2], sizeof(uint64_t), arguments[3]);
	case FOLLOW_SENDFILE32:
		return take_copy(
			touched, stop, (int)arguments[1], arguments[2], sizeof(uint32_t), arguments[3]);
	case FOLLOW_COPY:
		return take_copy(touched, stop, fd, arguments[1], sizeof(uint64_t), arguments[4]);
	case FOLLOW_MAP:
		return replaces(arguments[3]) ? take_unmap(touched, stop) : 0;
	case FOLLOW_PTRACE:
		note_tracer(stop, notes);
		break;
	case FOLLOW_ROOT:
		stop->process->foreign = true;
		break;
	case FOLLOW_FAULTS:
		follow_process_serves_memory(touched, stop->process);
		break;
	case FOLLOW_URING:
		notes->uring = true;
		break;
	}
	return 0;
}
