/* SPDX-License-Identifier: MIT */
/* The parts of a recording that do not need a start of our own making. */
#include "record/running/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/paths/hidden.h"
#include "base/paths/stranger.h"
#include "base/run/process-tree.h"
#include "base/string-index.h"
#include "base/strings.h"
#include "base/times.h"
#include "profile/edit.h"
#include "profile/updates/carry.h"
#include "profile/updates/staleness.h"
#include "record/follow/open-files.h"
#include "record/names/mounts.h"
#include "record/names/opens.h"
#include "record/names/resolve.h"
#include "record/profiles/assemble.h"
#include "record/profiles/describe.h"
#include "record/running/mapped.h"

#define POLL_MS         20
#define ALIVE_TICKS     5 /* of POLL_MS, between two looks at which processes are left */
#define PIDS_MAX        64
#define READ_BEFORE_MAX (64u << 20) /* bytes of a file that were read before we came */
#define PAGES_MAX                                                                                            \
	(16u << 20) /* that are found mapped, or of which page tables are read: 64 GiB of small pages */
#define EVENTS_MAX (1u << 20) /* 40 MiB: a program that touches more in these seconds is not learnt whole */

struct watch {
	const struct watch_options *options;
	struct tracer *tracer;
	struct mounts mounts;
	struct opens opens;
	struct record_trace trace;
	uint64_t began; /* nanoseconds */
	uint64_t last;
	uint64_t budget;       /* of page_tables_present() */
	const char *milestone; /* NULL until the end */
};

static void watch_release(struct watch *watch)
{
	opens_release(&watch->opens);
	mounts_release(&watch->mounts);
	record_trace_release(&watch->trace);
}

struct look {
	struct watch *watch;
	int32_t pid;
};

/* Files that are read rather than mapped, and are open still. */
static int add_open_file(void *context, int fd, uint64_t bytes)
{
	const struct look *look = context;
	struct watch *watch = look->watch;
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct record_event event = {.time = watch->began, .pid = look->pid, .kind = RECORD_TOUCH};
	struct statx status;
	int r = opens_add(&watch->opens, fd, look->pid, NULL);

	if (r < 0 || bytes == 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) < 0)
		return r;
	event.inode = status.stx_ino;
	event.device = mounts_pack_device(status.stx_dev_major, status.stx_dev_minor);
	event.last = bytes > READ_BEFORE_MAX ? READ_BEFORE_MAX / (uint32_t)page_size
					     : (uint32_t)((bytes - 1) / page_size);
	return record_trace_add_event(&watch->trace, &event);
}

static int add_open(struct watch *watch, int32_t pid)
{
	return open_files_each(pid, add_open_file, &(struct look){.watch = watch, .pid = pid});
}

/* A script is not mapped; what was executed was opened, whatever it is. */
static int add_program(struct watch *watch)
{
	_cleanup_close_ int fd = open(watch->options->program, O_PATH | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? 0 : opens_add(&watch->opens, fd, watch->options->pid, NULL);
}

static int begin(struct watch *watch)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, capacity = 0;
	int r = ARRAY_RESERVE(pids, capacity, 1);

	if (r == 0)
		r = mounts_read(&watch->mounts);
	if (r == 0)
		r = opens_start(&watch->opens, &watch->mounts);
	if (r < 0)
		return r == -ENOMEM ? r : -EOPNOTSUPP;
	watch->began = watch->last = monotonic_ns();
	pids[n++] = watch->options->pid;
	if (process_tree_below(pids[0], &pids, &n, &capacity) == -ENOMEM)
		return -ENOMEM;
	n = n < PIDS_MAX ? n : PIDS_MAX;
	r = tracer_attach(watch->tracer, &watch->trace, pids[0]);
	/* Tells the tree to opens, before the first file is added. */
	if (r == 0)
		r = opens_drain(&watch->opens, &watch->trace);
	if (r == 0)
		r = add_program(watch);
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = mapped_add(pids[i], watch->began, &watch->budget, &watch->opens, &watch->trace);
		if (r == 0)
			r = add_open(watch, pids[i]);
	}
	return r;
}

static bool anybody_lives(const struct watch *watch)
{
	for (size_t i = 0; i < watch->trace.n_pids; i++)
		if (kill(watch->trace.pids[i], 0) == 0 || errno == EPERM)
			return true;
	return false;
}

static const char *milestone_reached(const struct watch *watch, unsigned tick)
{
	double since = (double)(monotonic_ns() - watch->began) / 1e9;

	if (tick % ALIVE_TICKS == 0 && !anybody_lives(watch))
		return "exit";
	/* A disk that is busy, or has to spin up, may take seconds for one read: a start that waits for it is not over. */
	if (since - (double)(watch->last - watch->began) / 1e9 >= watch->options->idle &&
		!process_tree_is_blocked(watch->options->pid))
		return "idle";
	return since >= watch->options->timeout ? "timeout" : NULL;
}

static int follow(struct watch *watch)
{
	for (unsigned tick = 1; !watch->milestone; tick++) {
		struct pollfd opened = {.fd = watch->opens.fd, .events = POLLIN};
		size_t before = watch->trace.n_events;
		const char *reached;
		int r;

		if (poll(&opened, 1, POLL_MS) < 0 && errno != EINTR)
			return -errno;
		reached = milestone_reached(watch, tick);
		r = tracer_drain(watch->tracer, &watch->trace);
		if (r == 0)
			r = opens_drain(&watch->opens, &watch->trace);
		if (r < 0)
			return r;
		if (watch->trace.n_events > before)
			watch->last = monotonic_ns();
		watch->milestone = reached;
	}
	return 0;
}

