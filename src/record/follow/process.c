/* SPDX-License-Identifier: MIT */
#include "record/follow/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/strings.h"
#include "record/follow/pages/page-tables.h"
#include "record/follow/paths.h"

#define PAGES_MAX                                                                                            \
	(64u << 20) /* that are found in one go, or of which page tables are read: 256 GiB of small pages */

#define APART                                                                                                \
	(4u << 20) /* bytes, that the parts of a library may be farther apart in memory than in the file */

static bool same_link(int32_t pid, const char *what)
{
	char path[64], theirs[PATH_MAX], ours[PATH_MAX];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", pid, what);
	n = readlink(path, theirs, sizeof(theirs));
	snprintf(path, sizeof(path), "/proc/self/%s", what);
	m = readlink(path, ours, sizeof(ours));
	return n > 0 && n == m && memcmp(theirs, ours, (size_t)n) == 0;
}

/* Whether its root or its mount namespace is another than ours. */
static bool is_foreign(int32_t pid)
{
	return !same_link(pid, "root") || !same_link(pid, "ns/mnt");
}

struct follow_process *follow_process_new(int32_t pid)
{
	struct follow_process *process = calloc(1, sizeof(*process));

	if (process)
		*process = (struct follow_process){
			.pid = pid,
			.pagemap = -1,
			.memory = -1,
			.exact = EXACT_FAULTS_INIT,
			.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
			.foreign = is_foreign(pid),
		};
	return process;
}

void follow_process_free(struct follow_process *process)
{
	if (!process)
		return;
	if (process->pagemap >= 0)
		close(process->pagemap);
	if (process->memory >= 0)
		close(process->memory);
	if (process->pidfd >= 0)
		close(process->pidfd);
	exact_faults_release(&process->exact);
	free(process->code);
	free(process->executing);
	free(process);
}

void follow_process_renew(struct follow_process *process)
{
	if (process->pagemap >= 0)
		close(process->pagemap);
	if (process->memory >= 0)
		close(process->memory);
	process->pagemap = process->memory = -1;
	exact_faults_release(&process->exact);
	process->n_code = 0;
	process->closed = false;
	process->shares_memory = process->shares_files = process->unseen = false;
	process->foreign = is_foreign(process->pid);
	free(process->executing);
	process->executing = NULL;
}

size_t follow_process_read(
	struct follow_process *process, int32_t tid, uint64_t address, void *to, size_t size, bool present)
{
	struct iovec local = {.iov_base = to, .iov_len = size};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
	ssize_t n;

