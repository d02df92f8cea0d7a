/* SPDX-License-Identifier: MIT */
/* The same events as those of a start, without a tree of processes to follow. File systems are mounted meanwhile. */
#include "record/running/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/stranger.h"
#include "base/run/descriptors.h"
#include "base/times.h"
#include "profile/edit.h"
#include "profile/refine/refine.h"
#include "profile/updates/staleness.h"
#include "record/events/execs.h"
#include "record/events/tracer.h"
#include "record/names/mounts.h"
#include "record/names/opens.h"
#include "record/names/resolve.h"
#include "record/profiles/assemble.h"
#include "record/profiles/describe.h"
#include "record/profiles/metadata.h"
#include "record/running/everybody.h"
#include "record/running/mapped.h"

#define POLL_MS       20
#define EVENTS_MAX    (1u << 20) /* 40 MiB */
#define OWN_PAGES_MAX (1u << 16)

struct machine {
	const struct machine_options *options;
	struct tracer *tracer;
	struct mounts mounts;
	struct opens opens;
	struct record_trace trace;
	struct everybody everybody; /* for a timeline */
	int mountinfo;              /* polls as an error when something was mounted */
	uint64_t began;             /* nanoseconds */
	size_t n_own_events;        /* the first ones of the trace */
	uint64_t
		asked; /* nanoseconds: when somebody asked it to end as soon as the machine is idle; 0: nobody has */
	uint64_t looked; /* nanoseconds: when we began to look whether it is */
	size_t n_looked; /* events until then */
	bool only_added, timed_out;
};

static void machine_release(struct machine *machine)
{
	tracer_free(machine->tracer);
	execs_sweep(machine->options->tracefs, machine->options->instance);
	opens_release(&machine->opens);
	mounts_release(&machine->mounts);
	record_trace_release(&machine->trace);
	everybody_release(&machine->everybody);
	if (machine->mountinfo >= 0)
		close(machine->mountinfo);
}

/* A recording is as good without a timeline. Nobody removes an instance that has open files, so the lock is for this moment only. */
static int open_tracer(struct machine *machine)
{
	const struct machine_options *options = machine->options;
	_cleanup_close_ int lock = execs_lock(options->tracefs);

	execs_sweep(options->tracefs, options->instance);
	if (options->timeline &&
		tracer_open(options->tracefs, options->instance,
			&(struct tracer_options){.light = true, .moments = true}, &machine->tracer) == 0)
		return 0;
	execs_sweep(options->tracefs, options->instance); /* what the attempt has left */
	return tracer_open(options->tracefs, options->instance, &(struct tracer_options){.light = true},
		&machine->tracer);
}

static int begin(struct machine *machine)
{
	const struct machine_options *options = machine->options;
	int r;

	descriptors_allow_all();
	r = open_tracer(machine);
	if (r < 0)
		return r;
	machine->only_added = tracer_has_only_added(machine->tracer);
	machine->mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	r = mounts_read(&machine->mounts);
	if (r < 0)
		return r;
	machine->opens.everybody = true;
	machine->opens.local = true;
	machine->opens.bounded = true;
	machine->opens.keeps_no_views = true;
	machine->opens.views.trusted_only = true;
	machine->opens.ignored = options->ignored;
	r = opens_start(&machine->opens, &machine->mounts);
	if (r < 0)
		return r == -ENOMEM ? r : -EOPNOTSUPP;
	machine->began = monotonic_ns();
	r = tracer_attach_everybody(machine->tracer, options->except);
	if (r == 0 && options->timeline && tracer_sees_disks(machine->tracer))
		r = everybody_begin(&machine->everybody);
	return r;
}

/* What this program reads from now on does not count. */
static int add_own(struct machine *machine)
{
	uint64_t budget = OWN_PAGES_MAX;
	int r = machine->options->own
		? mapped_add(getpid(), machine->began, &budget, &machine->opens, &machine->trace)
		: 0;

	machine->n_own_events = machine->trace.n_events;
	return r;
}

static void begin_to_look(struct machine *machine, uint64_t now)
{
	machine->looked = now;
	machine->n_looked = machine->trace.n_events;
}

/* Whether the machine is idle, or we have waited long enough for that. Asked for the first time, it only begins to look. */
static bool is_idle(struct machine *machine)
{
	uint64_t now = monotonic_ns();

	if (!machine->asked) {
		machine->asked = now;
		begin_to_look(machine, now);
	} else if ((double)(now - machine->looked) / 1e9 >= MACHINE_IDLE_S) {
		if (machine->trace.n_events - machine->n_looked < MACHINE_IDLE_PAGES)
			return true;
		begin_to_look(machine, now);
	}
	return (double)(now - machine->asked) / 1e9 >= MACHINE_IDLE_MOST_S;
}

