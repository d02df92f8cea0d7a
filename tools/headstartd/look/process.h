/* SPDX-License-Identifier: MIT */
/*
 * What /proc says of a process that has just executed a program. Nothing here waits for a disk, unless it says so. But all waits while the
 * process executes another program, which can last for ever (headstartd/look/looker.h), except for process_user(), process_login_user(),
 * process_shares_ids(), process_shares_mounts(), process_marks() and process_in_service().
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "plan/asked/asked.h"

struct process_seen {
	int32_t pid;
	uint64_t exec;        /* number of what it has executed, among all that the daemon has seen */
	const char *executed; /* borrowed: as passed to execve(2) */
	char program
		[PATH_MAX];   /* canonical: the program, or the script itself; a guess: process_executed() */
	char image[PATH_MAX]; /* canonical: the program, or the script's interpreter */
	int32_t parent;       /* 0: it has ended */
	uid_t user;           /* the real one, at that time */
	/* It has our root and namespaces, so that paths of its own, and its user, are ours as well; and `image` leads to what it executes. */
	bool here;
	bool fixed; /* nobody but root can change where the executed path leads; told by the looker alone */
	bool named; /* these two paths are names in our mount namespace; always if it is here (headstartd/look/elsewhere.h) */
};

/* Fills in *seen, of which pid, exec and executed are set. False: the process has ended. */
bool process_see(struct process_seen *seen);

/*
 * Whether it is `program` that was executed, or a script that has the interpreter that was. A link on the path can lead
 * elsewhere by the time we follow it. Reads scripts, so it may wait for a disk.
 */
bool process_executed(const struct process_seen *seen, const char *program);

/* How much it, and its children that it has waited for, have read from disks, in bytes. False: it has ended. */
bool process_bytes_read(int32_t pid, uint64_t *ret);

/* The real user; -1 if the process has ended. Before Linux 6.13 this can take long, as memory of the process may have to be given back. */
uid_t process_user(int32_t pid);

/* Who has logged in, in the session that it belongs to (pam_loginuid(8)); -1: nobody, or the process has ended. */
uid_t process_login_user(int32_t pid);

/* Whether its users are numbered as ours: only a privileged process can make another user namespace in which that is so. */
bool process_shares_ids(int32_t pid);

/* Whether it has our mounts, by the first that it sees. True also if it has ended. */
bool process_shares_mounts(int32_t pid);

/* By what two processes are told apart that may see other files, in little time. */
struct process_marks {
	uid_t owner; /* of the folder that /proc has of it: its effective user */
	int mount;   /* the first that it sees */
};

/* False if it has ended, or sees no mount, as below another root. */
bool process_marks(int32_t pid, struct process_marks *ret);

/* Who a process is. */
struct process_owner {
	uid_t user;
	gid_t group;
	uint64_t began; /* clock ticks since the machine was booted */
};

/*
 * False unless the user is one and not root: real, effective and saved ids are the same, also of the group. What was found out between
 * two calls with the same result is of that user.
 */
bool process_owner(int32_t pid, struct process_owner *ret);

/* Whether the shims start no prefetcher for it because it belongs to a service (format/surroundings.h). */
bool process_in_service(int32_t pid);

/*
 * Whether its environment says HEADSTART=off, or that 'headstart record' has started it; or cannot be read, as when the process has ended.
 * May wait for the process's memory.
 */
bool process_switched_off(int32_t pid);

/*
 * The arguments of the start, argv[0] first; without the interpreter's, unless `program` is the interpreter. The caller frees *ret, which ends
 * with NULL, and (*ret)[0], if any, which holds all texts. May wait for the process's memory. Returns 0 or negative errno.
 */
int process_arguments(const struct process_seen *seen, const char *program, char ***ret);
void process_arguments_free(char **arguments);

/*
 * Opens where the paths of a start's arguments lie, as plan/asked/asked.h wants it, `viewer` included. The caller releases *ret. Returns 0
 * or negative errno.
 */
int process_place(const struct process_seen *seen, uid_t viewer, struct asked_place *ret);
void process_place_release(struct asked_place *place);
