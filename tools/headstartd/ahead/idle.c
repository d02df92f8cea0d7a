/* SPDX-License-Identifier: MIT */
#include "headstartd/ahead/idle.h"
#include "base/plural.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/run/process.h"
#include "base/times.h"
#include "headstartd/ahead/warm.h"
#include "lib/settings/settings.h"
#include "prefetch/limits/activity.h"
#include "report/words.h"
#include "verb.h"

#define GRACE_MS 5000   /* until a child is killed */
#define SAVE_MS  600000 /* habits are written so much later: what a killed daemon loses is an hour's count */

static void read_habits(struct idle *idle)
{
	const char *path = idle->saver.path;
	enum records_fault fault;
	int r = saver_read(&idle->saver, &fault);

	if (r < 0) {
		verb_note("'%s' cannot be read, and nothing is done ahead: %s", path, strerror(-r));
		idle->enabled = false;
	}
	if (fault == RECORDS_DAMAGED)
		verb_note("'%s' is damaged: habits are learnt anew", path);
	if (fault == RECORDS_NEWER) {
		verb_note("'%s' was written by a newer headstart: nothing is done ahead", path);
		idle->enabled = false;
	}
}

int idle_init(struct idle *idle, const struct carry *carry, bool enabled, bool silent)
{
	int r;

	*idle = (struct idle){
		.enabled = enabled, .silent = silent, .carry = carry, .told = -1, .saver = SAVER_INIT};
	idle->saver.format = &habits_format;
	idle->saver.content = &idle->habits;
	idle->saver.changed = &idle->habits.changed;
	idle->saver.delay_ms = SAVE_MS;
	r = renew_init(&idle->renew);
	if (r == 0 && asprintf(&idle->saver.path, "%s/learn/habits", idle->renew.folder) < 0)
		r = -ENOMEM;
	if (r == 0 && enabled)
		read_habits(idle);
	return r;
}

void idle_started(struct idle *idle, const char *program)
{
	bool believed = calendar_today(&idle->calendar) != 0;

	if (!idle->enabled || !settings_permit(program, false).learn)
		return;
	(void)habits_started(&idle->habits, program, local_seconds(), believed);
	saver_note(&idle->saver);
}

void idle_yield(struct idle *idle)
{
	if (idle->warming)
		kill(idle->warming, SIGKILL);
}

/* The clocks come first, one right after the other: what is between them counts as sleep. */
static void look(struct idle *idle)
{
	struct machine machine = {0};
	struct timespec boot;

	machine.now_ms = monotonic_ms();
	clock_gettime(CLOCK_BOOTTIME, &boot);
	machine.boot_ms = (uint64_t)nanoseconds(boot) / 1000000;
	machine.disks_ms = disks_busy_ms("");
	machine.io = pressure_of("", "io");
	machine.cpu = pressure_of("", "cpu");
	machine.memory = pressure_of("", "memory");
	machine.disk_asleep = rotational_disk_asleep("");
	machine.on_battery = on_battery("");
	quiet_look(&idle->quiet, &machine);
	tzset(); /* somebody may have moved to another time zone */
}

static bool start_warming(struct idle *idle)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	idle->warming = fork();
	if (idle->warming == 0)
		warm_programs(idle->carry, &idle->habits, local_seconds(), ends[1]);
	close(ends[1]);
	idle->told = ends[0];
	if (idle->warming > 0)
		return true;
	idle->warming = 0;
	close(TAKE_FD(idle->told));
	return false;
}

static bool works(const struct idle *idle)
{
	return idle->warming || idle->renew.child;
}

static bool wants_renewal(const struct idle *idle)
{
	return idle->renew.next || !idle->renew.marked;
}

uint64_t idle_next_ms(const struct idle *idle)
{
	uint64_t next;

	if (!idle->enabled)
		return UINT64_MAX;
	next = idle->renew.child ? idle->renew.give_up_ms
		: idle->warming  ? UINT64_MAX
				 : quiet_next_ms(&idle->quiet, wants_renewal(idle));
	return saver_next_ms(&idle->saver) < next ? saver_next_ms(&idle->saver) : next;
}

void idle_work(struct idle *idle, bool may_write, bool off)
{
	uint64_t now = monotonic_ms();
	bool begun = false;

	if (idle->enabled)
		saver_work(&idle->saver);
	if (idle->renew.child && idle->renew.give_up_ms <= now)
		renew_ended(&idle->renew, -1, now);
	if (!idle->enabled || works(idle) || quiet_next_ms(&idle->quiet, wants_renewal(idle)) > now)
		return;
	look(idle);
	if (off)
		return;
	if (renew_look(&idle->renew, now) && may_write && quiet_now(&idle->quiet))
		begun = renew_start(&idle->renew, idle->silent);
	else if (quiet_now(&idle->quiet) && quiet_wants_warming(&idle->quiet))
		begun = start_warming(idle);
	else if (!idle->renew.next && !idle->renew.marked && quiet_now(&idle->quiet))
		begun = renew_start(&idle->renew, idle->silent);
	if (begun)
		quiet_work(&idle->quiet);
}

static void note_warmed(struct habits *habits, uint64_t hash, int64_t now)
{
	for (size_t i = 0; i < habits->n; i++)
		if (habits->items[i].hash == hash)
			habits->items[i].warmed = now;
	habits->changed = true;
}

/* Also says so, in one line. */
static void take_warmed(struct idle *idle)
{
	uint64_t n = 0, bytes = 0;
	char text[WORDS_MAX];
	struct warmed warmed;

	while (read(idle->told, &warmed, sizeof(warmed)) == sizeof(warmed)) {
		n++;
		bytes += warmed.bytes;
		note_warmed(&idle->habits, warmed.hash, time(NULL));
	}
	if (n == 0)
		return;
	idle->n_warmed += n;
	idle->warmed_bytes += bytes;
	idle->warmed = time(NULL);
	if (!idle->silent)
		verb_note("warmed %llu program%s, %s, which are likely to be started now: %s",
			(unsigned long long)n, plural(n), words_bytes(bytes, text),
			quiet_reason_text(idle->quiet.reason));
	saver_hurry(&idle->saver); /* 'headstart why' says so */
}

static void warming_ended(struct idle *idle, int status)
{
	take_warmed(idle);
	close(TAKE_FD(idle->told));
	idle->warming = 0;
	if (status != 0)
		return;
	idle->n_done++;
	quiet_warmed(&idle->quiet);
}

bool idle_child_ended(struct idle *idle, pid_t pid, int status)
{
	if (pid == idle->warming)
		warming_ended(idle, status);
	else if (pid == idle->renew.child)
		renew_ended(&idle->renew, status, monotonic_ms());
	else
		return saver_child_ended(&idle->saver, pid, status);
	return true;
}

void idle_release(struct idle *idle)
{
	const pid_t children[] = {idle->warming, idle->renew.child};

	idle_yield(idle);
	for (size_t i = 0; i < sizeof(children) / sizeof(*children); i++)
		if (children[i] && !process_wait(children[i], GRACE_MS))
			kill(children[i], SIGKILL);
	saver_release(&idle->saver, idle->enabled);
	if (idle->told >= 0)
		close(idle->told);
	renew_release(&idle->renew);
	habits_release(&idle->habits);
}
