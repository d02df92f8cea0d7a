/* SPDX-License-Identifier: MIT */
/* headstart restore: reads back what a snapshot says was in memory. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open.h"
#include "lib/print-json.h"
#include "lib/settings.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/load.h"
#include "prefetch/prefetch.h"
#include "report/json-text.h"
#include "report/words.h"
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
	static const struct option longs[] = {
		{"dry-run", no_argument, NULL, 'n'},
		{"idle", no_argument, NULL, 'i'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = verb_option(argc, argv, ":h", longs)) != -1) {
		switch (option) {
		case 'h':
			return fputs(help, stdout) < 0 ? VERB_FAILED : 0;
		case 'n':
			request->dry_run = true;
			break;
		case 'i':
			request->idle = true;
			break;
		case 'j':
			request->json = true;
			break;
		default:
			return VERB_USAGE;
		}
	}
	if (argc - optind != 1)
		return verb_usage(
			"restore", argc == optind ? "give the FILE of a snapshot" : "give one FILE");
	request->path = argv[optind];
	return -1;
}

/* Returns 0, or an exit status after printing the reason. */
static int load(const char *path, struct loaded_plan *ret)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	enum plan_fault fault = PLAN_GOOD;
	int r;

	if (fd == -EISDIR || fd == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (fd < 0)
		return verb_fail_errno(fd, "cannot read '%s'", path);
	r = plan_load(fd, ret, &fault);
	if (r == -EBADMSG && fault == PLAN_FOREIGN)
		return verb_fail("'%s' is not a snapshot", path);
	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, plan_fault_text(fault));
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (plan_is_snapshot(&ret->view))
		return 0;
	loaded_plan_release(ret);
	return verb_fail(
		"'%s' is a plan of a program, not a snapshot; 'headstart run --plan FILE -- …' uses it",
		path);
}

static int carry_out(const struct request *request, const struct plan_view *plan, struct prefetch_result *ret)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct prefetch_options options = {.plan_owner = geteuid(), .idle = request->idle, .wait = true};

	if (request->dry_run)
		return prefetch_examine(plan, ret);
	if (process_room("") < PROCESS_ROOM_MIN)
		return -EAGAIN;
	settings_read(&config, false, false);
	options.memory_limit = config.memory;
	return prefetch_run(plan, &options, ret);
}

static void add_number(struct json_object *json, const char *name, bool known, uint64_t number)
{
	json_object_object_add(json, name, known ? json_object_new_uint64(number) : NULL);
}

static int print_object(
	const struct request *request, const struct plan_view *plan, const struct prefetch_result *result)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "snapshot", json_text(request->path));
	json_object_object_add(json, "folder", json_text(plan_program(plan)));
	json_object_object_add(json, "dry_run", json_object_new_boolean(request->dry_run));
	add_number(json, "opened", true, result->opened);
	add_number(json, "changed", true, result->stale);
	add_number(json, "gone", true, result->missing);
	add_number(json, "unreadable", true, result->refused);
	add_number(json, "bytes", true, result->bytes_asked);
	if (request->dry_run) {
		add_number(json, "bytes_in_memory", !result->verify_blind, result->bytes_resident_before);
	} else {
		json_object_object_add(
			json, "engine", json_object_new_string(prefetch_engine_name(result->engine)));
		add_number(json, "bytes_read", result->read_known, result->bytes_read);
		add_number(json, "bytes_beyond_memory", true, result->bytes_skipped_budget);
		add_number(json, "opened_us", true, result->opened_us);
		add_number(json, "elapsed_us", true, result->elapsed_us);
	}
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static void print_data(const struct request *request, const struct prefetch_result *result)
{
	char a[WORDS_MAX], b[WORDS_MAX];

	printf("data     %s", words_bytes(result->bytes_asked, a));
	if (request->dry_run && !result->verify_blind)
		printf(", %s of it in memory already", words_bytes(result->bytes_resident_before, b));
	if (!request->dry_run && result->read_known)
		printf(", %s of it read from the disk", words_bytes(result->bytes_read, b));
	putchar('\n');
}

static int print_text(const struct request *request, const struct prefetch_result *result)
{
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX], d[WORDS_MAX];

	printf("names    %s; left out: %s changed, %s gone, %s not readable\n",
		words_count(result->opened, a), words_count(result->stale, b),
		words_count(result->missing, c), words_count(result->refused, d));
	print_data(request, result);
	if (!request->dry_run)
		printf("took     %.1f s\n", (double)result->elapsed_us / 1e6);
	if (result->bytes_skipped_budget > 0)
		printf("too much for the memory that is available: %s\n",
			words_bytes(result->bytes_skipped_budget, a));
	return fflush(stdout) == 0 ? 0 : verb_fail_errno(errno, "cannot write to standard output");
}

int cmd_restore(int argc, char **argv)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	struct prefetch_result result = {0};
	struct request request = {0};
	int r = parse(argc, argv, &request);

	if (r >= 0)
		return r;
	r = load(request.path, &plan);
	if (r)
		return r;
	r = carry_out(&request, &plan.view, &result);
	if (r == -EAGAIN)
		return verb_fail(
			"nothing was read: fewer than %d more processes can be started", PROCESS_ROOM_MIN);
	if (r < 0)
		return verb_fail_errno(r, "cannot restore '%s'", request.path);
	return request.json ? print_object(&request, &plan.view, &result) : print_text(&request, &result);
}
