/* SPDX-License-Identifier: MIT */
#include "headstartd/learn/tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/run/process.h"
#include "base/times.h"
#include "format/kill-switch.h"
#include "headstartd/carry/carry.h"
#include "headstartd/helpers/child.h"
#include "headstartd/users/owners.h"
#include "learn/known.h"
#include "lib/settings/settings.h"
#include "record/events/execs.h"
#include "record/events/tracer.h"
#include "record/running/watch.h"

#define IDLE_S    3  /* a start is over when it has touched nothing new for so long */
#define TIMEOUT_S 15 /* … or at last */
/* Until the child ends itself: compiling reads the places of files on a disk that may be busy. */
#define TRACER_S 120
/* … and until we believe that it cannot: it waits for memory of the program that does not come. */
#define GRACE_MS 5000
#define GIVE_UP  4 /* children that may hang, each with an instance of its own */

static void remove_instance(const struct tracing *tracing)
{
	char path[96];

	snprintf(path, sizeof(path), "instances/%s", tracing->instance);
	unlinkat(tracing->tracefs, path, AT_REMOVEDIR);
}

static void release_tracer(struct tracing *tracing)
{
	if (!tracing->tracer)
		return;
	tracer_free(TAKE_PTR(tracing->tracer));
	remove_instance(tracing);
}

int tracing_prepare(struct tracing *tracing, bool wanted)
{
	const struct tracer_options options = {.light = true};
	_cleanup_close_ int lock = -1;
	char ours[32];
	int r;

	if (tracing->child)
		return 0;
	if (!wanted) {
		release_tracer(tracing);
		return 0;
	}
	if (tracing->tracer)
		return 0;
	lock = execs_lock(tracing->tracefs);
	/* An instance that some child still has open stays, and is no longer as new. */
	snprintf(ours, sizeof(ours), "headstartd-%d-watch", getpid());
	execs_sweep(tracing->tracefs, ours);
	snprintf(tracing->instance, sizeof(tracing->instance), "%s-%u", ours, tracing->made++);
	r = tracer_open(tracing->tracefs, tracing->instance, &options, &tracing->tracer);
	if (r < 0) {
		tracing->tracer = NULL;
		remove_instance(tracing);
		return r;
	}
	tracing->knows_keys = !tracer_has_only_added(tracing->tracer);
	return 0;
}

static bool allowed(const struct process_seen *seen)
{
	return access(KILL_SWITCH, F_OK) < 0 && !process_switched_off(seen->pid) &&
		settings_permit(seen->program, false).learn;
}

/*
 * Whether the program is there, everybody may know that, nobody but root can change it, and it is what was executed. A name that leads to nothing
 * has no stranger either, if only root can make something there.
 */
static bool can_be_learnt(const struct process_seen *seen)
{
	struct stranger stranger;

	return stranger_find(seen->program, &stranger) == 0 && access(seen->program, F_OK) == 0 &&
		may_show_of(seen->program, seen->program) && process_executed(seen, seen->program);
}

/* The start that is traced. */
struct traced {
	char **arguments;           /* owned */
	struct asked_place place;   /* owned: of the arguments */
	struct process_owner owner; /* who may have their own files kept; user 0: nobody */
};

static void traced_release(struct traced *traced)
{
	process_arguments_free(traced->arguments);
	process_place_release(&traced->place);
}

/*
 * Whose start it is, if this user's own files are kept: in a session, not in a service, where no shim would use the plan. The arguments
 * were read before, and are of the same process if it is the same `owner`.
 */
static bool find_owner(const struct tracing *tracing, int32_t pid, struct process_owner *owner)
{
	const struct process_owner before = *owner;

	return process_owner(pid, owner) && owner->user == before.user && owner->group == before.group &&
		owner->began == before.began && late_allows(&tracing->late, owner->user) &&
		!process_in_service(pid);
}

