/* SPDX-License-Identifier: MIT */
/*
 * headstart restore: reads back what a snapshot says was in memory. It is part of the launcher, because it stands in front
 * of cold work, and reading the libraries of headstart-tool would take longer than the folders of a large tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "lib/options/options.h"
#include "lib/settings/settings.h"
#include "plan/store/load.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/prefetch.h"
#include "verb.h"

static const char help[] =
	"usage: headstart restore [OPTION…] FILE\n"
	"Reads into memory what was there when 'headstart snapshot' wrote FILE, in the order that suits the\n"
	"disk. Files that have changed since are left out.\n"
	"\n"
	"options:\n"
	"      --dry-run  say what would be read, and read no data\n"
	"      --idle     use the disk only when no other process does\n"
	"      --json     print the result as one JSON object\n"
	"  -h, --help     print this\n";

struct request {
	const char *path;
	bool dry_run, idle, json;
};

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
	const struct option_row options[] = {
		{"dry-run", .flag = &request->dry_run},
		{"idle", .flag = &request->idle},
		{"json", .flag = &request->json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (argc - optind != 1)
		return verb_usage(
			"restore", argc == optind ? "give the FILE of a snapshot" : "give one FILE");
	request->path = argv[optind];
	return -1;
}

/* Returns 0, or an exit status after printing the reason. *ret_owner is the only user who can write to the file, or -1. */
static int load(const char *path, struct loaded_plan *ret, uid_t *ret_owner)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	enum plan_fault fault = PLAN_GOOD;
	struct stat st;
	int r;

	if (fd == -EISDIR || fd == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (fd < 0)
		return verb_fail_errno(fd, "cannot read '%s'", path);
	r = fstat(fd, &st) < 0 ? -errno : plan_load(fd, ret, &fault);
	if (r == -EBADMSG && fault == PLAN_FOREIGN)
		return verb_fail("'%s' is not a snapshot: 'headstart snapshot -o FILE' writes one", path);
	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, plan_fault_text(fault));
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (plan_is_snapshot(&ret->view)) {
		*ret_owner = st.st_mode & (S_IWGRP | S_IWOTH) ? (uid_t)-1 : st.st_uid;
		return 0;
	}
	loaded_plan_release(ret);
	return verb_fail(
		"'%s' is a plan of a program, not a snapshot; 'headstart run --plan FILE -- …' uses it",
		path);
}

static int carry_out(
	const struct request *request, const struct plan_view *plan, uid_t owner, struct prefetch_result *ret)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct prefetch_options options = {.plan_owner = owner, .idle = request->idle, .wait = true};

	if (request->dry_run)
		return prefetch_examine(plan, ret);
	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	settings_read(&config, false, false);
	options.memory_limit = config.memory;
	return prefetch_run(plan, &options, ret);
}

static void print_number(const char *name, bool known, uint64_t number)
{
	if (known)
		printf(", \"%s\": %" PRIu64, name, number);
	else
		printf(", \"%s\": null", name);
}

static void print_object(const struct request *request, const struct prefetch_result *result)
{
	printf("{\"dry_run\": %s", request->dry_run ? "true" : "false");
	print_number("opened", true, result->opened);
	print_number("changed", true, result->stale);
	print_number("gone", true, result->missing);
	print_number("unreadable", true, result->refused);
	print_number("bytes", true, result->bytes_asked);
	if (request->dry_run) {
		print_number("bytes_in_memory", !result->verify_blind, result->bytes_resident_before);
	} else {
		printf(", \"engine\": \"%s\"", prefetch_engine_name(result->engine));
		print_number("bytes_read", result->read_known, result->bytes_read);
		print_number("bytes_beyond_memory", true, result->bytes_skipped_budget);
		print_number("opened_us", true, result->opened_us);
		print_number("elapsed_us", true, result->elapsed_us);
	}
	puts("}");
}

static double megabytes(uint64_t bytes)
{
	return (double)bytes / 1e6;
}

static void print_text(const struct request *request, const struct prefetch_result *result)
{
	printf("names    %" PRIu32 "; left out: %" PRIu32 " changed, %" PRIu32 " gone, %" PRIu32
	       " not readable\n",
		result->opened, result->stale, result->missing, result->refused);
	printf("data     %.1f MB", megabytes(result->bytes_asked));
	if (request->dry_run && !result->verify_blind)
		printf(", %.1f MB of it in memory already", megabytes(result->bytes_resident_before));
	if (!request->dry_run && result->read_known && result->bytes_read == 0 && result->bytes_asked > 0)
		printf(", all of it in memory already");
	else if (!request->dry_run && result->read_known && result->bytes_asked > 0)
		printf(", %.1f MB of it read from the disk", megabytes(result->bytes_read));
	putchar('\n');
	if (result->bytes_skipped_budget > 0)
		printf("left     %.1f MB, which are too much for the memory that is available\n",
			megabytes(result->bytes_skipped_budget));
	if (!request->dry_run)
		printf("took     %.2f s\n", (double)result->elapsed_us / 1e6);
}

/* Returns 0, or an exit status after printing the reason. */
static int check_read(const struct prefetch_result *result)
{
	return result->opened == 0 && result->stale + result->missing + result->refused > 0
		? verb_fail("nothing could be read: all of it has changed, is gone, or is not readable")
		: 0;
}

int cmd_restore(int argc, char **argv)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	struct prefetch_result result = {0};
	struct request request = {0};
	uid_t owner = 0;
	int r = parse(argc, argv, &request);

	if (r >= 0)
		return r;
	r = load(request.path, &plan, &owner);
	if (r)
		return r;
	r = carry_out(&request, &plan.view, owner, &result);
	if (r == -EAGAIN)
		return verb_fail(
			"nothing was read: fewer than %d more processes can be started", PROCESS_ROOM_MIN);
	if (r < 0)
		return verb_fail_errno(r, "cannot restore '%s'", request.path);
	if (request.json)
		print_object(&request, &result);
	else
		print_text(&request, &result);
	r = verb_flush();
	return r ? r : check_read(&result);
}
