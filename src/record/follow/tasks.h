/* SPDX-License-Identifier: MIT */
/* The threads that are followed, and the processes that they belong to. A process is there as long as one of its threads is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "record/follow/process.h"

struct task {
	pid_t tid;
	bool exiting; /* it is about to end */
	struct follow_process *process;
};

struct tasks {
	struct task *items; /* owned */
	size_t n, capacity;
	struct follow_process **processes; /* owned, each of them, too */
	size_t n_processes, processes_capacity;
	size_t n_unseen, n_unplanted; /* of the processes that have ended */
};

void tasks_release(struct tasks *tasks);

/* The thread, or NULL. The pointer is good until one is added or removed. */
struct task *tasks_find(const struct tasks *tasks, pid_t tid);

/* Adds a thread that stopped for the first time, and its process. Returns 0, -ESRCH if it has ended already, or -ENOMEM. */
int tasks_add(struct tasks *tasks, pid_t tid, struct task **ret);

/* The thread has ended. */
void tasks_remove(struct tasks *tasks, struct task *task);

/* All threads of the process but this one have ended. */
void tasks_leave_one(struct tasks *tasks, struct follow_process *process, pid_t tid);

/* The thread is about to end. Returns whether it is the last one of its process, or all others are about to end, too. */
bool tasks_note_exit(struct task *task);
