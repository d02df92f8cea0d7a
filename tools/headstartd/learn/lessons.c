/* SPDX-License-Identifier: MIT */
#include "headstartd/learn/lessons.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/run/process.h"
#include "base/strings.h"
#include "base/times.h"
#include "headstartd/carry/carry.h"
#include "headstartd/helpers/child.h"
#include "headstartd/learn/keep.h"
#include "headstartd/look/looker.h"
#include "headstartd/users/owners.h"
#include "lib/settings/settings.h"
#include "plan/store/store.h"
#include "record/events/execs.h"
#include "replace/publish.h"
#include "verb.h"

#define SAVE_MS  5000  /* what has changed is written so much later */
#define RETRY_MS 60000 /* after a tracer could not be made */
#define GRACE_MS 5000  /* for a child that is to end; it may hang */
#define FORGET_S 60    /* removing what is forgotten takes so long at most */
#define AGE_S    86400 /* how often we look for what is to be forgotten */

/* Many others would be forgotten for a start that takes very much. One that touches 66 MB takes some 150 KB. */
#define START_SHARE 64      /* at most so small a part of the budget is kept of it, … */
#define START_LEAST 1000000 /* … but so many bytes, however small the budget is */

static int open_folder(struct lessons *lessons)
{
	_cleanup_free_ char *state = NULL, *folder = NULL, *lock = NULL;
	int r = store_folder(&state);

	if (r < 0)
		return r;
	if (asprintf(&folder, "%s/learn", state) < 0 || asprintf(&lock, "%s/lock", folder) < 0 ||
		asprintf(&lessons->saver.path, "%s/known", folder) < 0)
		return -ENOMEM;
	r = make_folders_for_all(state);
	if (r == 0)
		r = make_folders(folder, 0700);
	if (r < 0)
		return r;
	lessons->lock = lock_file(lock);
	return lessons->lock < 0 ? lessons->lock : 0;
}

/* A damaged file is replaced at the next change. */
static void read_known(struct lessons *lessons)
{
	enum records_fault fault;
	int r = saver_read(&lessons->saver, &fault);

	if (r < 0) {
		verb_note(
			"'%s' cannot be read, and nothing is learnt: %s", lessons->saver.path, strerror(-r));
		lessons->enabled = false;
	}
	if (fault == RECORDS_DAMAGED)
		verb_note("'%s' is damaged: learning begins anew", lessons->saver.path);
	if (fault == RECORDS_NEWER) {
		verb_note("'%s' was written by a newer headstart: nothing is learnt", lessons->saver.path);
		lessons->enabled = false;
	}
}

static void find_again(void *context, const char *program, uint64_t key, uint64_t bytes)
{
	(void)known_learnt(context, program, key, 0, bytes, time(NULL));
}

/*
 * A daemon that was killed may have kept a start without noting that. Without the list, which was damaged or removed, what is stored would neither
 * age nor count for the budget.
 */
static void adopt(struct known *known)
{
	int64_t now = time(NULL);

	if (known->n == 0)
		(void)keep_each(find_again, known);
	for (size_t i = 0; i < known->n; i++) {
		struct known_program *item = &known->items[i];
		uint64_t bytes = item->learnt || item->key ? 0 : keep_find(item->path);

		if (bytes > 0)
			known_traced(known, item, bytes, now);
	}
}

int lessons_init(
	struct lessons *lessons, const struct carry *carry, int tracefs, bool enabled, uint64_t budget)
{
	int r;

	*lessons = (struct lessons){.enabled = enabled,
		.budget = budget,
		.lock = -1,
		.forgotten = -1,
		.last_age = -AGE_S,
		.tracing = {.carry = carry,
			.known = &lessons->known,
			.tracefs = tracefs,
			.keep_most = budget / START_SHARE > START_LEAST ? budget / START_SHARE : START_LEAST,
			.told = -1,
			.debts = TRACING_DEBTS},
		.saver = SAVER_INIT};
	lessons->saver.format = &known_format;
	lessons->saver.content = &lessons->known;
	lessons->saver.changed = &lessons->known.changed;
	lessons->saver.delay_ms = SAVE_MS;
	r = open_folder(lessons);
	if (r == 0)
		read_known(lessons);
	if (r == 0 && lessons->enabled)
		adopt(&lessons->known);
	return r;
}

static bool any_wants_trace(const struct known *known, int64_t now)
{
	for (size_t i = 0; i < known->n; i++)
		if (known_wants_trace(&known->items[i], now))
			return true;
	return false;
}

static bool wants_tracer(const struct lessons *lessons)
{
	return any_wants_trace(&lessons->known, time(NULL)) ||
		refinements_any_due(&lessons->refinements, monotonic_ms());
}

