/* SPDX-License-Identifier: MIT */
/*
 * The processes that a command starts, for its parent. The parent is a child subreaper: every orphan of the tree becomes its
 * child, and the tree has ended when no child is left. It may have had children before, as in `server & exec headstart …`:
 * these are no part of the tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Makes this process a child subreaper (PR_SET_CHILD_SUBREAPER), and leaves out the children that it has already, here and in
 * what the functions below find, end, or wait for. Call it before the command is forked. Returns 0 or negative errno.
 */
int process_tree_begin(void);

/* Whether the process was a child before process_tree_begin(). */
bool process_tree_is_other(pid_t pid);

/* Reaps the children that have ended. Fills in *ret_status if `command` is among them. Returns whether none is left. */
bool process_tree_reap(pid_t command, bool *ret_ended, int *ret_status);

/* Whether none is left, for a caller that reaps them itself. False where the kernel has no list of them. */
bool process_tree_ended(void);

/*
 * The children that have not been reaped. *ret is the caller's to free. Returns 0 or negative errno; -ENOENT where the
 * kernel has no list of them (CONFIG_PROC_CHILDREN).
 */
int process_tree_children(pid_t **ret, size_t *ret_n);

/* The parent of a process; 0 if the process has ended, or its parent is in another PID namespace. */
pid_t process_parent(pid_t pid);

/*
 * Appends the children of the process, those of its other threads too, and theirs, to *pids, which is the caller's to
 * free: at most PROCESS_TREE_MAX. The caller itself and what is below it are left out of others' trees: a watcher that watched
 * itself would see its own reading, without end. Returns 0, -ENOMEM, or -ENOENT: it has ended, or as above.
 */
#define PROCESS_TREE_MAX 4096
int process_tree_below(pid_t pid, pid_t **pids, size_t *n, size_t *capacity);

/* The same for the children alone. */
int process_tree_children_of(pid_t pid, pid_t **pids, size_t *n, size_t *capacity);

/* Whether a thread of the process, or of one below it, waits for a disk or for whoever serves a file (uninterruptible sleep, state D). */
bool process_tree_is_blocked(pid_t pid);

/*
 * Ends the tree: sends SIGTERM, and after five seconds SIGKILL to the processes that are left. Reaps them.
 * *ret_status is the command's, if it has not been reaped before. Returns whether none is left: after five more seconds it gives up, as for
 * set-user-ID programs, which not everybody may end.
 */
bool process_tree_end(pid_t command, int *ret_status);
