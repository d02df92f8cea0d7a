/* SPDX-License-Identifier: MIT */
/*
 * The steps of a recording: prepare, drop the cache, start the command, follow it to its milestone, restore everything.
 */
#include "record/record.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/child-signal.h"
#include "base/run/descriptors.h"
#include "base/run/process-tree.h"
#include "base/run/signals.h"
#include "base/times.h"
#include "record/backend.h"
#include "record/command/detach.h"
#include "record/command/terminal.h"
#include "record/command/window-watcher.h"
#include "record/disks/requests.h"

#define POLL_MS     40 /* the buffers hold far more than a command does in this time */
#define PROGRESS_MS 250
#define PATIENCE_MS 30000

static void session_release(struct session *session)
{
	command_release(&session->command);
	terminal_free(session->terminal);
	session->backend->release(session);
	opens_release(&session->opens);
	mounts_release(&session->mounts);
	record_trace_release(&session->trace);
	sleepers_release(&session->sleepers);
	if (session->signals < 0)
		return;
	close(session->signals);
	sigprocmask(SIG_SETMASK, &session->mask_before, NULL);
}

const char *record_step_text(enum record_step step)
{
	static const char *const texts[] = {
		[RECORD_STEP_PREPARE] = "get ready",
		[RECORD_STEP_TRACEFS] = "open tracefs",
		[RECORD_STEP_MOUNTS] = "read /proc/self/mountinfo",
		[RECORD_STEP_READ_AHEAD] = "switch read-ahead off",
		[RECORD_STEP_TRACER] = "set up tracing",
		[RECORD_STEP_FOLLOW] = "follow the command",
		[RECORD_STEP_COMMAND] = "prepare the command",
		[RECORD_STEP_DROP] = "drop the page cache",
		[RECORD_STEP_EXEC] = "run the command",
		[RECORD_STEP_RECORD] = "record",
		[RECORD_STEP_RESTORE] = "restore read-ahead and tracing",
		[RECORD_STEP_PROFILE] = "make the profile",
	};

	return texts[step];
}

static double now(void)
{
	return (double)monotonic_ns() / 1e9;
}

/* The process group of a command in a session of its own, to which our terminal sends no signals. 0: none. */
static volatile sig_atomic_t group;

/* A signal that came after the recording, for the processes that we still follow. 0: none. */
static volatile sig_atomic_t pending;

/* Once the command has been reaped, and nobody else is left in its group, strangers may get that number. */
static void forget_group(bool command_ended)
{
	if (command_ended && group > 0 && kill(-(pid_t)group, 0) < 0 && errno == ESRCH)
		group = 0;
}

static void pass_on(int signal_number)
{
	if (group > 0)
		kill(-(pid_t)group, signal_number);
	else
		pending = signal_number;
}

/* What is ignored already stays so. */
static void set_handler(int signal_number, void (*handler)(int))
{
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	if (!signal_is_ignored(signal_number))
		sigaction(signal_number, &action, NULL);
}

/* A terminal sends SIGINT and SIGQUIT to us and, unless it has a session of its own, to the command. */
static void heed_keyboard(const struct session *session)
{
	if (session->options->user)
		group = session->command.pid;
	/* What we follow dies with us. These act once the recording has ended and no longer blocks them. */
	if (session->options->user || session->follow) {
		set_handler(SIGTERM, pass_on);
		set_handler(SIGHUP, pass_on);
	}
	set_handler(SIGINT, session->options->user ? pass_on : SIG_IGN);
	set_handler(SIGQUIT, session->options->user ? pass_on : SIG_IGN);
}

static void tell(const struct session *session, bool begins)
{
	if (session->options->progress)
		session->options->progress(session->options->context,
			&(struct record_progress){
				.begins = begins,
				.seconds = begins ? 0 : now() - session->started,
				.events = session->trace.n_events,
				.files = session->opens.files.count,
				.terminal = session->terminal,
			});
}

