/* SPDX-License-Identifier: MIT */
/* headstartd: sees the programs that are executed, carries out their plans, and learns how others start. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/run/descriptors.h"
#include "base/run/signals.h"
#include "base/texts/daemon-note.h"
#include "base/times.h"
#include "format/kill-switch.h"
#include "format/surroundings.h"
#include "headstartd/ahead/idle.h"
#include "headstartd/carry/carry.h"
#include "headstartd/learn/lessons.h"
#include "headstartd/look/lately.h"
#include "headstartd/look/looker.h"
#include "headstartd/look/process.h"
#include "headstartd/users/for-user.h"
#include "lib/files/stranger-refusal.h"
#include "lib/programs/notify.h"
#include "record/events/execs.h"
#include "record/restore/kernelfs.h"
#include "replace/publish.h"
#include "verb.h"

#define INSTANCES   "headstartd-" /* followed by our process number */
#define NOTE_MS     1000          /* the note is at most so old while something happens */
#define SWITCHES_MS 1000          /* how often the kill switch is looked at, at most */

/*
 * Looks cost so long a rest each. What is executed meanwhile does not wake us, and most of it has ended by then; a cold start lasts much
 * longer. After a quiet time a few looks come at once, since a program may be executed by way of others.
 */
#define REST_MS   20
#define CREDIT_MS 80

#define BUDGET_MB   256
#define DESCRIPTORS 16 /* that it opens at least, beside one for each processor */

static const char help[] =
	"usage: headstartd [OPTION…]\n"
	"Sees every program that is executed, carries out its plan if it has one and is cold, and learns how\n"
	"programs without a plan start. Runs in the foreground, as root, until SIGTERM or SIGINT.\n"
	"\n"
	"options:\n"
	"      --budget MB  keep at most MB megabytes of what was learnt (default: 256)\n"
	"      --no-learn   only carry plans out\n"
	"      --sweep      remove what a killed daemon has left in tracefs, and exit\n"
	"  -q, --quiet      say nothing of single starts\n"
	"  -h, --help       print this\n"
	"      --version    print the version\n";

struct daemon {
	bool learn, quiet;
	uint64_t budget; /* bytes */
	int tracefs;
	struct execs *execs;
	struct looker looker;
	struct lately lately;
	struct carry carry;
	struct lessons lessons;
	struct idle idle;
	int signals; /* signalfd */
	uint64_t n_execs;
	int64_t since;                 /* seconds since the epoch */
	uint64_t note_ms, switches_ms; /* when the note was written, and the switches were looked at */
	uint64_t rests_until_ms;       /* from looking at what is executed */
	bool note_old, off, ended;
};

static int parse(int argc, char **argv, struct daemon *daemon, bool *ret_sweep)
{
	static const struct option longs[] = {
		{"budget", required_argument, NULL, 'b'},
		{"no-learn", no_argument, NULL, 'n'},
		{"sweep", no_argument, NULL, 's'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	const char *culprit;
	unsigned long long megabytes;
	int option;

	while ((option = verb_getopt(argc, argv, ":hq", longs, &culprit)) >= 0) {
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? help : "headstartd " HEADSTART_VERSION "\n", stdout);
			return verb_flush() == 0 ? -1 : VERB_FAILED;
		}
		if (option == 's')
			*ret_sweep = true;
		if (option == 'n')
			daemon->learn = false;
		if (option == 'q')
			daemon->quiet = true;
		if (option == 'b' && (!verb_parse_u64(optarg, &megabytes) || megabytes > UINT32_MAX))
			culprit = optarg;
		else if (option == 'b')
			daemon->budget = megabytes * 1000000;
		if (option == '?' || option == ':' || (option == 'b' && culprit == optarg)) {
			fprintf(stderr, "headstartd: %s '%s'; see 'headstartd --help'\n",
				option == '?'           ? "unknown option"
					: option == ':' ? "a value is missing after"
							: "not a number of megabytes:",
				culprit);
			return VERB_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "headstartd: unexpected argument '%s'; see 'headstartd --help'\n",
			argv[optind]);
		return VERB_USAGE;
	}
	return 0;
}

