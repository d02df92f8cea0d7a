/* SPDX-License-Identifier: MIT */
#include "record/follow/tasks.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/run/process-file.h"
#include "base/strings.h"

struct task *tasks_find(const struct tasks *tasks, pid_t tid)
{
	for (size_t i = tasks->n; i-- > 0;)
		if (tasks->items[i].tid == tid)
			return &tasks->items[i];
	return NULL;
}

static struct follow_process *find_process(const struct tasks *tasks, pid_t pid)
{
	for (size_t i = tasks->n_processes; i-- > 0;)
		if (tasks->processes[i]->pid == pid)
			return tasks->processes[i];
	return NULL;
}

/* The process that a thread belongs to, and its parent. */
static int find_ids(pid_t tid, pid_t *ret_process, pid_t *ret_parent)
{
	_cleanup_free_ char *text = NULL;
	uint64_t process, parent;
	int r = process_read(tid, PROCESS_STATUS_MAX, &text, NULL, "status");

	if (r < 0)
		return r;
	if (!number_of_line(text, "Tgid:", &process) || !number_of_line(text, "PPid:", &parent))
		return -ESRCH;
	*ret_process = (pid_t)process;
	*ret_parent = (pid_t)parent;
	return 0;
}

static int add_process(struct tasks *tasks, pid_t pid, pid_t parent, struct follow_process **ret)
{
	struct follow_process *process;
	int r = ARRAY_RESERVE(tasks->processes, tasks->processes_capacity, tasks->n_processes + 1);

	if (r < 0)
		return r;
	process = follow_process_new(pid);
	if (!process)
		return -ENOMEM;
	process->shares_memory = parent != getpid() && syscall(SYS_kcmp, parent, pid, KCMP_VM, 0, 0) == 0;
	process->shares_files = parent != getpid() && syscall(SYS_kcmp, parent, pid, KCMP_FILES, 0, 0) == 0;
	tasks->processes[tasks->n_processes++] = process;
	*ret = process;
	return 0;
}

int tasks_add(struct tasks *tasks, pid_t tid, struct task **ret)
{
	struct follow_process *process;
	pid_t pid, parent;
	int r = find_ids(tid, &pid, &parent);

	if (r < 0)
		return r == -ENOMEM ? r : -ESRCH;
	process = find_process(tasks, pid);
	r = process ? 0 : add_process(tasks, pid, parent, &process);
	if (r == 0)
		r = ARRAY_RESERVE(tasks->items, tasks->capacity, tasks->n + 1);
	if (r < 0)
		return r;
	process->threads++;
	*ret = &tasks->items[tasks->n++];
	**ret = (struct task){.tid = tid, .process = process};
	return 0;
}

static void remove_process(struct tasks *tasks, struct follow_process *process)
{
	for (size_t i = 0; i < tasks->n_processes; i++)
		if (tasks->processes[i] == process) {
			tasks->processes[i] = tasks->processes[--tasks->n_processes];
			break;
		}
	tasks->n_unseen += process->unseen;
	tasks->n_unplanted += process->unplanted;
	follow_process_free(process);
}

void tasks_remove(struct tasks *tasks, struct task *task)
{
	struct follow_process *process = task->process;

	process->exiting -= task->exiting;
	*task = tasks->items[--tasks->n];
	if (--process->threads == 0)
		remove_process(tasks, process);
}

void tasks_leave_one(struct tasks *tasks, struct follow_process *process, pid_t tid)
{
	for (size_t i = tasks->n; i-- > 0;)
		if (tasks->items[i].process == process && tasks->items[i].tid != tid) {
			process->threads--;
			process->exiting -= tasks->items[i].exiting;
			tasks->items[i] = tasks->items[--tasks->n];
		}
}

bool tasks_note_exit(struct task *task)
{
	struct follow_process *process = task->process;

	if (!task->exiting)
		process->exiting++;
	task->exiting = true;
	return process->exiting >= process->threads;
}

void tasks_release(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->n_processes; i++)
		follow_process_free(tasks->processes[i]);
	free(tasks->processes);
	free(tasks->items);
}