	if (present && process->pagemap < 0)
		process->pagemap = page_tables_open(process->pid);
	if (present && (process->pagemap < 0 || !page_tables_have(process->pagemap, address, size)))
		return 0;
	n = process_vm_readv(tid, &local, 1, &remote, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

struct run {
	size_t file;
	uint64_t first, last;
	enum touch touch;
};

struct look {
	struct touched *touched;
	const struct follow_process *process;
	uint64_t start, end; /* addresses */
	uint64_t budget;
	const struct page_mapping *mapping;
	size_t file;      /* of the mapping */
	enum touch touch; /* how its page table shows what is touched */
	struct run *runs; /* owned; with pages that are new */
	size_t n_runs, capacity;
};

static void look_releasep(struct look *look)
{
	free(look->runs);
}

/*
 * Opens a mapped file: by its mapping, which only a privileged process may, or by its name in the root of the process,
 * or in ours. Returns a descriptor, or negative errno.
 */
static int open_mapping(const struct touched *touched, const struct follow_process *process,
	const struct page_mapping *mapping, bool *ret_by_mapping)
{
	char path[PATH_MAX + 64];
	int fd = page_tables_open_file(process->pid, mapping);

	*ret_by_mapping = fd >= 0;
	if (fd >= 0)
		return fd;
	if (mapping->path[0] != '/' || strlen(mapping->path) >= PATH_MAX ||
		ends_with(mapping->path, DELETED_SUFFIX))
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root%s", process->pid, mapping->path);
	if (touched->serves)
		return follow_path_open_known(process, mapping->path);
	fd = open(process->foreign ? path : mapping->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int follow_process_open(
	struct touched *touched, const struct follow_process *process, const struct page_mapping *mapping)
{
	bool by_mapping;
	_cleanup_close_ int fd = open_mapping(touched, process, mapping, &by_mapping);
	struct stat status;

	if (fd < 0)
		return fd;
	if (touched->serves && opens_may_wait(touched->opens, fd, process->pid))
		return -EAGAIN;
	/* On overlayfs older kernels tell the number of the file below. */
	if (by_mapping ||
		(fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
			(status.st_ino == mapping->inode || major(status.st_dev) == 0)))
		return TAKE_FD(fd);
	return -ENOENT;
}

int follow_process_find_file(struct touched *touched, const struct follow_process *process,
	const struct page_mapping *mapping, size_t *ret)
{
	_cleanup_close_ int fd = -1;
	int r;

	*ret = inode_map_find(&touched->by_mapping, mapping->device, mapping->inode);
	if (*ret == TOUCHED_NONE)
		*ret = inode_map_find(&touched->by_stat, mapping->device, mapping->inode);
	if (*ret != TOUCHED_NONE)
		return 0;
	fd = follow_process_open(touched, process, mapping);
	r = fd < 0 ? touched_add_ignored(touched, ret) : touched_add(touched, fd, process->pid, false, ret);
	if (r == 0 && *ret != TOUCHED_NONE)
		r = inode_map_add(&touched->by_mapping, mapping->device, mapping->inode, *ret);
	return r;
}

static int found_run(void *context, uint64_t address, uint64_t pages, bool huge)
{
	struct look *look = context;
	uint64_t page_size = look->touched->page_size;
	uint64_t first = (look->mapping->offset + (address - look->mapping->start)) / page_size;
	struct run run = {look->file, first, first + pages - 1, huge ? TOUCH_MAPPED : look->touch};
	int r;

	if (!touched_has_new(look->touched, run.file, run.first, run.last))
		return 0;
	r = ARRAY_RESERVE(look->runs, look->capacity, look->n_runs + 1);
	if (r < 0)
		return r;
	look->runs[look->n_runs++] = run;
	return 0;
}

static int found_mapping(void *context, const struct page_mapping *mapping)
{
	struct look *look = context;
	uint64_t start = mapping->start > look->start ? mapping->start : look->start;
	uint64_t end = mapping->end < look->end ? mapping->end : look->end;
	int r;

	r = follow_process_find_file(look->touched, look->process, mapping, &look->file);
	if (r < 0 || look->file == TOUCHED_NONE || look->touched->items[look->file].ignored)
		return r;
	look->mapping = mapping;
	look->touch = exact_faults_cover(&look->process->exact, start, end) ? TOUCH_FAULTED : TOUCH_MAPPED;
	r = page_tables_present(look->process->pagemap, start, end, &look->budget, found_run, look);
	if (r == -EFBIG)
		look->touched->trace->lost = true;
	return r == -ENOMEM ? r : 0;
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->file != y->file)
		return (x->file > y->file) - (x->file < y->file);
	return (x->first > y->first) - (x->first < y->first);
}

bool follow_process_has_ended(const struct follow_process *process)
{
	struct pollfd ended = {.fd = process->pidfd, .events = POLLIN};
	char path[32];

	if (process->pidfd >= 0)
		return poll(&ended, 1, 0) > 0;
	snprintf(path, sizeof(path), "/proc/%" PRId32, process->pid);
	return access(path, F_OK) < 0;
}

int follow_process_look(struct touched *touched, struct follow_process *process, uint64_t start, uint64_t end)
{
	uint64_t page_size = touched->page_size;
	_cleanup_(look_releasep) struct look look = {
		.touched = touched,
		.process = process,
		.start = start / page_size * page_size,
		.end = end > UINT64_MAX - page_size ? end : (end + page_size - 1) / page_size * page_size,
		.budget = PAGES_MAX,
	};
	int r;

	if (process->shares_memory || process->unseen)
		return 0;
	if (process->pagemap < 0)
		process->pagemap = page_tables_open(process->pid);
	r = process->pagemap < 0
		? process->pagemap
		: page_tables_mappings(process->pid, look.start, look.end, found_mapping, &look);
	if (r == -EACCES || r == -EPERM)
		process->unseen = !follow_process_has_ended(process);
	if (r == -EFBIG)
		touched->trace->lost = true; /* more mappings than are read */
	if (r == -ENOMEM)
		return r;
	if (look.n_runs > 1)
		qsort(look.runs, look.n_runs, sizeof(*look.runs), compare_runs);
	for (size_t i = 0; i < look.n_runs; i++) {
		r = touched_pages(touched, look.runs[i].file, look.runs[i].first, look.runs[i].last,
			process->pid, look.runs[i].touch);
		if (r < 0)
			return r;
	}
	return 0;
}

struct visit {
	struct touched *touched;
	struct follow_process *process;
	bool only; /* mappings of this file: */
	uint64_t inode;
	uint32_t device;
	uint64_t file_start; /* where the file would begin that has been visited last */
};

static int make_exact(void *context, const struct page_mapping *mapping)
{
	struct visit *visit = context;
	struct exact_faults *exact = &visit->process->exact;
	size_t file;
	int r;

	if (visit->only && (mapping->inode != visit->inode || mapping->device != visit->device))
		return 0;
	visit->inode = mapping->inode;
	visit->device = mapping->device;
	visit->file_start = mapping->start > mapping->offset ? mapping->start - mapping->offset : 0;
	r = follow_process_find_file(visit->touched, visit->process, mapping, &file);
	if (r == 0 && file != TOUCHED_NONE && !visit->touched->items[file].ignored)
		exact_faults_register(exact, mapping->start, mapping->end);
	return r;
}

static int visit_mappings(struct visit *visit, uint64_t start, uint64_t end)
{
	int r = visit->process->exact.fd < 0 || visit->touched->serves
		? 0
		: page_tables_mappings(visit->process->pid, start, end, make_exact, visit);

	return r == -ENOMEM ? r : 0;
}

int follow_process_make_exact(struct touched *touched, struct follow_process *process)
{
	return visit_mappings(&(struct visit){.touched = touched, .process = process}, 0, UINT64_MAX);
}

int follow_process_make_exact_at(struct touched *touched, struct follow_process *process, uint64_t address)
{
	struct visit visit = {.touched = touched, .process = process, .file_start = address};
	int r = visit_mappings(&visit, address, address + 1);
	uint64_t start = visit.file_start > APART ? visit.file_start - APART : 0;

	visit.only = true;
	return r < 0 ? r : visit_mappings(&visit, start, address);
}