/* Removes what killed daemons have left, and makes our own instance. */
static int see_execs(struct daemon *daemon)
{
	_cleanup_close_ int lock = execs_lock(daemon->tracefs);
	char name[64];
	int r;

	execs_sweep(daemon->tracefs, INSTANCES);
	snprintf(name, sizeof(name), INSTANCES "%d", getpid());
	r = execs_open(daemon->tracefs, name, &daemon->execs);
	if (r < 0)
		execs_sweep(daemon->tracefs, INSTANCES);
	return r;
}

static int fail_tracefs(int err)
{
	if (err == -EPERM || err == -EACCES)
		return verb_fail(
			"the kernel refuses tracing: in a container, run headstartd with all privileges");
	if (err == -ENODEV || err == -ENOENT)
		return verb_fail(
			"this kernel has no tracefs, or no events of programs (CONFIG_FTRACE, CONFIG_EVENT_TRACING)");
	return verb_fail_errno(err, "cannot trace what is executed");
}

/*
 * We wake up on the processor of the program that is just executed, and would take its place there for as long as we look
 * at it. A batch process waits until it is free, or until another one is.
 */
static void let_programs_go_first(void)
{
	(void)sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
}

/* Those of a tracer are not among them: without them it carries plans out all the same. */
static int refuse_few_descriptors(void)
{
	unsigned long long needed = DESCRIPTORS + (unsigned long long)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;

	descriptors_allow_all();
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	return verb_fail(
		"headstartd may open only %llu files at once and needs %llu: raise RLIMIT_NOFILE (LimitNOFILE= of "
		"its unit, or 'ulimit -n')",
		(unsigned long long)limit.rlim_cur, needed);
}

/* Returns 0, or an exit status after printing the reason. */
static int set_up(struct daemon *daemon)
{
	int r;

	if (!link_is(SURROUNDINGS_PID_NAMESPACE, SURROUNDINGS_FIRST))
		return verb_fail(
			"headstartd sees the programs of the whole machine, and so must run outside of "
			"containers: their process numbers are others");
	if (refuse_few_descriptors() != 0 || refuse_strange_state() != 0)
		return VERB_FAILED;
	daemon->tracefs = kernelfs_open_tracefs();
	if (daemon->tracefs < 0)
		return fail_tracefs(daemon->tracefs);
	r = carry_init(&daemon->carry);
	if (r < 0)
		return verb_fail_errno(r, "cannot find the plans");
	daemon->carry.quiet = daemon->quiet;
	r = lessons_init(&daemon->lessons, &daemon->carry, daemon->tracefs, daemon->learn, daemon->budget);
	daemon->lessons.quiet = daemon->quiet;
	daemon->lessons.looker = &daemon->looker;
	if (r == -EBUSY)
		return verb_fail("another headstartd runs already");
	if (r < 0)
		return verb_fail_errno(
			r, "cannot use '%s'", daemon->lessons.saver.path ? daemon->lessons.saver.path : "");
	r = idle_init(&daemon->idle, &daemon->carry, daemon->lessons.enabled, daemon->quiet);
	if (r < 0)
		return verb_fail_errno(r, "cannot find out what to do ahead");
	signal(SIGPIPE, SIG_IGN);
	r = signals_take((const int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0}, NULL, &daemon->signals);
	if (r < 0)
		return verb_fail_errno(r, "cannot receive signals");
	let_programs_go_first();
	r = see_execs(daemon);
	return r < 0 ? fail_tracefs(r) : 0;
}

static bool switched_off(struct daemon *daemon)
{
	uint64_t now = monotonic_ms();

	if (now - daemon->switches_ms >= SWITCHES_MS || !daemon->switches_ms) {
		daemon->off = access(KILL_SWITCH, F_OK) == 0 || access(DAEMON_PAUSED, F_OK) == 0;
		daemon->switches_ms = now;
	}
	return daemon->off;
}

/* Whether there is nothing to be done for it: a moment ago it had no plan, and it was not found cold before. */
static bool is_the_same_again(struct daemon *daemon, struct process_seen *seen)
{
	return lately_knows(&daemon->lately, seen, monotonic_ms()) && !carry_has_plan(&daemon->carry, seen) &&
		!lessons_know(&daemon->lessons, seen->program);
}

