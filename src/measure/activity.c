/* SPDX-License-Identifier: MIT */
/* Follows the processes of a tree through /proc. */
#include "measure/activity.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-file.h"
#include "base/run/process-tree.h"

#define TEXT_MAX 4096 /* bytes of any file that is read here */

/* A quiet tree may use this much of a processor, for clocks and cursors, and this many ticks more. */
#define QUIET_SHARE 0.05
#define QUIET_TICKS 2

#define FORGET_SECONDS 1.0

void activity_init(struct activity *activity, double now)
{
	*activity = (struct activity){.quiet_since = now, .strangers_since = now};
}

void activity_release(struct activity *activity)
{
	free(activity->processes);
	free(activity->strangers);
	*activity = (struct activity){0};
}

bool activity_parse_stat(const char *text, pid_t *ret_parent, struct activity_process *ret)
{
	const char *after_name = strrchr(text, ')');
	uint64_t user, system;

	/* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime: proc_pid_stat(5) */
	return after_name &&
		sscanf(after_name + 1,
			" %*c %d %*d %*d %*d %*d %*u %*u %*u %" SCNu64 " %*u %" SCNu64 " %" SCNu64,
			ret_parent, &ret->faults, &user, &system) == 4 &&
		(ret->ticks = user + system, true);
}

/* Returns false for a process that has ended. */
static bool look_at(pid_t pid, pid_t *ret_parent, struct activity_process *ret)
{
	_cleanup_free_ char *stat = NULL;

	*ret = (struct activity_process){.pid = pid};
	if (process_read(pid, TEXT_MAX, &stat, NULL, "stat") < 0 ||
		!activity_parse_stat(stat, ret_parent, ret))
		return false;
	/* Of a process with other rights than ours this cannot be read; its faults tell as well. */
	(void)process_number(pid, "io", "read_bytes:", &ret->bytes);
	return true;
}

static int by_pid(const void *a, const void *b)
{
	pid_t first = *(const pid_t *)a, second = *(const pid_t *)b;

	return (first > second) - (first < second);
}

static struct activity_process *find(const struct activity *activity, pid_t pid)
{
	return activity->n
		? bsearch(&pid, activity->processes, activity->n, sizeof(*activity->processes), by_pid)
		: NULL;
}

static bool is_stranger(const struct activity *activity, pid_t pid)
{
	return activity->n_strangers &&
		bsearch(&pid, activity->strangers, activity->n_strangers, sizeof(pid), by_pid);
}

/* One look at all processes; becomes the new state. */
struct sweep {
	struct activity_process *processes; /* owned */
	size_t n, capacity;
	pid_t *strangers; /* owned */
	size_t n_strangers, strangers_capacity;
	uint64_t ticks; /* that the tree has used since the last look */
	bool worked;    /* it did something else than to use a processor */
};

static int add_own(struct sweep *sweep, const struct activity *before, const struct activity_process *now)
{
	const struct activity_process *then = find(before, now->pid);

	if (ARRAY_RESERVE(sweep->processes, sweep->capacity, sweep->n + 1) < 0)
		return -ENOMEM;
	sweep->processes[sweep->n++] = *now;
	if (!then || then->faults != now->faults || then->bytes != now->bytes)
		sweep->worked = true;
	if (then && now->ticks > then->ticks)
		sweep->ticks += now->ticks - then->ticks;
	return 0;
}

static int add_stranger(struct sweep *sweep, pid_t pid)
{
	if (ARRAY_RESERVE(sweep->strangers, sweep->strangers_capacity, sweep->n_strangers + 1) < 0)
		return -ENOMEM;
	sweep->strangers[sweep->n_strangers++] = pid;
	return 0;
}

/*
 * /proc lists processes by number. Where numbers have come round, a child may stand before its parent: it is found once
 * the strangers are forgotten.
 */
static bool is_own(const struct sweep *sweep, const struct activity *before, pid_t pid, pid_t parent)
{
	if (parent == getpid() || find(before, pid) || find(before, parent))
		return true;
	for (size_t i = sweep->n; i > 0; i--)
		if (sweep->processes[i - 1].pid == parent)
			return true;
	return false;
}

static int sweep_process(struct sweep *sweep, const struct activity *before, pid_t pid)
{
	struct activity_process now;
	pid_t parent;

	if (pid == getpid() || process_tree_is_other(pid) || is_stranger(before, pid))
		return add_stranger(sweep, pid);
	if (!look_at(pid, &parent, &now))
		return 0;
	return is_own(sweep, before, pid, parent) ? add_own(sweep, before, &now) : add_stranger(sweep, pid);
}

static int sweep_all(struct sweep *sweep, const struct activity *before)
{
	_cleanup_closedir_ DIR *folder = opendir("/proc");
	const struct dirent *entry;
	int r = 0;

	if (!folder)
		return -errno;
	while (r == 0 && (entry = readdir(folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			r = sweep_process(sweep, before, (pid_t)strtol(entry->d_name, NULL, 10));
	qsort(sweep->processes, sweep->n, sizeof(*sweep->processes), by_pid);
	qsort(sweep->strangers, sweep->n_strangers, sizeof(*sweep->strangers), by_pid);
	sweep->worked |= sweep->n < before->n; /* a process has ended */
	return r;
}

int activity_look(struct activity *activity, double now)
{
	struct sweep sweep = {0};
	int r;

	if (now - activity->strangers_since > FORGET_SECONDS) {
		activity->n_strangers = 0;
		activity->strangers_since = now;
	}
	r = sweep_all(&sweep, activity);
	if (r < 0) {
		free(sweep.processes);
		free(sweep.strangers);
		return r;
	}
	free(activity->processes);
	free(activity->strangers);
	activity->processes = sweep.processes;
	activity->n = sweep.n;
	activity->strangers = sweep.strangers;
	activity->n_strangers = sweep.n_strangers;
	activity->ticks += sweep.ticks;
	if (sweep.worked ||
		(double)activity->ticks > QUIET_TICKS +
				QUIET_SHARE * (now - activity->quiet_since) * (double)sysconf(_SC_CLK_TCK)) {
		activity->quiet_since = now;
		activity->ticks = 0;
	}
	return 0;
}
