/* SPDX-License-Identifier: MIT */
/* Checks what surrounds this process: switches, filters, containers, memory, the installed parts. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths/mountinfo.h"
#include "base/plural.h"
#include "base/strings.h"
#include "doctor/checks.h"
#include "format/kill-switch.h"
#include "format/surroundings.h"

#define PRESSURE_HIGH 10u /* percent: above it the prefetcher does nothing (src/prefetch/limits/budget.c) */
#define MEMORY_LOW                                                                                           \
	10u /* percent of memory that is available: below it plans are cut, and the kernel soon evicts what was read */

static bool has_part(const struct doctor_host *host, const char *part)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", host->private, part);
	return host_exists(host, path);
}

/* The shims are in a package of their own, so they may be missing by choice; one without the other is none. */
void check_parts(const struct doctor_host *host, struct doctor_report *report)
{
	bool audit = has_part(host, "libheadstart-audit.so"),
	     preload = has_part(host, "libheadstart-preload.so");

	if (!has_part(host, "headstart-prefetch")) {
		doctor_say(report, DOCTOR_PROBLEM, "installed", "'%s/headstart-prefetch' is missing",
			host->private);
		doctor_consequence(report,
			"neither shims nor headstartd can read ahead; 'headstart run' works. Install "
			"headstart again, in the way it was installed");
	} else if (audit != preload) {
		doctor_say(report, DOCTOR_PROBLEM, "installed", "'%s/%s' is missing", host->private,
			audit ? "libheadstart-preload.so" : "libheadstart-audit.so");
		doctor_consequence(report,
			"no program can be started with this shim; 'headstart run' works. Install headstart "
			"again, in the way it was installed");
	} else if (!audit) {
		doctor_say(report, DOCTOR_OK, "installed",
			"version " HEADSTART_VERSION
			", prefetcher in %s, without the shims (package libheadstart)",
			host->private);
		doctor_consequence(report,
			"'headstart run', 'headstart install --app' and headstartd work without them; 'headstart run "
			"--audit', 'headstart install --user' and '--system' do not");
	} else {
		doctor_say(report, DOCTOR_OK, "installed",
			"version " HEADSTART_VERSION ", shims and prefetcher in %s", host->private);
	}
}

static void check_mode(const struct doctor_host *host, struct doctor_report *report)
{
	static const char *const modes[] = {"auto", "plan", "whole", NULL};
	const char *mode = host->variable("HEADSTART");

	if (!mode || !*mode)
		return;
	for (const char *const *known = modes; *known; known++)
		if (streq(mode, *known)) {
			doctor_say(report, DOCTOR_OK, "switches", "HEADSTART=%s", mode);
			return;
		}
	if (streq(mode, "off")) {
		doctor_say(report, DOCTOR_PROBLEM, "switches", "HEADSTART=off is in the environment");
		doctor_consequence(report, "headstart does nothing for programs that are started from here");
	} else {
		doctor_say(report, DOCTOR_NOTE, "switches", "'%s' is not a value for HEADSTART", mode);
		doctor_consequence(report, "it counts as auto; use off, plan, whole or auto");
	}
	doctor_mend(report, "unset HEADSTART");
}

void check_switches(const struct doctor_host *host, struct doctor_report *report)
{
	size_t before = report->n;

	if (host_exists(host, KILL_SWITCH)) {
		doctor_say(report, DOCTOR_PROBLEM, "switches", "the kill switch '%s' exists", KILL_SWITCH);
		doctor_consequence(report, "headstart does nothing for any program on this machine");
		doctor_mend(report, "sudo rm %s", KILL_SWITCH);
	}
	check_mode(host, report);
	if (report->n == before)
		doctor_say(report, DOCTOR_OK, "switches", "headstart is not switched off");
}

void check_settings(const struct doctor_host *host, struct doctor_report *report)
{
	if (host->wrong_settings == 0)
		return;
	doctor_say(report, DOCTOR_NOTE, "settings", "%u %s of settings", host->wrong_settings,
		plural_of(host->wrong_settings, "error", "errors"));
	doctor_consequence(report, "headstart ignores these lines or files");
	doctor_mend(report, "headstart config check");
}

void check_seccomp(const struct doctor_host *host, struct doctor_report *report)
{
	uint64_t mode;

	if (!host_number(host, "/proc/self/status", "Seccomp:", &mode)) {
		doctor_say(report, DOCTOR_PROBLEM, "seccomp", "/proc/self/status cannot be read");
		doctor_consequence(report,
			"the shims cannot tell whether a filter would kill the program, and do nothing");
		doctor_mend(report, "sudo mount -t proc proc /proc");
	} else if (mode != 0) {
		doctor_say(report, DOCTOR_NOTE, "seccomp",
			"a seccomp filter is in force in this process and what it starts");
		doctor_consequence(report,
			"the shims do nothing under a filter, which may make their calls fatal; 'headstart "
			"run' works as far as the filter lets it");
		doctor_mend(report, "headstart run -- PROGRAM");
	} else {
		doctor_say(report, DOCTOR_OK, "seccomp", "no filter in this process");
	}
}

