/* SPDX-License-Identifier: MIT */
/* Checks what the versions of the dynamic linker and the kernel mean for headstart. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "doctor/checks.h"

void check_glibc(const struct doctor_host *host, struct doctor_report *report)
{
	unsigned version = doctor_version(host->glibc);

	if (version >= 2036) {
		doctor_say(report, DOCTOR_OK, "glibc",
			"glibc %s supports LD_AUDIT without slowing calls down, and DT_RELR", host->glibc);
	} else if (version == 2035) {
		doctor_say(report, DOCTOR_NOTE, "glibc", "glibc %s does not support DT_RELR", host->glibc);
		doctor_consequence(report,
			"relayout does not pack relocations for this machine: relaid files are larger");
	} else if (version >= 2032) {
		doctor_say(report, DOCTOR_NOTE, "glibc",
			"glibc %s sends every call between libraries through its profiler under LD_AUDIT",
			host->glibc);
		doctor_consequence(report,
			"a program under the audit shim is slower as long as it runs; 'headstart run' has "
			"no such cost. This glibc does not support DT_RELR either");
		doctor_mend(report, "headstart run -- PROGRAM");
	} else if (version > 0) {
		doctor_say(report, DOCTOR_PROBLEM, "glibc",
			"glibc %s makes no room for static TLS under LD_AUDIT", host->glibc);
		doctor_consequence(report,
			"programs whose libraries have much of it do not start under the audit shim, and no "
			"tunable helps; 'headstart run' works");
		doctor_mend(report, "headstart run -- PROGRAM");
	} else {
		doctor_say(report, DOCTOR_PROBLEM, "glibc", "the dynamic linker has an unknown version: '%s'",
			host->glibc);
		doctor_consequence(report, "whether the audit shim works here is unknown");
	}
}

void check_kernel(const struct doctor_host *host, struct doctor_report *report)
{
	unsigned version = doctor_version(host->kernel);

	if (version >= 6017) {
		doctor_say(report, DOCTOR_OK, "kernel", "Linux %s", host->kernel);
		return;
	}
	if (version == 0) {
		doctor_say(report, DOCTOR_NOTE, "kernel", "the kernel has an unknown version: '%s'",
			host->kernel);
		return;
	}
	doctor_say(report, version >= 5012 ? DOCTOR_OK : DOCTOR_NOTE, "kernel", "Linux %s", host->kernel);
	if (version < 5012)
		doctor_consequence(report,
			"checking whether a start is warm may itself wait for the disk: "
			"openat2(RESOLVE_CACHED) needs Linux 5.12");
	else if (version < 6012)
		doctor_consequence(report,
			"without io_uring the prefetcher asks for each piece twice: before Linux 6.12 "
			"preadv2(RWF_NOWAIT) starts no read");
	else
		doctor_consequence(report,
			"an executable can have at most 73 program headers before Linux 6.17, so relayout "
			"makes no more; libraries have no such limit");
}

/* Where the tracing file system is mounted, or NULL. */
static const char *find_tracefs(const struct doctor_host *host)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char events[PATH_MAX];

	for (size_t i = 0; i < 2; i++) {
		snprintf(events, sizeof(events), "%s/events", places[i]);
		if (host_exists(host, events))
			return places[i];
	}
	return NULL;
}

static bool kernel_has_tracefs(const struct doctor_host *host)
{
	_cleanup_free_ char *types = NULL;

	return host_read(host, "/proc/filesystems", &types) >= 0 && strstr(types, "\ttracefs\n");
}

static bool has_event(const struct doctor_host *host, const char *tracefs, const char *event)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/events/filemap/%s", tracefs, event);
	return host_exists(host, path);
}

static void say_less_exact(struct doctor_report *report)
{
	doctor_consequence(report,
		"'headstart record' follows the program by ptrace instead, which is less exact; "
		"'headstart trace' does not work");
}

void check_recording(const struct doctor_host *host, struct doctor_report *report)
{
	const char *tracefs = find_tracefs(host);

	if (host->user != 0) {
		doctor_say(report, DOCTOR_OK, "recording",
			"without root a recording is less exact; only root can check whether an exact one works");
		doctor_mend(report, "sudo headstart doctor");
	} else if (host->fanotify < 0) {
		doctor_say(report, DOCTOR_NOTE, "recording", "this process may not use fanotify");
		doctor_consequence(report,
			"'headstart record' searches the file systems for the names of what is touched, which "
			"takes longer");
	} else if (!tracefs && kernel_has_tracefs(host)) {
		doctor_say(report, DOCTOR_OK, "recording",
			"the tracing file system is not mounted, and need not be: 'headstart record' mounts "
			"it");
	} else if (!tracefs) {
		doctor_say(report, DOCTOR_NOTE, "recording", "the kernel has no tracing file system");
		say_less_exact(report);
	} else if (has_event(host, tracefs, "mm_filemap_fault")) {
		doctor_say(report, DOCTOR_OK, "recording",
			"tracepoints mm_filemap_fault and mm_filemap_get_pages, fanotify");
	} else if (has_event(host, tracefs, "mm_filemap_add_to_page_cache")) {
		doctor_say(report, DOCTOR_NOTE, "recording",
			"the kernel has no tracepoint mm_filemap_fault (Linux 6.12 has it)");
		doctor_consequence(report,
			"'headstart record' falls back to mm_filemap_add_to_page_cache: what is cached "
			"before it begins is missing from the profile");
	} else {
		doctor_say(report, DOCTOR_NOTE, "recording", "the kernel has no filemap tracepoints");
		say_less_exact(report);
	}
}

void check_io_uring(const struct doctor_host *host, struct doctor_report *report)
{
	uint64_t disabled = 0;

	if (host->io_uring == 0 && host->io_uring_built) {
		doctor_say(report, DOCTOR_OK, "io_uring", "works for this user");
		return;
	}
	if (host->io_uring_built)
		host_number(host, "/proc/sys/kernel/io_uring_disabled", "", &disabled);
	if (!host->io_uring_built)
		doctor_say(report, DOCTOR_NOTE, "io_uring", "this headstart was built without liburing");
	else if (disabled > 0)
		doctor_say(report, DOCTOR_NOTE, "io_uring", "the sysctl kernel.io_uring_disabled is %llu",
			(unsigned long long)disabled);
	else if (host->io_uring == -ENOSYS)
		doctor_say(
			report, DOCTOR_NOTE, "io_uring", "the kernel has none, or a seccomp filter hides it");
	else
		doctor_say(report, DOCTOR_NOTE, "io_uring",
			"this process may not use it: a seccomp filter or a limit refuses");
	doctor_consequence(report,
		"the prefetcher opens files one by one and reads by other calls: as fast on a rotational "
		"disk, slower on disks that serve many opens at once");
	if (disabled > 0)
		doctor_mend(report, "sudo sysctl -w kernel.io_uring_disabled=0");
}
