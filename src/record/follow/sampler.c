/* SPDX-License-Identifier: MIT */
#include "record/follow/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/run/process-tree.h"
#include "base/times.h"
#include "elf/closure.h"
#include "elf/script.h"
#include "record/follow/open-files.h"
#include "record/follow/rights.h"

#define PAUSE_MIN_NS 1000000     /* between two looks */
#define LOOK_SHARE   10          /* looks take at most this part of the time */
#define READ_MAX     (64u << 20) /* bytes of a file that count as read */

struct sampled {
	struct follow_process *process; /* owned */
	dev_t device;                   /* these two of its program; 0: not known yet */
	ino_t inode;
};

struct sampler {
	struct sampler_options options;
	struct touched touched;
	struct sampled *items; /* owned */
	size_t count, capacity;
	size_t n_unseen;  /* of the processes that have ended */
	uint64_t look_at; /* nanoseconds */
	bool began;
};

int sampler_new(const struct sampler_options *options, struct sampler **ret)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));

	if (!sampler)
		return -ENOMEM;
	sampler->options = *options;
	touched_init(&sampler->touched, options->opens, options->trace, false);
	*ret = sampler;
	return 0;
}

static int expect_file(struct sampler *sampler, const char *path, pid_t tid, size_t *ret)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	*ret = TOUCHED_NONE;
	return fd < 0 ? 0 : touched_add(&sampler->touched, fd, tid, true, ret);
}

static int expect_libraries(struct sampler *sampler, const char *program, pid_t tid)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {
		.library_path = getenv("LD_LIBRARY_PATH")};
	_cleanup_free_ char *executed = NULL;
	size_t file;
	int r = script_executed(program, NULL, &executed);

	if (r == 0)
		r = elf_closure_add(&closure, executed);
	for (size_t i = 0; r == 0 && i < closure.n; i++)
		r = expect_file(sampler, closure.paths[i], tid, &file);
	return r == -ENOMEM ? r : 0;
}

int sampler_expect(struct sampler *sampler, const char *program, pid_t tid, bool cold)
{
	struct follow_rights rights;
	size_t file;
	int r;

	if (follow_rights_borrow(tid, &rights) < 0)
		return 0;
	sampler->touched.make_cold = cold;
	r = expect_file(sampler, program, tid, &file);
	if (r == 0)
		r = touched_pages(&sampler->touched, file, 0, 0, tid, TOUCH_READ);
	if (r == 0 && cold)
		r = expect_libraries(sampler, program, tid);
	sampler->touched.make_cold = false;
	follow_rights_return(&rights);
	return r;
}

static void remove_ended(struct sampler *sampler)
{
	size_t kept = 0;

	for (size_t i = 0; i < sampler->count; i++) {
		struct sampled *item = &sampler->items[i];

		if (follow_process_has_ended(item->process)) {
			sampler->n_unseen += item->process->unseen;
			follow_process_free(item->process);
			continue;
		}
		sampler->items[kept++] = *item;
	}
	sampler->count = kept;
}

static int add_process(struct sampler *sampler, int32_t pid)
{
	struct follow_process *process;
	int r;

	for (size_t i = 0; i < sampler->count; i++)
		if (sampler->items[i].process->pid == pid)
			return 0;
	r = ARRAY_RESERVE(sampler->items, sampler->capacity, sampler->count + 1);
	if (r < 0)
		return r;
	process = follow_process_new(pid);
	if (!process)
		return -ENOMEM;
	sampler->items[sampler->count++] = (struct sampled){.process = process};
	return 0;
}

static int add_children(struct sampler *sampler, int32_t pid)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r = process_tree_children_of(pid, &pids, &n, &capacity) == -ENOMEM ? -ENOMEM : 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_process(sampler, pids[i]);
	return r;
}

/* What has lost its parent is still known by its number. */
static int find_processes(struct sampler *sampler)
{
	int r = sampler->began ? 0 : add_process(sampler, sampler->options.top);

	sampler->began = true;
	if (r == 0 && sampler->options.below_us)
		r = add_children(sampler, getpid());
	/* Children that are added get their turn, too. */
	for (size_t i = 0; r == 0 && i < sampler->count && sampler->count < PROCESS_TREE_MAX; i++)
		r = add_children(sampler, sampler->items[i].process->pid);
	remove_ended(sampler);
	return r;
}