/* What others use now, they will not use for ever. */
static bool will_pass(int r)
{
	return r == -ENOMEM || r == -EMFILE || r == -ENFILE || r == -EBUSY;
}

static void prepare_tracer(struct lessons *lessons)
{
	uint64_t now = monotonic_ms();
	int r = lessons->prepare_ms > now ? 0 : tracing_prepare(&lessons->tracing, wants_tracer(lessons));

	if (will_pass(r))
		lessons->prepare_ms = now + RETRY_MS;
	else if (r < 0) {
		verb_note("cannot set up tracing, and nothing is learnt: %s", strerror(-r));
		lessons->enabled = false;
	}
}

static int remove_kept(const struct known_program *item)
{
	int r;

	if (!item->learnt)
		return 0;
	if (item->key)
		return keep_forget_start(item->path, item->key);
	r = keep_forget(item->path);
	if (r == 0)
		owners_forget(item->path);
	return r;
}

/* What the child tells of an item that it has removed. */
struct forgotten {
	uint64_t hash, key;
};

/* What cannot be removed now, as when others have the turn or the disk is full, stays in the daemon's list, and is tried another day. */
static _Noreturn void forget_all_due(struct lessons *lessons, int64_t now, int tell)
{
	struct known_program *item;

	alarm(FORGET_S);
	child_keep_only(tell);
	while ((item = known_next_to_forget(&lessons->known, lessons->budget, now))) {
		const struct forgotten forgotten = {.hash = item->hash, .key = item->key};

		if (remove_kept(item) == 0)
			(void)!write(tell, &forgotten, sizeof(forgotten));
		known_forget(&lessons->known, item);
	}
	_exit(0);
}

static void take_forgotten(struct lessons *lessons)
{
	struct forgotten forgotten;

	while (read(lessons->forgotten, &forgotten, sizeof(forgotten)) == sizeof(forgotten))
		for (size_t i = 0; i < lessons->known.n; i++) {
			struct known_program *item = &lessons->known.items[i];

			if (item->hash == forgotten.hash && item->key == forgotten.key) {
				known_forget(&lessons->known, item);
				break;
			}
		}
	close(TAKE_FD(lessons->forgotten));
	lessons->forgetting = 0;
	saver_note(&lessons->saver);
}

/* Files are removed in a child: without one of its starts, a program's plans are made anew. */
static void forget_some(struct lessons *lessons)
{
	int64_t now = calendar_today(&lessons->calendar);
	int ends[2];

	if (lessons_write(lessons) || lessons->others_write)
		return; /* the files are in use; later */
	lessons->last_age = now;
	if (now)
		known_believe(&lessons->known, now);
	if (!known_next_to_forget(&lessons->known, lessons->budget, now))
		return;
	/* All that the list can have fits into the pipe. */
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	lessons->forgotten = ends[0];
	lessons->forget_by_ms = monotonic_ms() + FORGET_S * 1000 + GRACE_MS;
	lessons->forgetting = fork();
	if (lessons->forgetting == 0)
		forget_all_due(lessons, now, ends[1]);
	close(ends[1]);
	if (lessons->forgetting < 0)
		take_forgotten(lessons);
}

static bool start_trace(struct lessons *lessons, const struct process_seen *seen, bool planned, bool refines)
{
	return !lessons_write(lessons) && !lessons->others_write &&
		tracing_begin(&lessons->tracing, seen, planned, refines);
}

static enum starts_role see_start(struct lessons *lessons, const struct process_seen *seen)
{
	const struct starts_process process = {.pid = seen->pid,
		.parent = seen->parent,
		.user = seen->user,
		.exec = seen->exec,
		.elsewhere = !seen->here};

	return starts_exec(&lessons->starts, &process, seen->program, monotonic_ms());
}

/*
 * A start of a program whose plan we have learnt. If that leads to plans of other starts, a helper tells the key of this one, and
 * what it reads all the same is what its plan would be good for. Without the events of pages that are in memory the recording
 * would lack what the plan has brought in, so nothing is traced then.
 */
static bool start_other(struct lessons *lessons, const struct process_seen *seen)
{
	const struct known_program *known = known_find(&lessons->known, seen->program, 0);

	if (!known || !known->learnt || see_start(lessons, seen) != STARTS_BEGINS)
		return false;
	starts_planned(&lessons->starts, seen->exec);
	return lessons->tracing.knows_keys && known_wants_start(&lessons->known, seen->program, time(NULL)) &&
		start_trace(lessons, seen, true, false);
}

