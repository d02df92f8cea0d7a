/* SPDX-License-Identifier: MIT */
#include "headstartd/look/looker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/times.h"
#include "headstartd/helpers/child.h"
#include "headstartd/look/elsewhere.h"
#include "verb.h"

/* In place of a user, of processes in other namespaces: a user may have many ids there, or another one the same. */
#define OTHER_IDS    ((uid_t)-1)
#define OTHER_MOUNTS ((uid_t)-2)

/*
 * In place of the user of a process that has ended before we could blame it. While anybody owes something, we ask for the user of each
 * process before we look at it (avoids()), so the next one cannot do the same.
 */
#define ENDED ((uid_t)-3)

#define ANSWER_MS 1000
#define LATE_NS   5000000  /* less is no wait: the kernel counts late what has run */
#define LONG_NS   10000000 /* a look runs for less than a millisecond; a hypervisor may take some, too */
#define STEPS_MAX 16       /* of a path of which we find out who can change where it leads */

enum question { QUESTION_SEE, QUESTION_BYTES };

/* Memory of both processes. Each child has its own: one that was given up may still write to it. */
struct looker_desk {
	char executed[PATH_MAX];
	struct process_seen seen; /* the question is about the process seen.pid */
	uint64_t bytes;
	uint64_t taken_ms; /* by waiting for the process, and not for a processor, or by running for long */
	bool found;
};

/*
 * Nanoseconds in which this process has run, and in which it has neither run nor waited for a processor, of which only differences mean
 * anything; zeros if the kernel does not count them (CONFIG_SCHED_INFO). /proc/PID/schedstat: Documentation/scheduler/sched-stats.rst.
 */
struct times {
	int64_t ran, idle;
};