static void take_exec(void *context, const struct exec_seen *exec)
{
	struct daemon *daemon = context;
	struct process_seen seen = {.pid = exec->pid, .exec = ++daemon->n_execs, .executed = exec->path};
	const char *carried;
	bool planned;

	daemon->note_old = true;
	if (switched_off(daemon) || is_the_same_again(daemon, &seen) || !looker_see(&daemon->looker, &seen))
		return;
	planned = carry_has_plan(&daemon->carry, &seen);
	if (!planned)
		lately_note(&daemon->lately, &seen, monotonic_ms());
	if (planned)
		idle_started(&daemon->idle, seen.program);
	if (lessons_exec(&daemon->lessons, &seen, planned))
		return;
	carried = carry_exec(&daemon->carry, &seen, planned);
	if (planned)
		lessons_planned(&daemon->lessons, &seen);
	else if (carried) {
		idle_started(&daemon->idle, carried);
		lessons_served(&daemon->lessons, carried, seen.user);
	}
}

static void take_results(struct daemon *daemon)
{
	struct carry_told told;

	while (carry_take(&daemon->carry, &told)) {
		lessons_told(&daemon->lessons, &told);
		if (told.outcome == CARRY_STARTED) {
			idle_yield(&daemon->idle);
			for_user_begin(&daemon->carry, &daemon->lessons.tracing.late, told.exec);
		}
		daemon->note_old = true;
	}
}

static void take_children(struct daemon *daemon)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		take_results(daemon); /* a helper has told before it ended, and is still known */
		if (!looker_child_ended(&daemon->looker, pid) &&
			!lessons_child_ended(&daemon->lessons, pid, status) &&
			!idle_child_ended(&daemon->idle, pid, status))
			carry_child_ended(&daemon->carry, pid);
	}
	daemon->note_old = true;
}