/* What we have learnt was removed, as by 'headstart forget': it is learnt anew. With a key, only that start of a host. */
static void leave_what_was_removed(struct lessons *lessons, const char *program, uint64_t key)
{
	struct known_program *known = known_find(&lessons->known, program, key);

	if (!known || !known->learnt || (key ? keep_has_start(program, key) : keep_has(program)))
		return;
	known_forget(&lessons->known, known);
	saver_note(&lessons->saver);
}

bool lessons_exec(struct lessons *lessons, const struct process_seen *seen, bool planned)
{
	const struct known_program *known;

	if (!lessons->enabled || !seen->named)
		return false;
	if (planned) {
		known_started(&lessons->known, seen->program, 0, seen->user, time(NULL));
		saver_note(&lessons->saver);
		return start_other(lessons, seen);
	}
	if (see_start(lessons, seen) != STARTS_BEGINS)
		return false;
	leave_what_was_removed(lessons, seen->program, 0);
	known = known_find(&lessons->known, seen->program, 0);
	if (known && known_wants_trace(known, time(NULL)))
		start_trace(lessons, seen, false, false);
	return false;
}

bool lessons_know(const struct lessons *lessons, const char *program)
{
	return known_find(&lessons->known, program, 0);
}

void lessons_planned(struct lessons *lessons, const struct process_seen *seen)
{
	if (lessons->enabled && seen->named &&
		refinements_due(&lessons->refinements, seen->program, seen->user, monotonic_ms()) &&
		lessons->tracing.knows_keys)
		(void)start_trace(lessons, seen, false, true);
}

void lessons_served(struct lessons *lessons, const char *program, uid_t user)
{
	if (!lessons->enabled)
		return;
	known_started(&lessons->known, program, 0, user, time(NULL));
	saver_note(&lessons->saver);
}

/* Whose plan the helper looks at: a script's start may have that of its interpreter. */
static const char *program_of(const struct lessons *lessons, const struct start *start)
{
	const struct carry_helper *helper = carry_helper_of(lessons->tracing.carry, start->exec);

	return helper ? helper->program : start->program;
}

/*
 * All of it was in memory, so there is nothing to learn. The process may have executed another program by now, of which this says nothing.
 */
static void leave_warm_start(struct lessons *lessons, const struct carry_told *told)
{
	const struct tracing *tracing = &lessons->tracing;

	if (tracing->child && tracing->refines && tracing->exec == told->exec && told->outcome == CARRY_WARM)
		kill(tracing->child, SIGKILL);
}

void lessons_told(struct lessons *lessons, const struct carry_told *told)
{
	const struct start *start = starts_of(&lessons->starts, told->exec);
	const char *program;

	tracing_note_own(&lessons->tracing, told->user, (enum own_outcome)told->own);
	leave_warm_start(lessons, told);
	if (!lessons->enabled || !told->key || !start)
		return;
	program = program_of(lessons, start);
	if (told->own_plan)
		known_started(&lessons->known, program, told->key, start->user, time(NULL));
	else {
		if (streq(program, start->program))
			starts_asked(&lessons->starts, told->exec, told->key);
		leave_what_was_removed(lessons, program, told->key);
	}
	saver_note(&lessons->saver);
}

static bool bytes_of(void *context, int32_t pid, uint64_t *ret_bytes)
{
	struct lessons *lessons = context;

	return looker_bytes_read(lessons->looker, pid, ret_bytes);
}

static void judge(void *context, const struct start *start, uint64_t bytes)
{
	struct lessons *lessons = context;
	bool cold = known_is_cold(bytes);
	struct stranger stranger;

	if (!cold && !known_find(&lessons->known, start->program, start->key))
		return;
	/* A recording empties the page cache for itself: what is cold now says nothing. */
	if (cold && execs_recorder_runs(lessons->tracing.tracefs))
		return;
	/* Others could fill this with names of their choice, or have us wait for who serves them, … */
	if (stranger_find_cached(start->program, &stranger) < 0)
		return;
	/* … and see by its length whether a file exists that they cannot see: a program is what its path leads to when it is seen. */
	if (start->user != 0 && !start->elsewhere && hidden_from_others(start->program))
		return;
	if (!settings_permit(start->program, false).learn)
		return;
	(void)known_judge(&lessons->known, start->program, start->key, start->user, bytes, time(NULL));
}

uint64_t lessons_next_ms(const struct lessons *lessons)
{
	uint64_t look = starts_next_ms(&lessons->starts);

	if (!lessons->enabled)
		return UINT64_MAX;
	if (lessons->tracing.child && lessons->tracing.give_up_ms < look)
		look = lessons->tracing.give_up_ms;
	if (lessons->forgetting && lessons->forget_by_ms < look)
		look = lessons->forget_by_ms;
	return look < saver_next_ms(&lessons->saver) ? look : saver_next_ms(&lessons->saver);
}