/* The container that this is and the sign of it, or NULL. */
static const char *find_container(const struct doctor_host *host)
{
	const char *variable = host->variable("container");

	if (host_exists(host, "/.flatpak-info"))
		return "a Flatpak sandbox ('/.flatpak-info' exists)";
	if (host_exists(host, "/run/.containerenv"))
		return "a Podman container ('/run/.containerenv' exists)";
	if (host_exists(host, "/.dockerenv"))
		return "a Docker container, or an image of one ('/.dockerenv' exists)";
	if (host_exists(host, "/run/systemd/container"))
		return "a container that systemd knows ('/run/systemd/container' exists)";
	if (variable && *variable)
		return "a container ('container' is in the environment)";
	return NULL;
}

static bool root_is_overlay(const struct doctor_host *host)
{
	_cleanup_free_ char *text = NULL;
	struct mountinfo mount;
	char *rest;
	int r;

	if (host_read(host, "/proc/self/mountinfo", &text) < 0)
		return false;
	rest = text;
	while ((r = mountinfo_next(&rest, &mount)))
		if (r > 0 && streq(mount.root, "/") && streq(mount.point, "/") &&
			streq(mount.type, "overlay"))
			return true;
	return false;
}

/* As format/surroundings.h has it: the shims and the launcher ask the same. */
static void check_pid_namespace(const struct doctor_host *host, struct doctor_report *report)
{
	char full[PATH_MAX], name[SURROUNDINGS_NAMESPACE_SIZE];
	ssize_t length = host_path(host, SURROUNDINGS_PID_CHILDREN, full)
		? readlink(full, name, sizeof(name) - 1)
		: -1;

	if (length < 0)
		return;
	name[length] = '\0';
	if (streq(name, SURROUNDINGS_FIRST) || host_exists(host, SURROUNDINGS_EVERYWHERE))
		return;
	doctor_say(report, DOCTOR_NOTE, "container", "processes have numbers of their own here ('%s')", name);
	doctor_consequence(report,
		"the shims start no prefetcher, because process 1 might not expect one; 'headstart run' reads "
		"everything first and then starts the program");
	doctor_mend(report, "sudo mkdir -p /etc/headstart && sudo touch " SURROUNDINGS_EVERYWHERE);
}

/* What follows from the root's being an overlay depends on whether the kernel says what is cached of it. */
static void say_overlay(const struct doctor_host *host, const char *container, struct doctor_report *report)
{
	if (!container)
		container = "a container or a live system: its root is an overlay";
	if (host->residency == 0) {
		doctor_say(report, DOCTOR_OK, "container", "this is %s", container);
		return;
	}
	doctor_say(report, DOCTOR_NOTE, "container", "this is %s", container);
	doctor_consequence(report,
		"the kernel does not say what is cached of the root (%s): headstart takes a start for cold only "
		"until its files have been looked up, as after booting, and for warm after that, even if their "
		"pages were evicted since",
		strerror(-host->residency));
}

void check_container(const struct doctor_host *host, struct doctor_report *report)
{
	const char *container = find_container(host);
	size_t before = report->n;

	check_pid_namespace(host, report);
	if (root_is_overlay(host)) {
		say_overlay(host, container, report);
	} else if (container) {
		doctor_say(report, DOCTOR_NOTE, "container", "this is %s", container);
		doctor_consequence(report,
			"plans belong to the container, and the page cache to the machine: record inside the "
			"container, where the paths are those of the start");
	} else if (report->n == before) {
		doctor_say(report, DOCTOR_OK, "container", "none");
	}
}

void check_memory(const struct doctor_host *host, struct doctor_report *report)
{
	uint64_t total, available, pressure = 0, swap = 0, swap_free = 0;

	if (!host_number(host, "/proc/meminfo", "MemTotal:", &total) || total == 0 ||
		!host_number(host, "/proc/meminfo", "MemAvailable:", &available)) {
		doctor_say(report, DOCTOR_NOTE, "memory", "/proc/meminfo cannot be read");
		return;
	}
	host_number(host, "/proc/pressure/memory", "some avg10=", &pressure);
	host_number(host, "/proc/meminfo", "SwapTotal:", &swap);
	host_number(host, "/proc/meminfo", "SwapFree:", &swap_free);
	if (pressure >= PRESSURE_HIGH) {
		doctor_say(report, DOCTOR_PROBLEM, "memory", "tasks wait for memory %llu %% of the time",
			(unsigned long long)pressure);
		doctor_consequence(report, "headstart prefetches nothing meanwhile");
	} else if (available / (total / 100 + 1) < MEMORY_LOW) {
		doctor_say(report, DOCTOR_NOTE, "memory", "%llu of %llu MiB are available",
			(unsigned long long)available / 1024, (unsigned long long)total / 1024);
		doctor_consequence(report,
			"headstart prefetches less than planned, and pages may be evicted before they are "
			"used");
	} else if (swap > 0 && swap_free < swap / 10) {
		doctor_say(report, DOCTOR_NOTE, "memory", "nearly all swap is used");
		doctor_consequence(report,
			"the kernel takes memory from the page cache next: starts are cold more often");
	} else {
		doctor_say(report, DOCTOR_OK, "memory", "%llu of %llu MiB are available, no pressure",
			(unsigned long long)available / 1024, (unsigned long long)total / 1024);
	}
}