static void take_signal(struct daemon *daemon)
{
	struct signalfd_siginfo info;

	while (read(daemon->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			take_children(daemon);
		else if (info.ssi_signo != SIGHUP)
			daemon->ended = true;
	}
}

static size_t count_learnt(const struct known *known)
{
	size_t n = 0;

	for (size_t i = 0; i < known->n; i++)
		n += known->items[i].learnt && !known->items[i].key;
	return n;
}

static void write_note(struct daemon *daemon)
{
	const uint64_t *counts = daemon->carry.counts;
	char text[DAEMON_NOTE_MAX];
	int size = snprintf(text, sizeof(text),
		"pid: %d\nsince: %" PRId64 "\nexecs: %" PRIu64 "\nlost: %" PRIu64 "\nstarted: %" PRIu64
		"\nwarm: %" PRIu64 "\nleft: %" PRIu64 "\nfailed: %" PRIu64
		"\n"
		"learning: %d\n"
		"known: %zu\n"
		"learnt: %zu\n"
		"tracing: %d\n"
		"refreshed: %" PRIu64 "\nwarmed: %" PRIu64 "\nwarmed_bytes: %" PRIu64 "\nwarmed_at: %" PRId64
		"\n"
		"short_of_memory: %d\nwarmings: %" PRIu64 "\n",
		getpid(), daemon->since, daemon->n_execs, execs_lost(daemon->execs), counts[CARRY_STARTED],
		counts[CARRY_WARM], counts[CARRY_LEFT], counts[CARRY_FAILED], daemon->lessons.enabled,
		daemon->lessons.known.n, count_learnt(&daemon->lessons.known),
		daemon->lessons.tracing.child != 0, daemon->idle.renew.count, daemon->idle.n_warmed,
		daemon->idle.warmed_bytes, daemon->idle.warmed, daemon->idle.quiet.short_of_memory,
		daemon->idle.n_done);

	daemon->note_old = false;
	daemon->note_ms = monotonic_ms();
	if (make_folders_for_all(DAEMON_FOLDER) == 0)
		(void)publish_file(DAEMON_NOTE, 0644, text, (size_t)size);
}

/* Milliseconds from now until something is to be done, as poll(2) wants them. */
static int patience(const struct daemon *daemon, uint64_t now)
{
	uint64_t next = lessons_next_ms(&daemon->lessons);
	uint64_t idle = idle_next_ms(&daemon->idle);

	next = idle < next ? idle : next;
	if (now < daemon->rests_until_ms && daemon->rests_until_ms < next)
		next = daemon->rests_until_ms;
	if (daemon->idle.warming && now + SWITCHES_MS < next)
		next = now + SWITCHES_MS; /* a pause ends it */
	if (daemon->note_old && daemon->note_ms + NOTE_MS < next)
		next = daemon->note_ms + NOTE_MS;
	if (next == UINT64_MAX)
		return -1;
	return next <= now ? 0 : next - now > 60000 ? 60000 : (int)(next - now);
}

static void work_ahead(struct daemon *daemon)
{
	struct idle *idle = &daemon->idle;
	bool was_short = idle->quiet.short_of_memory;

	if (switched_off(daemon))
		idle_yield(idle);
	idle_work(idle, !lessons_write(&daemon->lessons), switched_off(daemon));
	daemon->lessons.others_write = idle_renews(idle);
	daemon->note_old |= idle->quiet.short_of_memory != was_short;
}

static int look_at_execs(struct daemon *daemon)
{
	uint64_t now = monotonic_ms();

	if (execs_read(daemon->execs, take_exec, daemon) < 0)
		return verb_fail("the kernel's buffer of events cannot be read");
	if (daemon->rests_until_ms + CREDIT_MS < now)
		daemon->rests_until_ms = now - CREDIT_MS;
	daemon->rests_until_ms += REST_MS;
	return 0;
}

static int listen_on(struct daemon *daemon)
{
	while (!daemon->ended) {
		uint64_t now = monotonic_ms();
		bool rests = now < daemon->rests_until_ms;
		struct pollfd fds[] = {
			{.fd = rests ? -1 : execs_fd(daemon->execs), .events = POLLIN},
			{.fd = daemon->signals, .events = POLLIN},
			{.fd = daemon->carry.told, .events = POLLIN},
		};

		if (poll(fds, 3, patience(daemon, now)) < 0 && errno != EINTR)
			return verb_fail_errno(errno, "cannot wait");
		if ((fds[0].revents & POLLIN) && look_at_execs(daemon) != 0)
			return VERB_FAILED;
		if (fds[2].revents & POLLIN)
			take_results(daemon);
		take_signal(daemon);
		lessons_work(&daemon->lessons);
		work_ahead(daemon);
		if (daemon->note_old && monotonic_ms() - daemon->note_ms >= NOTE_MS)
			write_note(daemon);
	}
	return 0;
}

static int sweep(void)
{
	_cleanup_close_ int tracefs = kernelfs_open_tracefs(), lock = -1;

	if (tracefs < 0)
		return fail_tracefs(tracefs);
	lock = execs_lock(tracefs);
	execs_sweep(tracefs, INSTANCES);
	return 0;
}

int main(int argc, char **argv)
{
	struct daemon daemon = {.learn = true,
		.budget = BUDGET_MB * 1000000ull,
		.tracefs = -1,
		.signals = -1,
		.looker = LOOKER_INIT,
		.carry = {.results = -1, .told = -1},
		.lessons = {.lock = -1, .forgotten = -1, .tracing = {.told = -1}},
		.idle = {.told = -1},
		.since = time(NULL)};
	bool only_sweep = false;
	int r = parse(argc, argv, &daemon, &only_sweep);

	if (r != 0)
		return r < 0 ? 0 : r;
	if (geteuid() != 0)
		return verb_fail("headstartd reads the kernel's trace events and needs root");
	prctl(PR_SET_NAME, DAEMON_NAME);
	if (only_sweep)
		return sweep();
	r = set_up(&daemon);
	if (r == 0) {
		write_note(&daemon);
		notify("READY=1\nSTATUS=carrying out plans");
		r = listen_on(&daemon);
		notify("STOPPING=1");
		unlink(DAEMON_NOTE);
	}
	execs_free(daemon.execs);
	idle_release(&daemon.idle);
	lessons_release(&daemon.lessons);
	carry_release(&daemon.carry);
	looker_release(&daemon.looker);
	lately_release(&daemon.lately);
	if (daemon.signals >= 0)
		close(daemon.signals);
	if (daemon.tracefs >= 0)
		close(daemon.tracefs);
	return r;
}
