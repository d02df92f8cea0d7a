/* SPDX-License-Identifier: MIT */
/* headstart-prefetch: carries out one plan and exits. The audit shim and `headstart run` start it detached. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/standard-streams.h"
#include "base/plural.h"
#include "base/strings.h"
#include "lib/settings/settings.h"
#include "plan/store/disks.h"
#include "plan/store/load.h"
#include "prefetch/limits/process-room.h"
#include "prefetch/log.h"
#include "prefetch/prefetch.h"
#include "prefetch/stale-mark.h"
#include "prefetch/whole-mode/list-writer.h"
#include "prefetch/whole-mode/whole-mode.h"
#include "prefetcher/detach.h"
#include "prefetcher/heal.h"
#include "prefetcher/plan-lock.h"
#include "prefetcher/time-limit.h"
#include "verb.h"

#define TIME_BUDGET_MS 30000 /* a longer start has read all it needs by itself */

static const char help[] =
	"usage: headstart-prefetch [OPTION…] PLAN\n"
	"       headstart-prefetch [OPTION…] --fd N\n"
	"Reads what the plan names into the page cache.\n"
	"\n"
	"options:\n"
	"      --alongside        the program is running: read first what it needs first\n"
	"      --engine E         auto, uring, nowait, fadvise or read (default: auto)\n"
	"      --fd N             the plan is the open file N\n"
	"      --idle             use the disk only when no other process does\n"
	"      --json             print what was done, as JSON\n"
	"      --objects          the open file is the audit shim's list of mapped objects, not a plan\n"
	"      --memory-budget N  read at most N bytes (default: half of the memory available)\n"
	"      --stay             compile a stale plan again in this process, instead of leaving one behind\n"
	"      --time-budget N    begin nothing new after N milliseconds (default: 30000)\n"
	"      --verify           measure what is in the page cache before and after\n"
	"      --wait             return only when everything has arrived\n"
	"  -h, --help             print this\n"
	"      --version          print the version\n";

struct request {
	struct prefetch_options options;
	const char *path; /* NULL: fd */
	int fd;
	bool json;
	bool objects;
	bool stay;
};

static int fail(const char *subject, const char *what)
{
	verb_print("headstart-prefetch: '%s' %s", subject, what);
	fputc('\n', stderr);
	return VERB_FAILED;
}

static int fail_errno(const char *doing, const char *subject, int error)
{
	verb_print("headstart-prefetch: cannot %s '%s': %s", doing, subject, strerror(error));
	fputc('\n', stderr);
	return VERB_FAILED;
}

static int usage(const char *what, const char *subject)
{
	verb_print("headstart-prefetch: %s '%s'; see 'headstart-prefetch --help'", what, subject);
	fputc('\n', stderr);
	return VERB_USAGE;
}

