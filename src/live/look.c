/* SPDX-License-Identifier: MIT */
/* proc(5): io. */
#include "live/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/run/process-file.h"
#include "record/timelines/status.h"

#define STAT_MAX (1u << 16) /* bytes of text */

static enum timeline_state state_of(char letter)
{
	/* What no signal can interrupt is nearly always a wait for a disk. */
	return letter == 'R' ? TIMELINE_RUNNING : letter == 'D' ? TIMELINE_READ : TIMELINE_OTHER;
}

/* As the kernel counts them; not known of the processes of others. */
static bool bytes_read(int32_t pid, uint64_t *ret)
{
	return process_number(pid, "io", "read_bytes:", ret);
}

static int add_process(const struct look *look, int32_t pid, uint64_t elapsed, struct live *live)
{
	struct thread_status status;
	struct live_process *process;
	uint64_t bytes = 0;

	if (!thread_status_read(pid, pid, &status) || status.state == 'Z' || status.state == 'X')
		return 0;
	process = live_process(live, pid, status.parent);
	if (!process)
		return -ENOMEM;
	if (bytes_read(pid, &bytes)) {
		if (process->seen == 0 && look->comes_late && live->turns == 1)
			process->bytes_before = bytes;
		if (bytes > process->bytes_before)
			process->bytes = bytes - process->bytes_before;
	}
	process->parent = status.parent;
	process->seen = live->turns;
	process->state = state_of(status.state);
	process->states[process->state] += elapsed;
	memcpy(process->name, status.name, sizeof(process->name));
	if (process->state == TIMELINE_READ)
		live_add_wait(live, NULL, elapsed);
	return 0;
}

static int index_files(struct look *look, const struct record_files *files)
{
	int r = 0;

	for (; r == 0 && look->indexed < files->count; look->indexed++) {
		const struct record_file *file = &files->items[look->indexed];

		if (file->inode)
			r = inode_map_add(&look->files, file->device, file->inode, look->indexed);
	}
	return r;
}

/* A process that was not there when we looked has a name at least. */
static int name_programs(struct record_trace *trace, struct live *live)
{
	for (size_t i = 0; i < trace->n_execs; i++) {
		const struct record_exec *exec = &trace->execs[i];
		const char *slash = strrchr(exec->path, '/');
		struct live_process *process = live_process(live, exec->pid, 0);

		if (!process)
			return -ENOMEM;
		if (process->seen != live->turns)
			snprintf(process->name, sizeof(process->name), "%s", slash ? slash + 1 : exec->path);
	}
	record_trace_drop_execs(trace);
	return 0;
}

static int add_events(const struct look *look, const struct record_trace *trace,
	const struct record_files *files, struct live *live)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];
		size_t index = inode_map_find(&look->files, event->device, event->inode);
		struct live_file *file;

		if (index == INODE_MAP_NONE)
			index = inode_map_find(&look->files, 0, event->inode);
		file = live_file(live, index == INODE_MAP_NONE ? "" : files->items[index].path, false);
		if (!file)
			return -ENOMEM;
		live_add_bytes(live, file, (event->last - event->first + 1) * page_size, event->pid);
	}
	return 0;
}

int look_turn(struct look *look, struct record_trace *trace, const struct record_files *files,
	const int32_t *pids, size_t n_pids, uint64_t now, struct live *live)
{
	uint64_t elapsed = now - (live->now ? live->now : live->began);
	int r = index_files(look, files);

	live_turn(live, now);
	live->lost |= trace->lost;
	for (size_t i = 0; r == 0 && i < n_pids; i++)
		r = add_process(look, pids[i], elapsed, live);
	if (r == 0)
		r = name_programs(trace, live);
	if (r == 0)
		r = add_events(look, trace, files, live);
	for (size_t i = 0; i < live->n_processes; i++)
		live->processes[i].ended |= live->processes[i].seen != live->turns;
	trace->n_events = 0;
	return r;
}

void look_release(struct look *look)
{
	inode_map_release(&look->files);
}
