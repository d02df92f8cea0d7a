/* SPDX-License-Identifier: MIT */
/* cgroups(7), systemd.unit(5), cg_unescape() of systemd's src/basic/cgroup-util.c. */
#include "record/running/everybody.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "base/times.h"
#include "format/cgroup-line.h"
#include "format/surroundings.h"
#include "record/timelines/source.h"
#include "record/timelines/threads.h"

#define GROUPS_MAX    (1u << 16) /* bytes of text */
#define MOMENTS_MOST  (2u << 20) /* 96 MiB */
#define MOMENTS_LEAST (64u << 10)
#define MEMORY_SHARE  32u /* one part of the memory in so many may be moments */

bool everybody_unit_of(const char *path, char ret[UNIT_NAME_MAX])
{
	static const char *const endings[] = {".service", ".scope", ".socket", ".mount", ".swap"};

	while (*path) {
		size_t length = strcspn(path, "/");
		bool escaped =
			*path == '_'; /* "_cpu.service": "cpu." begins the names of files of the kernel's */

		if (length < UNIT_NAME_MAX) {
			memcpy(ret, path + escaped, length - escaped);
			ret[length - escaped] = '\0';
			for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
				if (ends_with(ret, endings[i]))
					return true;
		}
		path += length + (path[length] == '/');
	}
	return false;
}

/* The control group that systemd has put the process into: that of version 2, else of systemd's own hierarchy. */
static bool find_group(const char *text, char ret[PATH_MAX])
{
	bool found = false;

	for (const char *at = text; at; at = strchr(at, '\n')) {
		struct cgroup_line line;
		size_t length;

		at += *at == '\n';
		if (!cgroup_line_split(at, &line) ||
			(!cgroup_line_has(&line, "") && !cgroup_line_has(&line, "name=systemd")))
			continue;
		length = strcspn(line.path, "\n");
		/* Where both are, processes are at the root of the one that systemd does not use. */
		if (length >= PATH_MAX || (found && length <= 1))
			continue;
		memcpy(ret, line.path, length);
		ret[length] = '\0';
		found = true;
	}
	return found;
}

static int look_at(struct everybody *everybody, uint64_t time, int32_t pid)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];

	if (process_read(pid, GROUPS_MAX, &text, NULL, "cgroup") < 0 || !find_group(text, path))
		return 0;
	return record_trace_add_group(&everybody->groups, time, pid, path);
}

static size_t moments_max(void)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
		 most = memory / MEMORY_SHARE / sizeof(struct timeline_moment);

	return most < MOMENTS_LEAST ? MOMENTS_LEAST : most > MOMENTS_MOST ? MOMENTS_MOST : (size_t)most;
}

int everybody_begin(struct everybody *everybody)
{
	int r;

	if (!link_is(SURROUNDINGS_PID_NAMESPACE, SURROUNDINGS_FIRST))
		return 0;
	everybody->on = true;
	everybody->began = monotonic_ns();
	everybody->gathered.moments_max = moments_max();
	r = threads_add_tree(&everybody->carry, 0);
	for (size_t i = 0; r == 0 && i < everybody->carry.count; i++)
		if (everybody->carry.items[i].tid == everybody->carry.items[i].pid)
			r = look_at(everybody, everybody->began, everybody->carry.items[i].pid);
	if (r == 0)
		r = look_at(everybody, everybody->began, getpid());
	everybody->looked = monotonic_ns();
	return r;
}

int everybody_take(struct everybody *everybody, struct record_trace *trace)
{
	int r = 0;

	if (!everybody->on)
		return 0;
	r = timeline_source_append(&everybody->gathered, trace->moments, trace->n_moments, true);
	for (size_t i = 0; r == 0 && i < trace->n_requests; i++)
		r = record_trace_add_request(&everybody->gathered, &trace->requests[i]);
	/* A newer systemd makes a process in its group, which the kernel does not report. */
	for (; r == 0 && everybody->looked_at < trace->n_execs; everybody->looked_at++) {
		const struct record_exec *exec = &trace->execs[everybody->looked_at];

		r = look_at(everybody, exec->time, exec->pid);
	}
	everybody->gathered.requests_lost |= trace->requests_lost;
	for (size_t i = 0; r == 0 && i < trace->n_groups; i++)
		r = record_trace_add_group(&everybody->groups, trace->groups[i].time, trace->groups[i].pid,
			trace->groups[i].path);
	record_trace_drop_groups(trace);
	trace->n_moments = trace->n_requests = 0;
	return r;
}

static int add_members(const struct everybody *everybody, struct machine_result *result)
{
	const struct record_trace *groups = &everybody->groups;
	char unit[UNIT_NAME_MAX];

	result->members = calloc(groups->n_groups + 1, sizeof(*result->members));
	if (!result->members)
		return -ENOMEM;
	for (size_t i = 0; i < groups->n_groups; i++) {
		const struct record_exec *group = &groups->groups[i];
		struct timeline_member *member = &result->members[result->n_members];

		if (!everybody_unit_of(group->path, unit))
			continue;
		*member = (struct timeline_member){
			.time = group->time, .pid = group->pid, .unit = strdup(unit)};
		if (!member->unit)
			return -ENOMEM;
		result->n_members++;
	}
	return 0;
}

static int describe(
	const struct everybody *everybody, const struct profile *profile, struct timeline *timeline)
{
	struct utsname machine;

	if (uname(&machine) < 0)
		return -errno;
	timeline->program = strdup(machine.nodename);
	timeline->kernel = strdup(profile->kernel);
	timeline->ended_by = strdup(profile->milestone);
	timeline->recorded = profile->recorded;
	timeline->lost =
		everybody->gathered.lost || everybody->gathered.requests_lost || everybody->groups.lost;
	if (asprintf(&timeline->command, "recorded from %.1f s after the kernel's start",
		    (double)everybody->began / 1e9) < 0)
		timeline->command = NULL;
	if (!timeline->command || !timeline->program || !timeline->kernel || !timeline->ended_by)
		return -ENOMEM;
	return timeline_add_mark(timeline, timeline->duration, timeline->ended_by);
}

int everybody_make(struct everybody *everybody, const struct record_files *files, uint64_t ended,
	struct machine_result *ret)
{
	_cleanup_(timeline_source_release) struct timeline_source source = {0};
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};
	struct record_trace *gathered = &everybody->gathered;
	struct timeline_events events = {.began = everybody->began,
		.ended = ended,
		.first = getpid(),
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
		.no_calls = true};
	int r;

	if (!everybody->on)
		return 0;
	if (gathered->lost && gathered->n_moments)
		events.ended = gathered->moments[gathered->n_moments - 1].time;
	r = carry_begin(&everybody->carry, everybody->began, events.first, everybody->looked, gathered);
	if (r == 0)
		r = requests_join(gathered, &disks);
	if (r == 0)
		r = timeline_source_make(gathered, files, &disks, &source, &events);
	if (r == 0)
		r = timeline_build(&events, &ret->timeline);
	if (r == 0)
		r = describe(everybody, &ret->profile, &ret->timeline);
	if (r == 0)
		r = add_members(everybody, ret);
	ret->began = everybody->began;
	return r;
}

void everybody_release(struct everybody *everybody)
{
	record_trace_release(&everybody->gathered);
	record_trace_release(&everybody->groups);
	carry_release(&everybody->carry);
}