static uint64_t bytes_added(const struct record_trace *trace)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].kind == RECORD_ADDED)
			pages += trace->events[i].last - trace->events[i].first + 1;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The start begins with the program: we were not there yet when it was executed. */
static int add_exec(struct watch *watch)
{
	for (size_t i = 0; i < watch->trace.n_execs; i++)
		if (streq(watch->trace.execs[i].path, watch->options->program))
			return 0;
	return record_trace_add_exec(
		&watch->trace, watch->began, watch->options->pid, watch->options->program);
}

/* Which files the user whose start it is has as their own. */
struct owning {
	const struct record_files *files;
	struct string_index *index; /* of them */
	const char *program;
};

static bool is_own(const struct owning *owning, const char *path)
{
	const struct record_files *files = owning->files;
	ssize_t place =
		string_index_find(owning->index, files->items, sizeof(*files->items), files->count, path);

	/* Without memory to tell, nobody looks at it. */
	return place == -ENOMEM || (place >= 0 && files->items[place].own);
}

static int is_own_file(void *context, struct profile_file *file)
{
	return is_own(context, file->path);
}

static bool is_public(const struct owning *owning, const char *path)
{
	struct stranger stranger;

	return !is_own(owning, path) && stranger_find(path, &stranger) >= 0 &&
		may_show_of(owning->program, path);
}

static int is_public_file(void *context, struct profile_file *file)
{
	return is_public(context, file->path);
}

static bool is_public_exec(const void *context, const struct profile_exec *exec)
{
	return is_public(context, exec->path);
}

static bool is_no_exec(const void *context, const struct profile_exec *exec)
{
	return false;
}

/*
 * Nobody has asked for a plan of this start, which will serve everybody. So it names neither what others can change, which
 * we then need not read either, nor what only root can see. The user's own goes into a second profile.
 */
static int part(struct watch *watch, struct profile *profile, struct profile *own)
{
	_cleanup_(string_index_release) struct string_index index = {0};
	struct owning owning = {
		.files = &watch->opens.files, .index = &index, .program = watch->options->program};
	int r = watch->options->user ? profile_copy(profile, own) : 0;

	if (r == 0 && watch->options->user) {
		r = profile_keep_files(own, is_own_file, &owning);
		profile_keep_execs(own, is_no_exec, NULL);
	}
	if (r == 0)
		r = profile_keep_files(profile, is_public_file, &owning);
	profile_keep_execs(profile, is_public_exec, &owning);
	return r;
}

static void identify(struct profile *profile, bool landmarks)
{
	for (size_t i = 0; !landmarks && i < profile->n_files; i++)
		(void)profile_file_identify(&profile->files[i]);
	if (landmarks)
		profile_identify(profile);
}

static uint32_t biases(const struct watch *watch)
{
	uint32_t bias = PROFILE_BIAS_LEARNT | PROFILE_BIAS_READAHEAD | PROFILE_BIAS_RESIDENT;

	if (watch->trace.lost || watch->opens.lost)
		bias |= PROFILE_BIAS_LOST;
	return streq(watch->milestone, "timeout") ? bias | PROFILE_BIAS_TIMEOUT : bias;
}

static int make_profiles(struct watch *watch, struct watch_result *result)
{
	_cleanup_free_ char *unasked = NULL;
	struct profile *profile = &result->profile;
	struct assemble_summary summary;
	bool only_added = tracer_has_only_added(watch->tracer);
	int r = record_describe(profile, watch->options->argv, watch->options->program, watch->milestone);

	if (r == 0)
		r = mounts_to_be_asked(&unasked);
	if (r == 0)
		r = resolve_files(&watch->opens.files, &watch->trace, unasked);
	if (r == 0)
		r = add_exec(watch);
	if (r == 0)
		r = resolve_programs(&watch->trace, &watch->opens.files, true);
	if (r == 0)
		r = assemble(&watch->trace, &watch->opens.files, only_added, profile, &summary);
	if (r < 0)
		return r;
	profile->bias = biases(watch);
	r = part(watch, profile, &result->own);
	if (r < 0)
		return r;
	identify(profile, !watch->options->no_landmarks);
	result->found = summary.found;
	return 0;
}

void watch_result_release(struct watch_result *result)
{
	profile_release(&result->profile);
	profile_release(&result->own);
}

int watch_run(struct tracer *tracer, const struct watch_options *options, struct watch_result *ret)
{
	_cleanup_(watch_release) struct watch watch = {.options = options,
		.tracer = tracer,
		.opens = OPENS_INIT,
		.trace = {.events_max = EVENTS_MAX},
		.budget = PAGES_MAX};
	struct watch_result result = {0};
	int r;

	watch.opens.bounded = watch.opens.careful = true;
	watch.opens.owner = options->user;
	r = begin(&watch);
	if (r == 0)
		r = follow(&watch);
	if (r == 0)
		r = tracer_stop(tracer, &watch.trace);
	if (r == 0)
		r = opens_end(&watch.opens, &watch.trace);
	if (r < 0)
		return r;
	result.bytes_added = bytes_added(&watch.trace);
	r = make_profiles(&watch, &result);
	if (r < 0) {
		watch_result_release(&result);
		return r;
	}
	*ret = result;
	return 0;
}