static int look_at_start(const struct tracing *tracing, const struct process_seen *seen, struct traced *ret)
{
	struct process_owner owner = {0};

	(void)process_owner(seen->pid, &owner);
	if (!allowed(seen) || !can_be_learnt(seen) ||
		process_arguments(seen, seen->program, &ret->arguments) < 0 ||
		process_place(seen, seen->user, &ret->place) < 0)
		return -ESRCH;
	/* A process here may have become another user's since it was seen, and its arguments with it. */
	if (seen->here && process_user(seen->pid) != seen->user)
		return -ESRCH;
	if (seen->here && find_owner(tracing, seen->pid, &owner))
		ret->owner = owner;
	return 0;
}

/* What the user's start touched of their own is for them alone, with the files of everybody's plan. */
static void keep_own(const struct traced *traced, const struct profile *recording,
	struct watch_result *result, struct lesson *lesson)
{
	_cleanup_(profile_releasep) struct profile public = {0};

	/* A recording of a program that root alone can reach names what others cannot see (base/paths/hidden.h). */
	if (!traced->owner.user || result->own.n_files == 0 || closed_to_others(recording->program) ||
		keep_name_start(&result->own, (const char *const *)traced->arguments, traced->place.folder) <
			0 ||
		profile_copy(recording, &public) < 0 || own_take_public(&public, &result->own) < 0)
		return;
	lesson->user = traced->owner.user;
	lesson->own = own_keep(&traced->owner, &public, &result->own, result->found);
	if (lesson->own == OWN_HAS)
		owners_note(lesson->user, recording->program);
}

/* Keeps the start if it is cold. */
static void trace(
	struct tracing *tracing, const struct process_seen *seen, uint64_t key, struct lesson *lesson)
{
	_cleanup_(traced_release) struct traced traced = {.place = ASKED_PLACE_HERE};
	_cleanup_(watch_result_release) struct watch_result result = {0};
	_cleanup_(profile_releasep) struct profile public = {0};
	struct watch_options options = {
		.pid = seen->pid, .program = seen->program, .idle = IDLE_S, .timeout = TIMEOUT_S};

	if (look_at_start(tracing, seen, &traced) < 0)
		return;
	options.argv = (const char *const *)traced.arguments;
	options.user = traced.owner.user;
	/* If somebody opens so many files that some are lost, a later start is learnt. */
	if (watch_run(tracing->tracer, &options, &result) < 0 || !known_is_cold(result.bytes_added) ||
		(result.profile.bias & PROFILE_BIAS_LOST))
		return;
	if (result.own.n_files > 0 && profile_copy(&result.profile, &public) < 0)
		return;
	lesson->kept =
		keep_start(&result.profile, options.argv, &traced.place, key, seen->user, tracing->keep_most);
	if (lesson->kept.bytes > 0)
		keep_own(&traced, &public, &result, lesson);
}

/* Watches a start that has a plan. */
static void refine(struct tracing *tracing, const struct process_seen *seen, struct lesson *lesson)
{
	_cleanup_(traced_release) struct traced traced = {.place = ASKED_PLACE_HERE};
	_cleanup_(watch_result_release) struct watch_result result = {0};
	struct refining refining = {.program = seen->program};
	struct watch_options options = {.pid = seen->pid,
		.program = seen->program,
		.idle = IDLE_S,
		.timeout = TIMEOUT_S,
		.no_landmarks = true};

	if (look_at_start(tracing, seen, &traced) < 0)
		return;
	refining.argv = options.argv = (const char *const *)traced.arguments;
	refining.place = traced.place;
	options.user = traced.owner.user;
	if (watch_run(tracing->tracer, &options, &result) == 0 && refining_load(&refining))
		lesson->refined = refining_finish(&refining, &result.profile, result.found);
	/* What root has recorded is better than what we have learnt: no plan of the user's takes its place. */
	if (lesson->refined.learnt && refining.recording->bias & PROFILE_BIAS_LEARNT)
		keep_own(&traced, refining.recording, &result, lesson);
	refining_release(&refining);
}