static void give_up_trace(struct lessons *lessons)
{
	const struct tracing *tracing = &lessons->tracing;
	struct known_program *item;
	struct lesson lesson;

	tracing_read(tracing, &lesson);
	item = known_find(&lessons->known, tracing->program, lesson.key);
	if (tracing->refines)
		refinements_told(&lessons->refinements, tracing->program, tracing->user, REFINEMENT_SAME,
			monotonic_ms());
	else if (item && !item->learnt && !lesson.left)
		known_traced(&lessons->known, item, 0, time(NULL));
	if (tracing_give_up(&lessons->tracing))
		return;
	verb_note("traces do not end: nothing more is learnt");
	lessons->enabled = false;
}

void lessons_work(struct lessons *lessons)
{
	const struct starts_eyes eyes = {.bytes_of = bytes_of, .judge = judge, .context = lessons};
	int64_t now = calendar_today(&lessons->calendar);

	if (!lessons->enabled)
		return;
	if (lessons->tracing.child && lessons->tracing.give_up_ms <= monotonic_ms())
		give_up_trace(lessons);
	if (lessons->forgetting && lessons->forget_by_ms <= monotonic_ms())
		take_forgotten(lessons); /* it hangs */
	starts_look(&lessons->starts, monotonic_ms(), &eyes);
	if (now - lessons->last_age >= AGE_S || now < lessons->last_age)
		forget_some(lessons);
	prepare_tracer(lessons);
	saver_note(&lessons->saver);
	saver_work(&lessons->saver);
}

/* Also says so, once a start. */
static void take_lesson(struct lessons *lessons, const struct lesson *lesson)
{
	struct known_program *item = known_find(&lessons->known, lessons->tracing.program, lesson->key);
	int64_t now = time(NULL);

	if (item)
		known_traced(&lessons->known, item, lesson->kept.bytes, now);
	if (lesson->kept.bytes == 0)
		return;
	saver_hurry(&lessons->saver); /* at once: the plan is there already */
	if (!lesson->key && lesson->kept.key)
		(void)known_learnt(&lessons->known, lessons->tracing.program, lesson->kept.key,
			lessons->tracing.user, 0, now);
	if (!lessons->quiet)
		verb_note(lesson->key ? "learnt how '%s' starts with other arguments"
				      : "learnt how '%s' starts",
			lessons->tracing.program);
}

static void take_refined(struct lessons *lessons, const struct refined *refined)
{
	enum refinement what = !refined->learnt ? REFINEMENT_NOTHING
		: refined->better               ? REFINEMENT_BETTER
		: refined->changed              ? REFINEMENT_COUNTED
						: REFINEMENT_SAME;

	refinements_told(
		&lessons->refinements, lessons->tracing.program, lessons->tracing.user, what, monotonic_ms());
	if (!refined->changed)
		return;
	known_refined(&lessons->known, lessons->tracing.program, refined->key, refined->grown);
	if (refined->better && !lessons->quiet)
		verb_note("made the plan of '%s' more exact", lessons->tracing.program);
}

static void trace_ended(struct lessons *lessons)
{
	struct lesson lesson;

	tracing_read(&lessons->tracing, &lesson);
	if (lessons->tracing.refines)
		take_refined(lessons, &lesson.refined);
	else if (!lesson.left)
		take_lesson(lessons, &lesson);
	tracing_done(&lessons->tracing, &lesson);
	forget_some(lessons);
	prepare_tracer(lessons);
	saver_note(&lessons->saver);
}

bool lessons_child_ended(struct lessons *lessons, pid_t pid, int status)
{
	if (pid == lessons->forgetting)
		take_forgotten(lessons);
	else if (pid == lessons->tracing.child)
		trace_ended(lessons);
	else
		return saver_child_ended(&lessons->saver, pid, status);
	return true;
}

void lessons_release(struct lessons *lessons)
{
	tracing_release(&lessons->tracing);
	if (lessons->forgetting)
		(void)process_wait(lessons->forgetting, GRACE_MS); /* not for ever: it may hang */
	if (lessons->forgotten >= 0)
		take_forgotten(lessons);
	lessons->known.changed |= lessons->known.counted;
	saver_release(&lessons->saver, lessons->lock >= 0);
	if (lessons->lock >= 0)
		close(lessons->lock);
	known_release(&lessons->known);
	starts_release(&lessons->starts);
}
