/* SPDX-License-Identifier: MIT */
/* Finds the children of this process in /proc, reaps them, and ends them. */
#include "base/run/process-tree.h"
#include "base/run/process-file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/times.h"

#define PATIENCE_MS   5000
#define LOOK_AGAIN_NS 10000000
#define LIST_MAX      (1u << 20) /* bytes */

/* Children that were there before the tree. A process has one list of children, so there is one of these, too. */
static pid_t *others;
static size_t n_others;

static bool is_among(pid_t pid, const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

bool process_tree_is_other(pid_t pid)
{
	return is_among(pid, others, n_others);
}

/* Appends the children that the thread itself has started. Who asks is not among them. */
static int children_of_thread(pid_t process, pid_t thread, pid_t **pids, size_t *n, size_t *capacity)
{
	_cleanup_free_ char *list = NULL;
	int r = process_read(process, LIST_MAX, &list, NULL, "task/%d/children", thread);
	char *rest = list, *word;

	while (r == 0 && (word = strsep(&rest, " "))) {
		pid_t pid = (pid_t)strtol(word, NULL, 10);

		if (!*word || pid == getpid() || process_tree_is_other(pid))
			continue;
		r = ARRAY_RESERVE(*pids, *capacity, *n + 1);
		if (r == 0)
			(*pids)[(*n)++] = pid;
	}
	return r;
}

int process_tree_children(pid_t **ret, size_t *ret_n)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r = children_of_thread(getpid(), getpid(), &pids, &n, &capacity);

	if (r < 0)
		return r;
	*ret = TAKE_PTR(pids);
	*ret_n = n;
	return 0;
}

pid_t process_parent(pid_t pid)
{
	uint64_t parent;

	return process_number(pid, "status", "PPid:", &parent) ? (pid_t)parent : 0;
}

int process_tree_begin(void)
{
	int r;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -errno;
	n_others = 0;
	free(TAKE_PTR(others));
	r = process_tree_children(&others, &n_others);
	return r == -ENOENT ? 0 : r;
}

/* Orphans become children of our first thread, whose list this is. */
bool process_tree_ended(void)
{
	_cleanup_free_ pid_t *children = NULL;
	size_t n = 0;

	return process_tree_children(&children, &n) == 0 && n == 0;
}

/* Its number may be another's soon. */
static void forget(pid_t pid)
{
	for (size_t i = 0; i < n_others; i++)
		if (others[i] == pid)
			others[i] = others[--n_others];
}

bool process_tree_reap(pid_t command, bool *ret_ended, int *ret_status)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		forget(pid);
		if (pid == command) {
			*ret_ended = true;
			*ret_status = status;
		}
	}
	return pid < 0 ? errno == ECHILD : n_others > 0 && process_tree_ended();
}

int process_tree_children_of(pid_t pid, pid_t **pids, size_t *n, size_t *capacity)
{
	_cleanup_closedir_ DIR *threads = process_threads(pid);
	int r = -ENOENT;
	pid_t thread;

	while (threads && r != -ENOMEM && (thread = process_next_thread(threads))) {
		int one = children_of_thread(pid, thread, pids, n, capacity);

		r = one == -ENOMEM || r < 0 ? one : r;
	}
	return r;
}

int process_tree_below(pid_t pid, pid_t **pids, size_t *n, size_t *capacity)
{
	size_t next = *n;
	int r = process_tree_children_of(pid, pids, n, capacity);

	for (; r != -ENOMEM && next < *n && *n < PROCESS_TREE_MAX; next++)
		if (process_tree_children_of((*pids)[next], pids, n, capacity) == -ENOMEM)
			r = -ENOMEM;
	return r;
}

/* What is said of names in these texts has no new line. */
static bool is_blocked(pid_t pid)
{
	_cleanup_closedir_ DIR *threads = process_threads(pid);
	bool blocked = false;
	pid_t thread;

	while (!blocked && threads && (thread = process_next_thread(threads))) {
		_cleanup_free_ char *status = NULL;

		blocked =
			process_read(pid, PROCESS_STATUS_MAX, &status, NULL, "task/%d/status", thread) == 0 &&
			strstr(status, "\nState:\tD");
	}
	return blocked;
}

bool process_tree_is_blocked(pid_t pid)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	bool blocked = is_blocked(pid);

	(void)process_tree_below(pid, &pids, &n, &capacity);
	for (size_t i = 0; !blocked && i < n; i++)
		blocked = is_blocked(pids[i]);
	return blocked;
}

/*
 * When these end, their orphans become our children in turn. *told has those that got SIGTERM before: a program that tidies up then
 * must not be interrupted by another one.
 */
static void end_children(bool patient, pid_t **told, size_t *n_told)
{
	pid_t *children;
	size_t n;

	if (process_tree_children(&children, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (!patient)
			kill(children[i], SIGKILL);
		else if (!is_among(children[i], *told, *n_told))
			kill(children[i], SIGTERM);
	free(*told);
	*told = children;
	*n_told = n;
}

bool process_tree_end(pid_t command, int *ret_status)
{
	const struct timespec pause = {.tv_nsec = LOOK_AGAIN_NS};
	uint64_t deadline = monotonic_ms() + PATIENCE_MS, now = 0;
	_cleanup_free_ pid_t *told = NULL;
	size_t n_told = 0;
	bool ended;

	while (!process_tree_reap(command, &ended, ret_status)) {
		if (now >= deadline + PATIENCE_MS)
			return false;
		now = monotonic_ms();
		end_children(now < deadline, &told, &n_told);
		nanosleep(&pause, NULL);
	}
	return true;
}
