/* SPDX-License-Identifier: MIT */
/* headstart boot prefetch: carries out the plan of a boot. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "boot/command-line.h"
#include "boot/files.h"
#include "boot/recorder.h"
#include "format/kill-switch.h"
#include "lib/programs/notify.h"
#include "lib/settings/settings.h"
#include "plan/store/load.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/prefetch.h"
#include "verb.h"
#include "verbs/boot/boot.h"

#define TIME_MS    30000      /* a boot that takes longer has read by itself what it needs */
#define PLAN_EARLY (1u << 20) /* bytes: more than the plan of a boot has */

int boot_switched_off(void)
{
	if (boot_mode_read(BOOT_COMMAND_LINE) == BOOT_OFF)
		verb_note("nothing is done for this boot: the kernel's command line says headstart=off");
	else if (access(KILL_SWITCH, F_OK) == 0)
		verb_note("nothing is done for this boot: '%s' switches headstart off", KILL_SWITCH);
	else
		return 0;
	return 1;
}

/* Returns 0, or an exit status after printing the reason; *ret_none: there is no plan, which is no failure. */
static int load(const char *path, struct loaded_plan *plan, bool *ret_none)
{
	_cleanup_close_ int fd = boot_open(path);
	enum plan_fault fault = PLAN_GOOD;
	int r;

	*ret_none = fd == -ENOENT;
	if (*ret_none)
		return 0;
	if (fd == -EPERM)
		return verb_fail("'%s' is not used: others than root could have written it", path);
	r = fd < 0 ? fd : plan_load(fd, plan, &fault);
	if (r == -EBADMSG)
		return verb_fail(
			"'%s' %s; 'headstart boot record' makes another", path, plan_fault_text(fault));
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (!plan_is_snapshot(&plan->view))
		return verb_fail("'%s' is the plan of a program, not that of a boot", path);
	return 0;
}

static int carry_out_locked(const struct plan_view *plan, const struct config *config)
{
	struct prefetch_options options = {.wait = true, .time_budget_ms = TIME_MS};
	struct prefetch_result result = {0};
	uint32_t files;
	int r;

	if (process_room("") < PROCESS_ROOM_MIN)
		return verb_fail(
			"nothing was read: fewer than %d more processes can be started", PROCESS_ROOM_MIN);
	options.memory_limit = config->memory;
	options.plan_owner = geteuid();
	/* On a disk without a head the services read meanwhile; on one with a head they would only move it away. */
	if (LE32(plan->header->order) != PLAN_ORDER_PHYSICAL)
		notify("READY=1");
	r = prefetch_run(plan, &options, &result);
	if (r < 0)
		return verb_fail_errno(r, "cannot carry out the plan of a boot");
	files = result.opened + result.stale + result.missing;
	verb_note("asked for %.1f MB in %u file%s, %u of them changed or gone, in %.2f s",
		(double)result.bytes_asked / 1e6, files, plural(files), result.stale + result.missing,
		(double)result.elapsed_us / 1e6);
	return 0;
}

/* The file of the lock stays when it is done: so the unit knows that headstart-init has done it. */
static int carry_out(const struct plan_view *plan, const struct config *config)
{
	_cleanup_close_ int lock = boot_lock(BOOT_PREFETCHER);
	int r = carry_out_locked(plan, config);

	if (r != 0 && lock >= 0)
		(void)unlink(BOOT_PREFETCHER);
	return r;
}

/* Has the plan, and the folders on its path, read. */
static void *read_early(void *path)
{
	int fd = boot_open(path);

	if (fd >= 0) {
		(void)readahead(fd, 0, PLAN_EARLY);
		close(fd);
	}
	return NULL;
}

static int read_and_carry_out(const char *path)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	_cleanup_(config_releasep) struct config config = {0};
	bool none = false;
	int r;

	settings_read(&config, false, false);
	r = load(path, &plan, &none);
	if (none)
		verb_note("there is no plan of a boot yet; 'headstart boot record' makes one");
	return r || none ? r : carry_out(&plan.view, &config);
}

/*
 * What switches headstart off, the settings, and the plan lie at the ends of two chains of folders, each of which waits for the one
 * above. Both are read at once: on a lazily loaded volume a read takes 30 ms.
 */
static int prefetch(void)
{
	_cleanup_free_ char *path = NULL;
	enum boot_mode mode = boot_mode_read(BOOT_COMMAND_LINE);
	pthread_t early;
	bool reads_early;
	int r;

	if (mode == BOOT_RECORD) {
		verb_note("no plan is carried out: the kernel's command line says headstart=record");
		return 0;
	}
	r = boot_path(BOOT_PLAN, &path);
	if (r < 0)
		return r == -EPERM
			? verb_fail("HEADSTART_STATE names a folder that others can change: unset it")
			: verb_fail_errno(r, "cannot find the plan of a boot");
	reads_early = mode != BOOT_OFF && pthread_create(&early, NULL, read_early, path) == 0;
	r = boot_switched_off() ? 0 : read_and_carry_out(path);
	if (reads_early)
		pthread_join(early, NULL);
	return r;
}

int boot_prefetch(void)
{
	int r;

	if (geteuid() != 0)
		return verb_fail("only root carries out the plan of a boot: sudo headstart boot prefetch");
	prctl(PR_SET_NAME, BOOT_NAME);
	r = prefetch();
	notify("READY=1"); /* whatever has happened, the boot goes on */
	return r;
}