static bool parse_number(const char *text, unsigned long long max, unsigned long long *ret)
{
	unsigned long long value;

	if (!verb_parse_u64(text, &value) || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_engine(const char *name, enum prefetch_engine *ret)
{
	for (int engine = PREFETCH_AUTO; engine <= PREFETCH_READ; engine++) {
		if (streq(name, prefetch_engine_name(engine))) {
			*ret = engine;
			return true;
		}
	}
	return false;
}

static int refuse_value(int option, const char *value)
{
	if (option != 'e')
		return usage("not a value for this option:", value);
	verb_print("headstart-prefetch: unknown engine '%s': use", value);
	for (int engine = PREFETCH_AUTO; engine <= PREFETCH_READ; engine++)
		verb_print("%s %s",
			engine == PREFETCH_AUTO           ? ""
				: engine == PREFETCH_READ ? " or"
							  : ",",
			prefetch_engine_name(engine));
	fputc('\n', stderr);
	return VERB_USAGE;
}

/* Takes one option. Returns false if its value is not valid. */
static bool take_option(int option, struct request *request)
{
	unsigned long long number = 0;

	switch (option) {
	case 'e':
		return parse_engine(optarg, &request->options.engine);
	case 'f':
		if (!parse_number(optarg, INT_MAX, &number))
			return false;
		request->fd = (int)number;
		return true;
	case 't':
		if (!parse_number(optarg, UINT32_MAX, &number))
			return false;
		request->options.time_budget_ms = (uint32_t)number;
		return true;
	case 'm':
		if (!parse_number(optarg, UINT64_MAX, &number) || number == 0)
			return false;
		request->options.memory_budget = number;
		return true;
	case 'i':
		request->options.idle = true;
		return true;
	case 'v':
		request->options.verify = true;
		return true;
	case 'a':
		request->options.alongside = true;
		return true;
	case 'w':
		request->options.wait = true;
		return true;
	case 'o':
		request->objects = true;
		return true;
	case 's':
		request->stay = true;
		return true;
	default:
		request->json = true;
		return true;
	}
}

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
	static const struct option options[] = {
		{"alongside", no_argument, NULL, 'a'},
		{"engine", required_argument, NULL, 'e'},
		{"fd", required_argument, NULL, 'f'},
		{"time-budget", required_argument, NULL, 't'},
		{"memory-budget", required_argument, NULL, 'm'},
		{"idle", no_argument, NULL, 'i'},
		{"stay", no_argument, NULL, 's'},
		{"verify", no_argument, NULL, 'v'},
		{"wait", no_argument, NULL, 'w'},
		{"json", no_argument, NULL, 'j'},
		{"objects", no_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	const char *culprit;
	int option;

	while ((option = verb_getopt(argc, argv, ":h", options, &culprit)) >= 0) {
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? help : "headstart-prefetch " HEADSTART_VERSION "\n", stdout);
			return verb_flush();
		}
		if (option == '?')
			return usage("unknown option", culprit);
		if (option == ':')
			return usage("a value is missing after", culprit);
		if (!take_option(option, request))
			return refuse_value(option, optarg);
	}
	if (request->objects && request->fd < 0)
		return usage("--objects needs", "--fd");
	if (optind == argc && request->fd < 0)
		return usage("no plan given: name one, or use", "--fd");
	if (argc - optind > (request->fd < 0 ? 1 : 0))
		return usage("give one plan, or --fd: unexpected argument", argv[argc - 1]);
	request->path = argv[optind];
	return -1;
}

static void print_json(const struct request *request, const struct prefetch_result *result)
{
	printf("{\"engine\": \"%s\", \"opened\": %" PRIu32 ", \"stale\": %" PRIu32 ", \"missing\": %" PRIu32
	       ", \"refused\": %" PRIu32 ", \"bytes_asked\": %" PRIu64 ", \"bytes_swept\": %" PRIu64
	       ", \"bytes_skipped_budget\": %" PRIu64 ", \"opened_us\": %" PRIu64
	       ", \"elapsed_us\": %" PRIu64,
		prefetch_engine_name(result->engine), result->opened, result->stale, result->missing,
		result->refused, result->bytes_asked, result->bytes_swept, result->bytes_skipped_budget,
		result->opened_us, result->elapsed_us);
	if (result->read_known)
		printf(", \"bytes_read\": %" PRIu64, result->bytes_read);
	else
		printf(", \"bytes_read\": null");
	if (request->options.verify && result->verify_blind)
		printf(", \"bytes_resident_before\": null, \"bytes_resident_after\": null");
	else if (request->options.verify)
		printf(", \"bytes_resident_before\": %" PRIu64 ", \"bytes_resident_after\": %" PRIu64,
			result->bytes_resident_before, result->bytes_resident_after);
	puts("}");
}

static void print_text(const struct request *request, const struct prefetch_result *result)
{
	if (!request->options.verify)
		return;
	printf("asked for %" PRIu64 " bytes of %" PRIu32 " file%s, by %s\n", result->bytes_asked,
		result->opened, plural(result->opened), prefetch_engine_name(result->engine));
	if (result->verify_blind)
		puts("residency is unknown: not all files belong to this user");
	else
		printf("resident before: %" PRIu64 " bytes, after: %" PRIu64 " bytes\n",
			result->bytes_resident_before, result->bytes_resident_after);
}

/* Settings can only lower the limits that the caller gave. */
static void apply_settings(const struct config *config, struct prefetch_options *options)
{
	options->memory_limit = config->memory;
	if (config->time_ms && (!options->time_budget_ms || config->time_ms < options->time_budget_ms))
		options->time_budget_ms = config->time_ms;
}

/* Whether the settings deny the program that has written the list of objects. */
static bool list_denied(const struct config *config, int fd)
{
	const struct config_program *why;
	char path[PATH_MAX];

	return config->n_programs > 0 && object_list_writer(fd, path) == 0 &&
		!config_allows(config, path, &why);
}

/*
 * The folder is what the program says. A program that root has started may be somebody else's by now, so root's marks lie in root's
 * folder only.
 */
static void mark_fast(int list, dev_t device)
{
	char folder[OBJECT_STATE_SIZE];

	if (object_list_folder(list, folder) == 0 &&
		(geteuid() == 0 ? streq(folder, HEADSTART_STATE_DIR)
				: setenv("HEADSTART_STATE", folder, 1) == 0))
		disks_mark_fast(device);
}

/* Whole mode. Does nothing while a plan is being carried out, which may be that of a program that started this one. */
static int run_objects(const struct request *request, const struct config *config)
{
	const struct whole_mode_options options = {
		.time_budget_ms = request->options.time_budget_ms,
		.memory_limit = config->memory,
		.rules = config->devices,
		.n_rules = config->n_devices,
		.measured = disks_apply,
	};
	struct whole_mode_result result = {0};
	int r;

	if (list_denied(config, request->fd))
		return 0;
	if (plan_lock_held()) {
		whole_mode_log(&result); /* all zero: we did nothing, because of the other prefetcher */
		return 0;
	}
	r = whole_mode_run(request->fd, &options, object_range_log, &result);
	if (r < 0)
		return fail("--fd", r == -EINVAL ? "is not a list of objects" : strerror(-r));
	whole_mode_log(&result);
	if (result.fast)
		mark_fast(request->fd, result.device);
	return 0;
}

/* The program's own fork is more important. Only a user who named the plan is told; a shim's program is not. */
static int no_room(const struct request *request)
{
	if (request->path)
		fprintf(stderr,
			"headstart-prefetch: nothing was read: fewer than %d more processes can be started\n",
			PROCESS_ROOM_MIN);
	return 0;
}

/*
 * Who has started us in a service of systemd may do so: headstartd. A shim starts nothing where it would be in the way.
 */
static void heal(const char *program, const char *plan_path, bool stay)
{
	const struct heal heal = {.program = program, .plan_path = plan_path, .bare = true, .stay = stay};

	if (!detach_in_container())
		heal_plan(&heal);
}

static int carry_out(struct request *request, const struct config *config, const char *name)
{
	_cleanup_(loaded_plan_releasep) struct loaded_plan plan = {0};
	const struct config_program *why;
	struct prefetch_result result = {0};
	enum plan_fault fault = PLAN_GOOD;
	char plan_path[PATH_MAX];
	struct stat plan_file;
	int r;

	if (fstat(request->fd, &plan_file) == 0)
		request->options.plan_owner = plan_file.st_uid;
	r = plan_load(request->fd, &plan, &fault);
	if (r == -EBADMSG)
		return fail(name, plan_fault_text(fault));
	if (r == -EINVAL)
		return fail(name, "is not a regular file");
	/* The settings count for a plan that a shim found for a program, not for one that a user named. */
	if (r == 0 && !request->path && !config_allows(config, plan_program(&plan.view), &why))
		return 0;
	if (r == 0)
		r = prefetch_run(&plan.view, &request->options, &result);
	if (r < 0)
		return fail_errno("carry out", name, -r);
	prefetch_log(&plan.view, &request->options, &result);
	if (request->json)
		print_json(request, &result);
	else
		print_text(request, &result);
	r = verb_flush();
	if (result.outdated > 0 && plan_mark_stale_open(request->fd, plan_path) && !request->path)
		heal(plan_program(&plan.view), plan_path, request->stay);
	return r;
}

int main(int argc, char **argv)
{
	struct request request = {.options = {.time_budget_ms = TIME_BUDGET_MS}, .fd = -1};
	_cleanup_(config_releasep) struct config config = {0};
	const char *name;
	int r;

	standard_streams_hold(true); /* a shim leaves us none of them */
	r = parse(argc, argv, &request);
	if (r >= 0)
		return r;
	name = request.path ? request.path : "--fd";
	if (request.path)
		request.fd = open_regular(request.path, 0);
	else
		detach_from_real_time();
	if (request.fd == -EINVAL || request.fd == -EISDIR)
		return fail(name, "is not a regular file");
	if (request.fd < 0)
		return fail_errno("read", name, -request.fd);
	if (process_room("") < PROCESS_ROOM_MIN)
		return no_room(&request);
	settings_read(&config, false, false);
	apply_settings(&config, &request.options);
	time_limit_set(request.options.time_budget_ms);
	if (request.objects)
		return run_objects(&request, &config);
	if (!request.path && !plan_claim(request.fd))
		return 0;
	plan_lock_hold();
	return carry_out(&request, &config, name);
}