/* Another program runs there: its path, and its first page, which the kernel has read. */
static int take_program(struct sampler *sampler, struct follow_process *process, int fd)
{
	char path[PATH_MAX];
	size_t file;
	int r = touched_add(&sampler->touched, fd, process->pid, false, &file);

	if (r == 0)
		r = touched_pages(&sampler->touched, file, 0, 0, process->pid, TOUCH_READ);
	if (r < 0 || path_of_fd(fd, path) < 0)
		return r;
	return record_trace_add_exec(
		sampler->options.trace, touched_now(&sampler->touched), process->pid, path);
}

/* A forked process has the program of its parent; it did not execute it. */
static bool runs_elsewhere(const struct sampler *sampler, const struct stat *status)
{
	for (size_t i = 0; i < sampler->count; i++)
		if (sampler->items[i].device == status->st_dev && sampler->items[i].inode == status->st_ino)
			return true;
	return false;
}

static int look_at_program(struct sampler *sampler, struct sampled *item)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	char path[64];
	bool forked;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", item->process->pid);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return 0;
	if (item->device == status.st_dev && item->inode == status.st_ino)
		return 0;
	forked = item->inode == 0 && runs_elsewhere(sampler, &status);
	item->device = status.st_dev;
	item->inode = status.st_ino;
	if (forked)
		return 0;
	follow_process_renew(item->process);
	return take_program(sampler, item->process, fd);
}

struct reader {
	struct sampler *sampler;
	int32_t pid;
};

static int found_open(void *context, int fd, uint64_t bytes)
{
	const struct reader *reader = context;
	struct touched *touched = &reader->sampler->touched;
	uint64_t read = bytes < READ_MAX ? bytes : READ_MAX;
	size_t file;
	int r = touched_add(touched, fd, reader->pid, false, &file);

	if (r < 0 || file == TOUCHED_NONE || read == 0)
		return r;
	return touched_pages(touched, file, 0, (read - 1) / touched->page_size, reader->pid, TOUCH_READ);
}

static int look_at_process(struct sampler *sampler, struct sampled *item)
{
	struct reader reader = {.sampler = sampler, .pid = item->process->pid};
	int r = look_at_program(sampler, item);

	if (r == 0)
		r = follow_process_look(&sampler->touched, item->process, 0, UINT64_MAX);
	/* The memory may have been that of the program before. */
	if (item->process->pagemap >= 0)
		close(item->process->pagemap);
	item->process->pagemap = -1;
	return r == 0 ? open_files_each(reader.pid, found_open, &reader) : r;
}

int sampler_look(struct sampler *sampler)
{
	uint64_t began = monotonic_ns(), ended, pause;
	int r = find_processes(sampler);

	for (size_t i = 0; r == 0 && i < sampler->count; i++)
		r = look_at_process(sampler, &sampler->items[i]);
	ended = monotonic_ns();
	pause = LOOK_SHARE * (ended - began);
	sampler->look_at = ended + (pause > PAUSE_MIN_NS ? pause : PAUSE_MIN_NS);
	return r;
}

int sampler_pause(const struct sampler *sampler)
{
	uint64_t now = monotonic_ns();

	return now < sampler->look_at ? (int)((sampler->look_at - now + 999999) / 1000000) : 0;
}

void sampler_summarize(const struct sampler *sampler, struct follow_summary *ret)
{
	*ret = (struct follow_summary){
		.processes_unseen = sampler->n_unseen,
		.pages_around = touched_around(&sampler->touched),
		.files_kept = sampler->touched.files_kept,
	};
	for (size_t i = 0; i < sampler->count; i++)
		ret->processes_unseen += sampler->items[i].process->unseen;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->count; i++)
		follow_process_free(sampler->items[i].process);
	free(sampler->items);
	touched_release(&sampler->touched);
	free(sampler);
}
