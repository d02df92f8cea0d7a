/* SPDX-License-Identifier: MIT */
/* systemctl(1); the properties: org.freedesktop.systemd1(5). */
#include "boot/units.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/run/process.h"
#include "base/run/search.h"
#include "base/strings.h"

#define SYSTEMD_RUNS "/run/systemd/system" /* sd_booted(3) */
#define TIMEOUT_MS   30000                 /* it runs when the machine has better things to do */

/* A unit that is being read. */
struct block {
	const char *unit;
	uint64_t started, active, main_since; /* microseconds; 0: never */
	uint64_t main_pid;
};

void boot_units_release(struct boot_units *units)
{
	free(units->text);
	free(units->said);
	free(units->members);
	*units = (struct boot_units){0};
}

/* Digits alone. */
static bool parse_number(const char *text, uint64_t *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return !*end && errno == 0;
}

static void take_line(struct block *block, const char *key, const char *value)
{
	uint64_t number;

	if (streq(key, "Id")) {
		block->unit = *value && strlen(value) <= NAME_MAX ? value : NULL;
		return;
	}
	if (!parse_number(value, &number) || number > UINT64_MAX / 1000 - 1)
		return;
	if (streq(key, "InactiveExitTimestampMonotonic"))
		block->started = number;
	else if (streq(key, "ActiveEnterTimestampMonotonic"))
		block->active = number;
	else if (streq(key, "ExecMainStartTimestampMonotonic"))
		block->main_since = number;
	else if (streq(key, "ExecMainPID"))
		block->main_pid = number;
}

static uint64_t moment(uint64_t us)
{
	return us ? us * 1000 : TIMELINE_NEVER;
}

static int add_block(const struct block *block, struct boot_units *units)
{
	const struct timeline_said said = {block->unit, moment(block->started), moment(block->active)};
	int r;

	if (!block->unit)
		return 0;
	r = ARRAY_RESERVE(units->said, units->said_capacity, units->n_said + 1);
	if (r < 0)
		return r;
	units->said[units->n_said++] = said;
	if (block->main_pid == 0 || block->main_pid > INT32_MAX || block->main_since == 0)
		return 0;
	r = ARRAY_RESERVE(units->members, units->members_capacity, units->n_members + 1);
	if (r < 0)
		return r;
	units->members[units->n_members++] = (struct timeline_member){
		.time = block->main_since * 1000, .pid = (int32_t)block->main_pid, .unit = block->unit};
	return 0;
}

int boot_units_parse(char *text, struct boot_units *ret)
{
	struct block block = {0};
	int r = 0;

	ret->text = text;
	for (char *line = text, *next; r == 0 && line; line = next) {
		char *value = line + strcspn(line, "=\n");

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line == '\0') {
			r = add_block(&block, ret);
			block = (struct block){0};
		} else if (*value == '=') {
			*value = '\0';
			take_line(&block, line, value + 1);
		}
	}
	return r == 0 ? add_block(&block, ret) : r;
}

int boot_units_ask(struct boot_units *ret)
{
	_cleanup_(process_result_releasep) struct process_result result = {0};
	char path[PATH_MAX];
	const char *const argv[] = {path, "show", "*",
		"--property=Id,InactiveExitTimestampMonotonic,ActiveEnterTimestampMonotonic,ExecMainPID,"
		"ExecMainStartTimestampMonotonic",
		"--no-pager", NULL};
	const struct process_options options = {
		.argv = argv, .timeout_ms = TIMEOUT_MS, .output_max = BOOT_UNITS_MAX};
	int r;

	if (access(SYSTEMD_RUNS, F_OK) < 0)
		return -ENOENT;
	r = search_folders(SEARCH_DEFAULT, "systemctl", search_check_executable, NULL, path);
	if (r == 0)
		r = process_run(&options, &result);
	if (r < 0)
		return r;
	return result.status == 0 ? boot_units_parse(TAKE_PTR(result.out), ret) : -EIO;
}