static int start_command(struct session *session, enum record_step *step)
{
	const struct record_options *options = session->options;
	struct command_options command = {
		.path = options->path,
		.argv = options->argv,
		.user = options->user,
		.recording = options->recording,
		.traced = options->timeline,
		.needs_x11 = options->until.kind == MILESTONE_WINDOW,
		.mask = session->mask_before,
		.signals = session->signals,
		.patience_ms = PATIENCE_MS,
	};
	_cleanup_close_ int marker = -1;
	int r;

	*step = RECORD_STEP_TRACER;
	if (session->backend->marker) {
		marker = session->backend->marker(session);
		if (marker < 0)
			return marker;
	}
	command.filter = session->filter;
	*step = RECORD_STEP_COMMAND;
	r = process_tree_begin();
	if (r == 0 && options->user)
		r = terminal_new(options->user, &session->terminal);
	if (r < 0)
		return r;
	command.terminal = session->terminal;
	r = command_start(&command, marker, &session->command);
	if (r < 0)
		return r;
	/* From now on our terminal's modes are to be put back, and dropping the page cache may take long. */
	if (session->terminal) {
		heed_keyboard(session);
		r = terminal_relay(session->terminal);
	}
	if (r == 0)
		r = session->backend->begin(session, step);
	if (r < 0)
		return r;
	if (!session->terminal)
		heed_keyboard(session);
	*step = RECORD_STEP_EXEC;
	tell(session, true);
	session->started = session->last_event = now();
	return session->backend->go(session);
}

static void take_signal(struct session *session)
{
	struct signalfd_siginfo info;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		session->interrupted = true;
		if (!session->command_ended) /* otherwise another process may have its number by now */
			kill(session->command.pid, (int)info.ssi_signo);
	}
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&poll_fd, 1, 0) > 0;
}

/* Sees what has come from outside: a mark, or word of a window. */
static int look_outside(struct session *session)
{
	const struct record_options *options = session->options;
	int window = session_window(session), r;

	if (is_readable(options->mark) && options->marked(options->context))
		session->marked = true;
	if (!is_readable(window))
		return 0;
	r = window_watcher_seen(window);
	if (r < 0)
		return r;
	session->window_seen = true;
	return 0;
}

static const char *milestone_reached(const struct session *session)
{
	const struct record_options *options = session->options;
	double time = now();

	/* Both may have happened since we last looked: the start ended with what it was to end with. */
	if (options->until.kind == MILESTONE_MARK && session->marked)
		return "mark";
	if (options->until.kind == MILESTONE_WINDOW && session->window_seen)
		return "window";
	if (session->tree_ended)
		return "exit";
	/* A disk that is busy, or has to spin up, may take seconds for one read: a start that waits for it is not over. */
	if (options->until.kind == MILESTONE_IDLE && time - session->last_event >= options->until.seconds &&
		!process_tree_is_blocked(getpid()))
		return "idle";
	if (options->until.kind == MILESTONE_TIME && time - session->started >= options->until.seconds)
		return "time";
	if (time - session->started >= options->timeout)
		return "timeout";
	return NULL;
}

static int tell_watcher(struct session *session, uint64_t complete, bool last)
{
	const struct record_seen seen = {
		.trace = &session->trace,
		.files = &session->opens.files,
		.complete = complete,
		.began = (uint64_t)(session->started * 1e9),
		.last = last,
		.first = session->first,
	};

	return session->options->watch ? session->options->watch(session->options->context, &seen) : 0;
}

static int follow(struct session *session)
{
	double told = now();

	while (!session->milestone) {
		size_t before = session->trace.n_events;
		uint64_t complete = monotonic_ns();
		/* Gathers first: what has been touched so far comes before the signals and the mark. */
		int r = session->backend->gather(session, POLL_MS);

		if (r < 0)
			return r;
		if (session->trace.n_events > before)
			session->last_event = now();
		forget_group(session->command_ended);
		take_signal(session);
		if (session->interrupted)
			return -EINTR;
		r = look_outside(session);
		if (r < 0)
			return r;
		session->milestone = milestone_reached(session);
		r = tell_watcher(session, complete, false);
		if (r < 0)
			return r;
		if (r > 0 && !session->milestone)
			session->milestone = "stopped";
		if (now() - told >= PROGRESS_MS / 1e3) {
			tell(session, false);
			told = now();
		}
	}
	return 0;
}

static int make_results(struct session *session, struct record_result *result)
{
	int r = session_make_profile(session, result);

	if (r == 0 && !session->trace.requests_lost)
		r = requests_join(&session->trace, &result->disks);
	return r == 0 && session->options->timeline ? session_make_timeline(session, result) : r;
}

