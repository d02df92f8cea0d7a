/* SPDX-License-Identifier: MIT */
/*
 * The steps of a recording: prepare, drop the cache, start the command, follow it to its milestone, restore everything.
 */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/process-tree.h"
#include "base/times.h"
#include "record/command/detach.h"
#include "record/command/terminal.h"
#include "record/command/window-watcher.h"
#include "record/disks/requests.h"
#include "record/disks/sound.h"
#include "record/session.h"

#define POLL_MS     40 /* the buffers hold far more than a command does in this time */
#define PROGRESS_MS 250

static void session_release(struct session *session)
{
	command_release(&session->command);
	terminal_free(session->terminal);
	tracer_free(session->tracer);
	restore_release(&session->restore);
	opens_release(&session->opens);
	mounts_release(&session->mounts);
	record_trace_release(&session->trace);
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

static int take_signals(struct session *session)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &mask, &session->mask_before) < 0)
		return -errno;
	session->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->signals < 0 ? -errno : 0;
}

static int drop_page_cache(void)
{
	_cleanup_close_ int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	sync();
	return write_full(fd, "3", 1);
}

/* Does everything that must not cost the command time. The order matters: it is undone in the reverse order. */
static int set_up(struct session *session, enum record_step *step)
{
	const struct record_options *options = session->options;
	int r;

	*step = RECORD_STEP_TRACEFS;
	r = restore_init(&session->restore);
	if (r < 0)
		return r;
	*step = RECORD_STEP_MOUNTS;
	r = mounts_read(&session->mounts);
	if (r < 0)
		return r;
	*step = RECORD_STEP_READ_AHEAD;
	r = options->keep_read_ahead ? 0 : restore_choose_devices(&session->restore, &session->mounts);
	if (r == 0)
		r = restore_begin(&session->restore);
	if (r < 0)
		return r;
	*step = RECORD_STEP_TRACER;
	r = tracer_open(session->restore.tracefs, session->restore.instance,
		&(struct tracer_options){
			.source = options->page_cache_events ? TRACER_PAGE_CACHE : TRACER_BEST,
			.moments = options->timeline},
		&session->tracer);
	if (r < 0)
		return r;
	session->only_added = tracer_has_only_added(session->tracer);
	/* Without fanotify names are found by walking the file systems, which is slower. */
	opens_start(&session->opens, &session->mounts);
	return 0;
}

/* The process group of a command in a session of its own, to which our terminal sends no signals. 0: none. */
static volatile sig_atomic_t group;

static void pass_on(int signal_number)
{
	if (group > 0)
		kill(-(pid_t)group, signal_number);
}

/* A terminal sends SIGINT and SIGQUIT to us and, unless it has a session of its own, to the command. */
static void heed_keyboard(const struct session *session)
{
	struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

	if (!session->options->user) {
		action.sa_handler = SIG_IGN;
	} else {
		group = session->command.pid;
		/* These act once the recording has ended and no longer blocks them. */
		sigaction(SIGTERM, &action, NULL);
		sigaction(SIGHUP, &action, NULL);
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
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
		.needs_x11 = options->until.kind == MILESTONE_WINDOW,
		.mask = session->mask_before,
	};
	_cleanup_close_ int marker = tracer_marker(session->tracer);
	int32_t pid;
	int r;

	*step = RECORD_STEP_TRACER;
	if (marker < 0)
		return marker;
	*step = RECORD_STEP_COMMAND;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return -errno;
	r = options->user ? terminal_new(options->user, &session->terminal) : 0;
	if (r < 0)
		return r;
	command.terminal = session->terminal;
	r = command_start(&command, marker, &session->command);
	if (r == 0 && session->terminal)
		r = terminal_relay(session->terminal);
	if (r < 0)
		return r;
	*step = RECORD_STEP_TRACER;
	r = tracer_follow(session->tracer, &session->trace, &pid);
	if (r < 0)
		return r;
	session->first = pid;
	session->opens.everybody = pid != session->command.pid;
	*step = RECORD_STEP_DROP;
	r = options->keep_cache ? 0 : drop_page_cache();
	if (r < 0)
		return r;
	heed_keyboard(session);
	*step = RECORD_STEP_EXEC;
	tell(session, true);
	session->started = session->last_event = now();
	return command_go(&session->command);
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
	session->tree_ended =
		process_tree_reap(session->command.pid, &session->command_ended, &session->status);
}