static int gather(struct machine *machine, bool *ret_stop)
{
	struct pollfd fds[] = {
		{.fd = machine->options->stop, .events = POLLIN},
		{.fd = machine->mountinfo, .events = POLLPRI},
		{.fd = machine->asked ? -1 : machine->options->stop_idle, .events = POLLIN},
		{.fd = machine->options->abandon, .events = POLLIN},
	};
	int r;

	if (poll(fds, sizeof(fds) / sizeof(*fds), POLL_MS) < 0 && errno != EINTR)
		return -errno;
	if (fds[3].revents)
		return -ECANCELED;
	*ret_stop = fds[0].revents || ((machine->asked || fds[2].revents) && is_idle(machine));
	machine->timed_out = (double)(monotonic_ns() - machine->began) / 1e9 >= machine->options->timeout;
	r = fds[1].revents ? opens_mark_again(&machine->opens, &machine->mounts) : 0;
	if (r == 0)
		r = tracer_drain(machine->tracer, &machine->trace);
	if (r == 0)
		r = everybody_take(&machine->everybody, &machine->trace);
	return r < 0 ? r : opens_drain(&machine->opens, &machine->trace);
}

static int gather_all(struct machine *machine)
{
	bool stop = false;
	int r = 0;

	while (r == 0 && !stop && !machine->timed_out)
		r = gather(machine, &stop);
	if (r == 0)
		r = tracer_stop(machine->tracer, &machine->trace);
	if (r == 0)
		r = tracer_stop_disks(machine->tracer, &machine->trace);
	if (r == 0)
		r = everybody_take(&machine->everybody, &machine->trace);
	return r < 0 ? r : opens_end(&machine->opens, &machine->trace);
}

static bool is_roots(const char *path)
{
	struct stranger stranger;

	return stranger_find(path, &stranger) == 0;
}

static int is_roots_file(void *context, struct profile_file *file)
{
	return is_roots(file->path);
}

static bool is_roots_exec(const void *context, const struct profile_exec *exec)
{
	return is_roots(exec->path);
}

static uint32_t biases(const struct machine *machine)
{
	uint32_t bias = PROFILE_BIAS_RESIDENT;

	if (machine->only_added)
		bias |= PROFILE_BIAS_READAHEAD;
	if (machine->trace.lost || machine->opens.lost)
		bias |= PROFILE_BIAS_LOST;
	if (machine->timed_out)
		bias |= PROFILE_BIAS_TIMEOUT;
	return bias;
}

static int make_profile(struct machine *machine, struct profile *profile)
{
	_cleanup_free_ char *unasked = NULL;
	const char *argv[] = {machine->options->command, NULL};
	struct assemble_summary summary;
	int r;

	if (machine->trace.n_events == machine->n_own_events)
		return -ENODATA;
	r = record_describe(
		profile, argv, MACHINE_SUBJECT, machine->timed_out ? "timeout" : machine->options->milestone);
	if (r == 0)
		r = mounts_to_be_asked(&unasked);
	if (r == 0)
		r = resolve_files(&machine->opens.files, &machine->trace, unasked);
	if (r == 0)
		r = resolve_programs(&machine->trace, &machine->opens.files, true);
	if (r == 0)
		r = metadata_add(&machine->trace, &machine->mounts, profile);
	if (r == 0)
		r = assemble(&machine->trace, &machine->opens.files, machine->only_added, profile, &summary);
	if (r < 0)
		return r;
	/* What root reads for everybody must not be for others to choose. */
	r = profile_keep_files(profile, is_roots_file, NULL);
	if (r < 0)
		return r;
	profile_keep_execs(profile, is_roots_exec, NULL);
	profile_clear_doubts(profile);
	for (size_t i = 0; i < profile->n_files; i++)
		(void)profile_file_identify(&profile->files[i]);
	profile->backend = PROFILE_BACKEND_FILEMAP;
	profile->bias = biases(machine);
	return profile->n_files > 0 ? 0 : -ENODATA;
}

void machine_result_release(struct machine_result *result)
{
	profile_release(&result->profile);
	timeline_release(&result->timeline);
	for (size_t i = 0; i < result->n_members; i++)
		free((char *)result->members[i].unit);
	free(result->members);
	*result = (struct machine_result){0};
}

/* Without it the recording is as good. */
static void make_timeline(struct machine *machine, uint64_t ended, struct machine_result *result)
{
	if (everybody_make(&machine->everybody, &machine->opens.files, ended, result) < 0) {
		timeline_release(&result->timeline);
		result->timeline = (struct timeline){0};
	}
}

int machine_record(const struct machine_options *options, struct machine_result *ret)
{
	_cleanup_(machine_release) struct machine machine = {.options = options,
		.opens = OPENS_INIT,
		.trace = {.events_max = EVENTS_MAX},
		.mountinfo = -1};
	struct machine_result result = {0};
	uint64_t ended;
	int r = begin(&machine);

	if (r < 0)
		return r;
	if (options->begun)
		options->begun(options->context);
	r = add_own(&machine);
	if (r == 0)
		r = gather_all(&machine);
	ended = monotonic_ns();
	result.seconds = (double)(ended - machine.began) / 1e9;
	if (r == 0 && options->over)
		options->over(options->context);
	if (r == 0)
		r = make_profile(&machine, &result.profile);
	if (r < 0) {
		machine_result_release(&result);
		return r;
	}
	make_timeline(&machine, ended, &result);
	*ret = result;
	return 0;
}