static int set_up(struct session *session, enum record_step *step)
{
	int r = 0;

	if (session->backend->looks) {
		*step = RECORD_STEP_MOUNTS;
		r = mounts_read(&session->mounts);
		opens_start_empty(&session->opens, &session->mounts);
	}
	return r == 0 && session->backend->set_up ? session->backend->set_up(session, step) : r;
}

/* Those that end a recording, but for what is ignored: `nohup headstart record` goes on when its terminal has gone. */
static int take_signals(struct session *session)
{
	static const int enders[] = {SIGTERM, SIGHUP};
	int signals[4] = {SIGCHLD};

	for (size_t i = 0, n = 1; i < sizeof(enders) / sizeof(*enders); i++)
		if (!signal_is_ignored(enders[i]))
			signals[n++] = enders[i];
	return signals_take(signals, &session->mask_before, &session->signals);
}

static int run(struct session *session, struct record_result *result, enum record_step *step)
{
	int r;

	*step = RECORD_STEP_PREPARE;
	r = take_signals(session);
	if (r < 0)
		return r;
	r = set_up(session, step);
	if (r < 0)
		return r;
	r = start_command(session, step);
	if (r < 0)
		return r;
	*step = RECORD_STEP_RECORD;
	r = follow(session);
	if (r < 0)
		return r;
	result->seconds = now() - session->started;
	r = session->backend->stop(session, step);
	if (r < 0)
		return r;
	*step = RECORD_STEP_PROFILE;
	r = session->options->watch ? tell_watcher(session, monotonic_ns(), true)
				    : make_results(session, result);
	result->pid = session->command.pid;
	result->status = session->status;
	session->backend->hand_over(session, result);
	if (result->running)
		result->terminal = TAKE_PTR(session->terminal);
	result->events = session->trace.n_events;
	return r < 0 ? r : 0;
}

int record_run(const struct record_options *options, struct record_result *ret, enum record_step *ret_step)
{
	static const struct backend *const backends[] = {
		[RECORD_BACKEND_EVENTS] = &backend_events,
		[RECORD_BACKEND_PTRACE] = &backend_ptrace,
		[RECORD_BACKEND_PAGEMAP] = &backend_pagemap,
	};
	_cleanup_(session_release) struct session session = {
		.options = options,
		.backend = backends[options->backend],
		.restore = RESTORE_INIT,
		.opens = OPENS_INIT,
		.command = COMMAND_INIT,
		.signals = -1,
	};
	struct record_result result = {0};
	enum record_step step;
	int r;

	descriptors_allow_all();
	/* What we follow dies with us, and so does a profile that is not made yet; and our terminal's modes are to be put back. */
	child_signal_ignore_pipe();
	/* If this fails, our own pages stay in the cache, and the profile says that some pages did. */
	detach_from_files();
	r = run(&session, &result, &step);
	if (r < 0) {
		record_result_release(&result);
		*ret_step = step;
		return r;
	}
	*ret = result;
	return 0;
}

int record_wait(struct record_result *result, bool kill_tree)
{
	int r = 0;

	if (kill_tree &&
		!(result->follow ? follow_end(result->follow)
				 : process_tree_end(result->pid, &result->status)))
		r = -EPERM;
	while (r == 0 && result->follow && !follow_all_ended(result->follow)) {
		r = follow_pump(result->follow, POLL_MS);
		if (r < 0)
			return r;
		forget_group(follow_command_ended(result->follow, &result->status));
		if (pending)
			follow_signal(result->follow, (int)pending);
		pending = 0;
	}
	if (result->follow)
		follow_command_ended(result->follow, &result->status);
	else if (result->running && !kill_tree)
		while (waitpid(result->pid, &result->status, 0) < 0)
			if (errno != EINTR)
				return -errno;
	result->running = false;
	group = 0;
	terminal_free(TAKE_PTR(result->terminal));
	follow_free(TAKE_PTR(result->follow));
	return r;
}

void record_result_release(struct record_result *result)
{
	profile_release(&result->profile);
	record_disks_release(&result->disks);
	timeline_release(&result->timeline);
	follow_notes_release(&result->following.notes);
	terminal_free(TAKE_PTR(result->terminal));
	follow_free(TAKE_PTR(result->follow));
}
