/* SPDX-License-Identifier: MIT */
/* proc(5): task/TID/stat, task/TID/syscall, auxv. */
#include "record/timelines/threads.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-file.h"
#include "base/run/process-tree.h"
#include "record/timelines/status.h"

#define SYSCALL_MAX 4096u /* bytes of text */
#define AUXV_MAX    4096u
#define KTHREADD    2 /* the parent of kernel threads */

/* As sched_switch has it (include/linux/sched.h). */
static uint32_t state_bits(char letter)
{
	return letter == 'S' || letter == 'I'    ? MOMENT_SLEEPS
		: letter == 'D'                  ? 2
		: letter == 'T' || letter == 't' ? 4
		: letter == 'Z' || letter == 'X' ? MOMENT_ENDED
						 : 0;
}

bool threads_are_narrow(int32_t pid)
{
	_cleanup_free_ char *text = NULL;
	uint64_t first;
	size_t size;

	if (process_read(pid, AUXV_MAX, &text, &size, "auxv") < 0 || size < sizeof(first))
		return false;
	/* It begins with a small number and a value that is not 0. Both have 32 bits in a 32-bit program. */
	memcpy(&first, text, sizeof(first));
	return first > UINT32_MAX;
}

static int add_thread(struct carry *carry, int32_t pid, int32_t tid, bool narrow)
{
	_cleanup_free_ char *call = NULL;
	struct carried thread = {.tid = tid, .pid = pid, .narrow = narrow};
	struct thread_status status;

	if (!thread_status_read(pid, tid, &status))
		return 0;
	thread.parent = status.parent;
	thread.ended =
		state_bits(status.state) == MOMENT_ENDED; /* the first one stays as long as the others */
	if (process_read(pid, SYSCALL_MAX, &call, NULL, "task/%" PRId32 "/syscall", tid) == 0 &&
		sscanf(call, "%" SCNd64, &thread.call.call) == 1) {
		thread.call.kind = MOMENT_CALL;
		thread.call.thread = thread.tid;
		thread.has_call = true;
	}
	return carry_add(carry, &thread, status.name, state_bits(status.state));
}

int threads_add(struct carry *carry, int32_t pid)
{
	_cleanup_closedir_ DIR *threads = process_threads(pid);
	bool narrow = threads_are_narrow(pid);
	int32_t tid;
	int r = 0;

	while (r == 0 && threads && (tid = process_next_thread(threads)))
		r = add_thread(carry, pid, tid, narrow);
	return r;
}

static bool is_of_kernel(int32_t pid)
{
	struct thread_status status;

	return pid == KTHREADD || !thread_status_read(pid, pid, &status) || status.parent == KTHREADD;
}

static int add_all(struct carry *carry)
{
	_cleanup_closedir_ DIR *folder = opendir("/proc");
	struct dirent *entry;
	int r = 0;

	while (r == 0 && folder && (entry = readdir(folder))) {
		int32_t pid = (int32_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() && !is_of_kernel(pid))
			r = threads_add(carry, pid);
	}
	return r;
}

int threads_add_tree(struct carry *carry, int32_t top)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r;

	if (top == 0)
		return add_all(carry);
	r = threads_add(carry, top);
	if (r == 0)
		r = process_tree_below(top, &pids, &n, &capacity) == -ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = threads_add(carry, pids[i]);
	return r;
}

void threads_end_missing(struct carry *carry)
{
	for (size_t i = 0; i < carry->count; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%" PRId32, carry->items[i].tid);
		if (access(path, F_OK) < 0 && errno == ENOENT)
			carry->items[i].ended = true;
	}
}