static int gather(struct session *session)
{
	size_t before = session->trace.n_events;
	int r = tracer_drain(session->tracer, &session->trace);

	if (r == 0)
		r = opens_drain(&session->opens, &session->trace);
	if (session->trace.n_events > before)
		session->last_event = now();
	return r;
}

static const char *milestone_reached(const struct session *session)
{
	const struct record_options *options = session->options;
	double time = now();

	if (session->tree_ended)
		return "exit";
	if (options->until.kind == MILESTONE_MARK && session->marked)
		return "mark";
	if (options->until.kind == MILESTONE_WINDOW && session->window_seen)
		return "window";
	if (options->until.kind == MILESTONE_IDLE && time - session->last_event >= options->until.seconds)
		return "idle";
	if (options->until.kind == MILESTONE_TIME && time - session->started >= options->until.seconds)
		return "time";
	if (time - session->started >= options->timeout)
		return "timeout";
	return NULL;
}

static int follow(struct session *session)
{
	const struct record_options *options = session->options;
	double told = now();

	while (!session->milestone) {
		struct pollfd fds[] = {
			{.fd = session->signals, .events = POLLIN},
			{.fd = session->opens.fd, .events = POLLIN},
			{.fd = options->mark, .events = POLLIN},
			{.fd = options->until.kind == MILESTONE_WINDOW ? options->window : -1,
				.events = POLLIN},
		};
		int r;

		if (poll(fds, sizeof(fds) / sizeof(*fds), POLL_MS) < 0 && errno != EINTR)
			return -errno;
		/* Gathers first: the kernel's events so far come before the signals and the mark. */
		r = gather(session);
		if (r < 0)
			return r;
		take_signal(session);
		if (session->interrupted)
			return -EINTR;
		if ((fds[2].revents & POLLIN) && options->marked(options->context))
			session->marked = true;
		if (fds[3].revents) {
			r = window_watcher_seen(options->window);
			if (r < 0)
				return r;
			session->window_seen = true;
		}
		session->milestone = milestone_reached(session);
		if (now() - told >= PROGRESS_MS / 1e3) {
			tell(session, false);
			told = now();
		}
	}
	return 0;
}

/* Nothing that was touched is recorded any more. */
static int stop_disks(struct session *session)
{
	if (session->options->sound_disks && tracer_sees_disks(session->tracer))
		sound_disks(&session->opens.files);
	return tracer_stop_disks(session->tracer, &session->trace);
}

static int stop(struct session *session, enum record_step *step)
{
	int r;

	*step = RECORD_STEP_RECORD;
	r = tracer_stop(session->tracer, &session->trace);
	if (r == 0)
		r = opens_end(&session->opens, &session->trace);
	if (r == 0)
		r = stop_disks(session);
	tracer_free(TAKE_PTR(session->tracer));
	*step = r < 0 ? RECORD_STEP_RECORD : RECORD_STEP_RESTORE;
	return restore_end(&session->restore) ?: r;
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
	r = stop(session, step);
	if (r < 0)
		return r;
	*step = RECORD_STEP_PROFILE;
	r = session_make_profile(session, result);
	if (r == 0 && !session->trace.requests_lost)
		r = requests_join(&session->trace, &result->disks);
	if (r == 0 && session->options->timeline)
		r = session_make_timeline(session, result);
	result->pid = session->command.pid;
	result->status = session->status;
	result->running = !session->command_ended;
	if (result->running)
		result->terminal = TAKE_PTR(session->terminal);
	result->events = session->trace.n_events;
	return r;
}

int record_run(const struct record_options *options, struct record_result *ret, enum record_step *ret_step)
{
	_cleanup_(session_release) struct session session = {
		.options = options,
		.restore = RESTORE_INIT,
		.opens = OPENS_INIT,
		.command = COMMAND_INIT,
		.signals = -1,
	};
	struct record_result result = {0};
	enum record_step step;
	int r;

	/* If this fails, our own pages stay in the cache, and the profile says that some pages did. */
	detach_from_files();
	r = run(&session, &result, &step);
	if (r < 0) {
		profile_release(&result.profile);
		record_disks_release(&result.disks);
		timeline_release(&result.timeline);
		*ret_step = step;
		return r;
	}
	*ret = result;
	return 0;
}

int record_wait(struct record_result *result, bool kill_tree)
{
	if (kill_tree)
		process_tree_end(result->pid, &result->status);
	else if (result->running)
		while (waitpid(result->pid, &result->status, 0) < 0)
			if (errno != EINTR)
				return -errno;
	result->running = false;
	group = 0;
	terminal_free(TAKE_PTR(result->terminal));
	return 0;
}
