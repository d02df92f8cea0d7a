/* SPDX-License-Identifier: MIT */
/* headstart boot record: records what everybody reads while the machine boots. */
#include <errno.h>
#include <inttypes.h>
#include <linux/ioprio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "base/plural.h"
#include "base/run/signals.h"
#include "boot/command-line.h"
#include "boot/files.h"
#include "boot/keep.h"
#include "boot/recorder.h"
#include "boot/units.h"
#include "lib/files/stranger-refusal.h"
#include "lib/programs/notify.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "plan/store/store.h"
#include "record/restore/kernelfs.h"
#include "record/running/machine.h"
#include "report/words.h"
#include "timeline/timeline-file.h"
#include "timeline/units.h"
#include "verb.h"
#include "verbs/boot/boot.h"

static int fail_to_trace(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return verb_fail(
			"the kernel refuses tracing here, as in most containers; nothing is recorded");
	case -ENOENT:
	case -ENODEV:
		return verb_fail(
			"this kernel has no tracefs, or no events of the page cache (CONFIG_FTRACE); nothing is recorded");
	case -EOPNOTSUPP:
		return verb_fail(
			"the kernel does not tell which files are opened (CONFIG_FANOTIFY); "
			"nothing is recorded");
	case -ENODATA:
		return verb_fail("nothing was read meanwhile; the plan stays as it is");
	default:
		return verb_fail_errno(err, "cannot record the boot");
	}
}

static void begun(void *context)
{
	notify("READY=1");
	verb_note("recording what is read; 'headstart boot stop' ends that");
}

/* The machine has better things to do now: what follows reads some files, and nobody waits for it. */
static void over(void *context)
{
	(void)setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

static void tell(size_t files, double seconds, const struct boot_kept *kept)
{
	const struct plan_summary *summary = &kept->summary;
	char bytes[WORDS_MAX];

	if (kept->damaged)
		verb_note("the recordings of earlier boots were damaged, and are replaced");
	verb_note("%zu file%s read in %.1f s; the plan, of %zu boot%s, has %s in %zu file%s", files,
		plural_of(files, " was", "s were"), seconds, kept->recordings, plural(kept->recordings),
		words_bytes(summary->bytes, bytes), summary->files, plural(summary->files));
}

/* The first program began before systemd had mounted anything. Where the folder lies may not be mounted yet, or not any more. */
static bool is_folder_there(void)
{
	_cleanup_free_ char *folder = NULL;

	return store_folder(&folder) == 0 && access(folder, F_OK) == 0;
}

static int keep(struct machine_result *result, bool first)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *profile = NULL, *plan = NULL;
	bool anew = boot_mode_read(BOOT_COMMAND_LINE) == BOOT_RECORD;
	struct plan_options options = {0};
	struct boot_kept kept = {0};
	size_t files = result->profile.n_files;
	int r = boot_path(BOOT_PROFILE, &profile);

	if (r == 0)
		r = boot_path(BOOT_PLAN, &plan);
	if (r < 0)
		return verb_fail_errno(r, "cannot find the plan of a boot");
	if (first && !is_folder_there())
		return verb_fail("cannot write '%s': its folder is not there, or not mounted", plan);
	settings_read(&config, false, false);
	plan_settings(&config, &options);
	r = boot_keep(&result->profile, anew, profile, plan, &options, &kept);
	if (r == -EPERM)
		return verb_fail("'%s' is not used: others than root could have written it", profile);
	if (r == -EPROTO)
		return verb_fail("'%s' was written by a newer headstart, and stays as it is", profile);
	if (r == -ENODATA)
		return verb_fail("there is nothing to read ahead: what was read is not on a disk");
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", plan);
	tell(files, result->seconds, &kept);
	return 0;
}

/* Which processes were in which units, by the kernel and by systemd together. The caller frees *ret, but not the names. */
static int join_members(const struct machine_result *result, const struct boot_units *units,
	struct timeline_member **ret, size_t *ret_n)
{
	struct timeline_member *members = calloc(result->n_members + units->n_members + 1, sizeof(*members));