/* Whether this start of a program that has a plan is one that we want to know. */
static bool is_wanted(const struct tracing *tracing, const struct process_seen *seen, uint64_t *ret_key)
{
	struct carry_told start = {0};
	const struct known_program *known;

	carry_find_key(tracing->carry, seen, &start);
	known = start.key && !start.own_plan ? known_find(tracing->known, seen->program, start.key) : NULL;
	*ret_key = start.key;
	return known && known_wants_trace(known, time(NULL));
}

/* `planned`: the program has a plan, which is carried out unless this is a start that we want to know. */
static _Noreturn void be_tracer(
	struct tracing *tracing, const struct process_seen *seen, bool planned, int tell)
{
	struct lesson lesson = {0};

	child_begin(tracing->carry->daemon, SIGKILL, TRACER_S);
	if (planned) {
		lesson.left = !is_wanted(tracing, seen, &lesson.key);
		(void)!write(tell, &lesson, sizeof(lesson));
		if (lesson.left)
			carry_help(tracing->carry, seen, seen->program);
	}
	if (tracing->refines)
		refine(tracing, seen, &lesson);
	else
		trace(tracing, seen, lesson.key, &lesson);
	_exit(write(tell, &lesson, sizeof(lesson)) != sizeof(lesson));
}

bool tracing_allows(const struct tracing *tracing, uid_t user)
{
	return user == 0 ||
		(late_allows(&tracing->hanging, user) && !debts_owes(&tracing->debts, user, monotonic_ms()));
}

bool tracing_begin(struct tracing *tracing, const struct process_seen *seen, bool planned, bool refines)
{
	int ends[2];

	if (!tracing->tracer || !tracing_allows(tracing, seen->user) ||
		execs_recorder_runs(tracing->tracefs) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	tracing->user = seen->user;
	tracing->program = strdup(seen->program);
	tracing->exec = seen->exec;
	tracing->refines = refines;
	tracing->child = tracing->program ? fork() : -1;
	if (tracing->child == 0)
		be_tracer(tracing, seen, planned, ends[1]);
	close(ends[1]);
	tracing->told = ends[0];
	tracing->began_ms = monotonic_ms();
	tracing->give_up_ms = tracing->began_ms + TRACER_S * 1000 + GRACE_MS;
	if (tracing->child > 0)
		return true;
	tracing->child = 0;
	close(TAKE_FD(tracing->told));
	free(TAKE_PTR(tracing->program));
	return false;
}

void tracing_read(const struct tracing *tracing, struct lesson *ret)
{
	struct lesson next;

	*ret = (struct lesson){0};
	while (read(tracing->told, &next, sizeof(next)) == sizeof(next))
		*ret = next;
}

void tracing_note_own(struct tracing *tracing, uid_t user, enum own_outcome own)
{
	if (own == OWN_LATE || own == OWN_STUCK)
		late_note(&tracing->late, user, own == OWN_STUCK);
}

void tracing_done(struct tracing *tracing, const struct lesson *lesson)
{
	uint64_t now = monotonic_ms();

	if (tracing->user != 0)
		(void)debts_add(&tracing->debts, tracing->user, now - tracing->began_ms, now);
	tracing_note_own(tracing, lesson->user, lesson->own);
	tracing->child = 0;
	close(TAKE_FD(tracing->told));
	free(TAKE_PTR(tracing->program));
	release_tracer(tracing);
}

/* Nothing is read of it: the pipe is as open as it is. */
bool tracing_give_up(struct tracing *tracing)
{
	tracing_done(tracing, &(struct lesson){0});
	late_note(&tracing->hanging, tracing->user, true);
	return ++tracing->given_up < GIVE_UP;
}

void tracing_release(struct tracing *tracing)
{
	if (tracing->child) {
		kill(tracing->child, SIGKILL);
		(void)process_wait(tracing->child, GRACE_MS); /* not for ever: it may hang */
	}
	release_tracer(tracing);
	if (tracing->told >= 0)
		close(tracing->told);
	free(tracing->program);
}