static struct times times_now(int schedstat)
{
	long long ran, delayed;
	struct timespec now;
	char text[128];
	ssize_t n = pread(schedstat, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%lld %lld", &ran, &delayed) != 2 || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return (struct times){0};
	return (struct times){.ran = ran, .idle = now.tv_sec * 1000000000LL + now.tv_nsec - ran - delayed};
}

static uint64_t taken_ms(const struct times *before, const struct times *after)
{
	int64_t idle = after->idle - before->idle, ran = after->ran - before->ran;

	return (uint64_t)((idle >= LATE_NS ? idle : 0) + (ran >= LONG_NS ? ran : 0)) / 1000000;
}

/* Each step can lead to another mount, and finding out whose that is takes long: its user could make the path as long as they like. */
static bool is_short(const char *path)
{
	unsigned steps = 0;

	for (const char *at = path; (at = strchr(at, '/')); at++)
		steps++;
	return steps <= STEPS_MAX && !strstr(path, "/..");
}

static bool is_fixed(const struct process_seen *seen)
{
	struct stranger stranger;

	return seen->here && seen->executed[0] == '/' && is_short(seen->executed) &&
		stranger_find_unasked(seen->executed, &stranger) == 0;
}

static void answer(struct looker_desk *desk, char question)
{
	desk->seen.executed = desk->executed;
	desk->found = question == QUESTION_SEE ? process_see(&desk->seen)
					       : process_bytes_read(desk->seen.pid, &desk->bytes);
	if (question == QUESTION_SEE && desk->found && !desk->seen.here)
		(void)elsewhere_see(&desk->seen);
	if (question == QUESTION_SEE && desk->found)
		desk->seen.fixed = is_fixed(&desk->seen);
}

static _Noreturn void look(pid_t daemon, int socket, struct looker_desk *desk)
{
	struct times before, after;
	char question;
	int schedstat;

	child_begin(daemon, SIGKILL, 0);
	child_keep_only(socket);
	prctl(PR_SET_NAME, "headstart-look"); /* it stays, unlike all other children */
	schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	while (recv(socket, &question, 1, 0) == 1) {
		before = times_now(schedstat);
		answer(desk, question);
		after = times_now(schedstat);
		desk->taken_ms = taken_ms(&before, &after);
		if (send(socket, &question, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	_exit(0);
}

void looker_release(struct looker *looker)
{
	if (looker->child)
		kill(looker->child, SIGKILL);
	if (looker->socket >= 0)
		close(TAKE_FD(looker->socket));
	if (looker->desk)
		munmap(TAKE_PTR(looker->desk), sizeof(*looker->desk));
	subordinates_release(&looker->subordinates);
	looker->child = 0;
}

static int make_desk(struct looker_desk **ret)
{
	void *desk = mmap(NULL, sizeof(**ret), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (desk == MAP_FAILED)
		return -errno;
	*ret = desk;
	return 0;
}

static bool begin(struct looker *looker)
{
	const struct timeval patience = {.tv_sec = ANSWER_MS / 1000};
	_cleanup_close_ int its = -1;
	pid_t daemon = getpid();
	int ends[2];

	looker_release(looker);
	if (make_desk(&looker->desk) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	looker->socket = ends[0];
	its = ends[1];
	if (setsockopt(looker->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return false;
	looker->child = fork();
	if (looker->child == 0)
		look(daemon, its, looker->desk);
	if (looker->child < 0)
		looker->child = 0;
	return looker->child > 0;
}

/* Ranges of such ids may overlap with the ids of real users, who have logged in as what they are. */
static bool is_subordinate(struct looker *looker, int32_t pid, uid_t user)
{
	return subordinates_have(&looker->subordinates, user, monotonic_ms()) &&
		process_login_user(pid) != user;
}

/*
 * Nothing of what this reads waits for the process. Only a privileged process can make another mount namespace in which users are
 * numbered as ours: containers of root's, and services. Who can make others stops none of these.
 */
static uid_t user_of(struct looker *looker, int32_t pid)
{
	uid_t user = process_user(pid);

	if (user == (uid_t)-1)
		return ENDED;
	if (!process_shares_ids(pid) || is_subordinate(looker, pid, user))
		return OTHER_IDS;
	return process_shares_mounts(pid) ? user : OTHER_MOUNTS;
}

static bool is_user(uid_t user)
{
	return user < ENDED;
}

/*
 * Whether the process is to be left alone. If somebody has kept us waiting of late, it is found out before whose it is: a process could
 * end just before it is blamed.
 */
static bool avoids(struct looker *looker, int32_t pid, uint64_t now)
{
	looker->knows_user = looker->debts.last_ms > now;
	if (looker->knows_user)
		looker->user = user_of(looker, pid);
	return looker->knows_user && debts_owes(&looker->debts, looker->user, now);
}

/* An answer did not come. */
static void avoid(struct looker *looker, int32_t pid)
{
	uid_t user = looker->knows_user ? looker->user : user_of(looker, pid);

	(void)debts_add(&looker->debts, user, ANSWER_MS + LOOKER_CREDIT, monotonic_ms());
	if (user == ENDED)
		verb_note("process %d could not be looked at, and has ended", (int)pid);
	else if (!is_user(user))
		verb_note(
			"process %d, in other namespaces, cannot be looked at: such programs are "
			"left alone for a minute",
			(int)pid);
	else
		verb_note(
			"process %d cannot be looked at: programs of its user '%u' are left alone for a minute",
			(int)pid, (unsigned)user);
}

/* The answer may have come late. Root's programs are many, and wait for each other on a busy machine. */
static void charge(struct looker *looker, int32_t pid, uint64_t taken_ms)
{
	uid_t user = taken_ms == 0 ? 0 : looker->knows_user ? looker->user : user_of(looker, pid);

	if (user != 0 && debts_add(&looker->debts, user, taken_ms, monotonic_ms()) && is_user(user))
		verb_note("looking at programs of user '%u' takes long: they are left alone for a while",
			(unsigned)user);
}

/* Of the process desk->seen.pid. Returns whether the child has found it. */
static bool ask(struct looker *looker, enum question question)
{
	int32_t pid = looker->desk->seen.pid;
	char byte = (char)question;

	errno = 0; /* recv(2) leaves it alone if the child has ended, which is no user's fault */
	if (send(looker->socket, &byte, 1, MSG_NOSIGNAL) == 1 && recv(looker->socket, &byte, 1, 0) == 1) {
		charge(looker, pid, looker->desk->taken_ms);
		return looker->desk->found;
	}
	if (errno == EAGAIN)
		avoid(looker, pid);
	looker_release(looker);
	return false;
}

/* One that has ended need not be asked for. */
static bool may_ask(struct looker *looker, int32_t pid)
{
	return (kill(pid, 0) == 0 || errno != ESRCH) && !avoids(looker, pid, monotonic_ms()) &&
		(looker->child || begin(looker));
}

bool looker_see(struct looker *looker, struct process_seen *seen)
{
	const char *executed = seen->executed;
	uint64_t exec = seen->exec;

	if (!may_ask(looker, seen->pid))
		return false;
	looker->desk->seen.pid = seen->pid;
	snprintf(looker->desk->executed, PATH_MAX, "%s", executed);
	if (!ask(looker, QUESTION_SEE))
		return false;
	/* A user has many of these, each of which would have a share of all that users share. */
	if (looker->desk->seen.here && is_subordinate(looker, seen->pid, looker->desk->seen.user))
		return false;
	*seen = looker->desk->seen;
	seen->executed = executed;
	seen->exec = exec;
	return true;
}

bool looker_bytes_read(struct looker *looker, int32_t pid, uint64_t *ret)
{
	if (!may_ask(looker, pid))
		return false;
	looker->desk->seen.pid = pid;
	if (!ask(looker, QUESTION_BYTES))
		return false;
	*ret = looker->desk->bytes;
	return true;
}

bool looker_child_ended(struct looker *looker, pid_t pid)
{
	if (pid != looker->child)
		return false;
	looker->child = 0;
	return true;
}