	if (!members)
		return -ENOMEM;
	if (result->n_members)
		memcpy(members, result->members, result->n_members * sizeof(*members));
	if (units->n_members)
		memcpy(members + result->n_members, units->members, units->n_members * sizeof(*members));
	*ret = members;
	*ret_n = result->n_members + units->n_members;
	return 0;
}

static int save_timeline(const struct machine_result *result, const char *path)
{
	_cleanup_(boot_units_releasep) struct boot_units units = {0};
	_cleanup_(timeline_releasep) struct timeline timeline = {0};
	_cleanup_free_ struct timeline_member *members = NULL;
	struct timeline_boot boot = {.began = result->began};
	int r = boot_units_ask(&units);

	if (r < 0 && r != -ENOENT)
		verb_note("systemd does not say when its units were started: %s", strerror(-r));
	boot.said = units.said;
	boot.n_said = units.n_said;
	r = join_members(result, &units, &members, &boot.n_members);
	boot.members = members;
	if (r == 0)
		r = timeline_of_units(&result->timeline, &boot, &timeline);
	return r < 0 ? r : timeline_save(&timeline, path);
}

/* What the boot waited for. The plan is as good without it. */
static void keep_timeline(const struct machine_result *result)
{
	_cleanup_free_ char *path = NULL;
	int r = boot_path(BOOT_TIMELINE, &path);

	if (r < 0)
		return;
	(void)unlink(path); /* that of the boot before */
	if (result->timeline.n_threads == 0) {
		verb_note(
			"the kernel does not tell what threads do here, so there is no timeline of this boot");
		return;
	}
	r = save_timeline(result, path);
	if (r < 0)
		verb_note("cannot write '%s': %s", path, strerror(-r));
	else
		verb_note("'headstart boot report' says what each unit waited for");
}

/* Returns 0 or negative errno; the descriptors are the caller's to close. */
static int take_signals(struct machine_options *options)
{
	int r = signals_take((const int[]){BOOT_STOP, 0}, NULL, &options->stop);

	if (r == 0)
		r = signals_take((const int[]){BOOT_STOP_IDLE, 0}, NULL, &options->stop_idle);
	return r < 0 ? r : signals_take((const int[]){SIGTERM, 0}, NULL, &options->abandon);
}

static int record_with(struct machine_options *options, bool first)
{
	struct machine_result result = {0};
	int r = machine_record(options, &result);

	if (r == -ECANCELED) {
		verb_note("ended before the machine had booted; the plan stays as it is");
		return 0;
	}
	if (r < 0)
		return fail_to_trace(r);
	r = keep(&result, first);
	if (r == 0)
		keep_timeline(&result);
	machine_result_release(&result);
	return r;
}

static int record(double timeout, bool first)
{
	_cleanup_close_ int lock = -1, tracefs = -1;
	struct machine_options options = {.instance = BOOT_NAME,
		.except = BOOT_NAME,
		.timeout = timeout,
		.timeline = true,
		.own = first,
		.command = "boot",
		.milestone = "stop",
		.begun = begun,
		.over = over};
	pid_t prefetcher;
	int r = take_signals(&options); /* the descriptors go with the process */

	if (r < 0)
		return verb_fail_errno(r, "cannot receive signals");
	lock = boot_lock(BOOT_RECORDER); /* from now on 'boot stop' sends them */
	if (lock == -EBUSY)
		return verb_fail("another process is recording; 'headstart boot stop' ends that");
	if (lock < 0)
		return verb_fail_errno(lock, "cannot lock '%s'", BOOT_RECORDER);
	tracefs = kernelfs_open_tracefs();
	if (tracefs < 0)
		return fail_to_trace(tracefs);
	prefetcher = lock_file_holder(BOOT_PREFETCHER);
	options.ignored = prefetcher > 0 ? prefetcher : 0;
	options.tracefs = tracefs;
	return record_with(&options, first);
}

int boot_record(double timeout, bool first)
{
	int r;

	if (geteuid() != 0)
		return verb_fail("only root can record what all processes read: sudo headstart boot record");
	r = refuse_strange_state();
	if (r != 0)
		return r;
	prctl(PR_SET_NAME, BOOT_NAME);
	if (!boot_switched_off() && !boot_repairs_read(BOOT_COMMAND_LINE))
		return record(timeout, first);
	notify("READY=1");
	return 0;
}
