/* SPDX-License-Identifier: MIT */
/* headstart status: prints what is installed, what disables it, and what is recorded. */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/links.h"
#include "base/plural.h"
#include "base/strings.h"
#include "base/texts/daemon-note.h"
#include "base/texts/preload-text.h"
#include "config/config.h"
#include "doctor/doctor.h"
#include "format/kill-switch.h"
#include "format/state-folder.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "plan/store/store.h"
#include "report/json-text.h"
#include "report/words.h"
#include "setup/system/line.h"
#include "verb.h"
#include "verbs/daemon/note.h"
#include "verbs/install/install.h"

static const char help[] =
	"usage: headstart status [OPTION…]\n"
	"Shows what 'headstart install' has installed, whether it is switched off, and what is recorded.\n"
	"\n"
	"options:\n"
	"      --json  print it as JSON\n"
	"  -h, --help  print this\n";

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, value ? json_text(value) : NULL);
}

static int describe_record(const char *name, struct json_object *ret)
{
	static const char *const states[] = {
		[RECORD_INSTALLED] = "installed",
		[RECORD_CHANGED] = "changed",
		[RECORD_INCOMPLETE] = "incomplete",
	};
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *path = NULL;
	struct json_object *files;
	int r = install_record_load(name, &path, &manifest);

	if (r)
		return r;
	files = json_object_new_array();
	for (size_t i = 0; i < manifest.n_files; i++)
		json_object_array_add(files, json_text(manifest.files[i].path));
	add_string(ret, "state", states[record_state_of(&manifest)]);
	json_object_object_add(ret, "files", files);
	return 0;
}

static int describe_app(void *context, const char *app)
{
	struct json_object *object = json_object_new_object();
	_cleanup_free_ char *record = NULL;
	int r = install_record_name(app, &record);

	add_string(object, "app", app);
	if (r == 0)
		r = describe_record(record, object);
	json_object_array_add(context, object);
	return r;
}

static int describe_apps(struct json_object *apps)
{
	_cleanup_free_ char *folder = NULL;
	int r = install_folder(&folder);

	if (r)
		return r;
	r = record_each_app(folder, describe_app, apps);
	return r < 0 ? verb_fail_errno(r, "cannot list what is installed") : r;
}

static const char *environment_variable(const char *name)
{
	return getenv(name);
}

static int count_profiles(const char *path)
{
	_cleanup_closedir_ DIR *folder = opendir(path);
	struct dirent *entry;
	int count = 0;

	while (folder && (entry = readdir(folder)))
		count += ends_with(entry->d_name, STATE_PROFILE_SUFFIX) &&
			!links_to_neighbour(dirfd(folder), entry->d_name);
	return count;
}

/* The content of one folder of profiles and plans. */
static struct json_object *count_recorded(const char *path)
{
	const struct doctor_host host = {.root = "", .variable = environment_variable, .user = geteuid()};
	struct json_object *object = json_object_new_object();
	struct doctor_plans plans;

	doctor_count_plans(&host, path, &plans);
	add_string(object, "folder", path);
	json_object_object_add(object, "profiles", json_object_new_int(count_profiles(path)));
	json_object_object_add(object, "plans", json_object_new_uint64(plans.plans));
	json_object_object_add(object, "starts", json_object_new_uint64(plans.starts));
	json_object_object_add(object, "stale", json_object_new_uint64(plans.stale));
	json_object_object_add(object, "worn", json_object_new_uint64(plans.worn));
	json_object_object_add(object, "older", json_object_new_uint64(plans.older));
	return object;
}

/* Prints root's folder too, because root's recordings serve everybody. */
static int describe_recorded(struct json_object *recorded)
{
	char *folder;
	int r;

	for (unsigned n = 0; (r = store_search_folder(n, &folder)) == 0; n++) {
		json_object_array_add(recorded, count_recorded(folder));
		free(folder);
	}
	return r == -ENOENT ? 0 : verb_fail_errno(r, "cannot find the folders of profiles and plans");
}

static const char *switched_off_by(void)
{
	const char *mode = getenv("HEADSTART");

	if (mode && streq(mode, "off"))
		return "HEADSTART=off";
	return access(KILL_SWITCH, F_OK) == 0 ? KILL_SWITCH : NULL;
}

/* NULL: not installed. The words are explained in headstart-status(1). */
static const char *state_of_system(void)
{
	static const char *const states[] = {
		[SYSTEM_INSTALLED] = "installed",
		[SYSTEM_UNREADABLE] = "unreadable",
		[SYSTEM_MISSING_LIBRARY] = "missing library",
		[SYSTEM_NOT_FOR_ALL] = "not for all users",
	};
	const struct system_line line = {.path = PRELOAD_FILE, .name = HEADSTART_PRELOAD_NAME};

	return states[system_state_of(&line, HEADSTART_PRIVATE_DIR "/libheadstart-preload.so")];
}

static void describe_settings(struct json_object *settings)
{
	_cleanup_(config_releasep) struct config config = {0};
	unsigned problems = config_read(&config, NULL, NULL);
	struct json_object *files = json_object_new_array();

	for (unsigned i = 0; i < config.n_files; i++)
		json_object_array_add(files, json_text(config.files[i]));
	json_object_object_add(settings, "files", files);
	json_object_object_add(settings, "problems", json_object_new_int((int)problems));
}

/* What this user has installed: null if the user has no state folder, because HOME is not set. */
static int describe_own(struct json_object *status)
{
	struct json_object *user = NULL, *apps = NULL;
	_cleanup_free_ char *folder = NULL;
	int r = store_folder(&folder);

	if (r < 0 && r != -ENOENT)
		return verb_fail_errno(r, "cannot find the state folder");
	if (r == 0) {
		user = json_object_new_object();
		apps = json_object_new_array();
	}
	json_object_object_add(status, "user", user);
	json_object_object_add(status, "apps", apps);
	if (r < 0)
		return 0;
	r = describe_record(RECORD_OF_USER, user);
	return r ? r : describe_apps(apps);
}

/* NULL: no daemon runs. headstart-status(1) explains the numbers. */
static struct json_object *describe_daemon(void)
{
	static const char *const names[] = {"pid", "since", "execs", "lost", "started", "warm", "left",
		"failed", "learning", "known", "learnt", "refreshed", "warmed", "warmed_bytes", "warmed_at",
		"short_of_memory", "warmings"};
	_cleanup_free_ char *note = note_read();
	struct json_object *daemon;

	if (!note)
		return NULL;
	daemon = json_object_new_object();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		json_object_object_add(daemon, names[i], json_object_new_uint64(note_number(note, names[i])));
	json_object_object_add(daemon, "paused", json_object_new_boolean(access(DAEMON_PAUSED, F_OK) == 0));
	return daemon;
}

static int describe(struct json_object *status)
{
	struct json_object *system = json_object_new_object(), *settings = json_object_new_object();
	struct json_object *recorded = json_object_new_array();
	int r;

	add_string(status, "switched_off_by", switched_off_by());
	add_string(system, "state", state_of_system());
	json_object_object_add(status, "system", system);
	json_object_object_add(status, "daemon", describe_daemon());
	json_object_object_add(status, "settings", settings);
	describe_settings(settings);
	r = describe_own(status);
	json_object_object_add(status, "recorded", recorded);
	return r ? r : describe_recorded(recorded);
}

static const char *text_of(struct json_object *object, const char *key, const char *otherwise)
{
	const char *text = json_object_get_string(json_object_object_get(object, key));

	return text ? text : otherwise;
}

static void print_files(struct json_object *object)
{
	struct json_object *files = json_object_object_get(object, "files");

	for (size_t i = 0; i < json_object_array_length(files); i++)
		page_line("          ", json_object_get_string(json_object_array_get_idx(files, i)), "");
}

static void print_installed(struct json_object *user, struct json_object *apps)
{
	if (!user) {
		puts("user      unknown: HOME is not set");
		return;
	}
	printf("user      %s\n", text_of(user, "state", "not installed"));
	print_files(user);
	for (size_t i = 0; i < json_object_array_length(apps); i++) {
		struct json_object *app = json_object_array_get_idx(apps, i);
		char end[64];

		snprintf(end, sizeof(end), ": %s", text_of(app, "state", "not installed"));
		page_line("app       ", text_of(app, "app", ""), end);
		print_files(app);
	}
}

static void print_settings(struct json_object *settings)
{
	int problems = json_object_get_int(json_object_object_get(settings, "problems"));
	size_t files = json_object_array_length(json_object_object_get(settings, "files"));

	if (problems)
		printf("settings  %d error%s: see 'headstart config check'\n", problems,
			plural((uint64_t)problems));
	else
		printf("settings  %s\n", files ? "good" : "none");
	print_files(settings);
}

static int count_of(struct json_object *object, const char *key)
{
	return json_object_get_int(json_object_object_get(object, key));
}

static void print_recorded(struct json_object *recorded)
{
	for (size_t i = 0; i < json_object_array_length(recorded); i++) {
		struct json_object *folder = json_object_array_get_idx(recorded, i);
		int profiles = count_of(folder, "profiles"), plans = count_of(folder, "plans");
		int starts = count_of(folder, "starts"), stale = count_of(folder, "stale");
		int worn = count_of(folder, "worn"), older = count_of(folder, "older");

		printf("recorded  %d profile%s, %d plan%s", profiles, plural((uint64_t)profiles), plans,
			plural((uint64_t)plans));
		if (starts)
			printf(" and %d of single starts", starts);
		page_line(", in ", text_of(folder, "folder", ""), "");
		if (stale)
			printf("          %d stale: see 'headstart doctor'\n", stale);
		if (older)
			printf("          %d made by an older headstart: see 'headstart doctor'\n", older);
		if (worn)
			printf("          %d cover%s much less than was recorded: see 'headstart doctor'\n",
				worn, plural_of(worn, "s", ""));
	}
}

static uint64_t number_of(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_object_object_get(object, key));
}

static void print_daemon(struct json_object *daemon)
{
	uint64_t started = number_of(daemon, "started"), learnt = number_of(daemon, "learnt");

	if (!daemon)
		puts("daemon    not running");
	else if (json_object_get_boolean(json_object_object_get(daemon, "paused")))
		puts("daemon    paused");
	else
		printf("daemon    running: %llu plan%s carried out, %llu program%s learnt\n",
			(unsigned long long)started, plural(started), (unsigned long long)learnt,
			plural(learnt));
}

/* What the daemon did while the machine was quiet. */
static void print_ahead(struct json_object *daemon)
{
	uint64_t refreshed = number_of(daemon, "refreshed"), warmed = number_of(daemon, "warmed");
	char bytes[WORDS_MAX], when[WORDS_MAX];

	if (refreshed + warmed == 0)
		return;
	fputs("          ahead of starts: ", stdout);
	if (refreshed)
		printf("%llu stale plan%s made anew", (unsigned long long)refreshed, plural(refreshed));
	if (warmed)
		printf("%s%llu program%s warmed (%s), last at %s", refreshed ? ", " : "",
			(unsigned long long)warmed, plural(warmed),
			words_bytes(number_of(daemon, "warmed_bytes"), bytes),
			words_time((int64_t)number_of(daemon, "warmed_at"), when));
	putchar('\n');
}

static void print_text(struct json_object *status)
{
	const char *off = text_of(status, "switched_off_by", NULL);

	if (off)
		printf("off       switched off by %s\n", off);
	printf("system    %s\n", text_of(json_object_object_get(status, "system"), "state", "not installed"));
	print_daemon(json_object_object_get(status, "daemon"));
	print_ahead(json_object_object_get(status, "daemon"));
	print_installed(json_object_object_get(status, "user"), json_object_object_get(status, "apps"));
	print_settings(json_object_object_get(status, "settings"));
	print_recorded(json_object_object_get(status, "recorded"));
}

static int print_status(bool json)
{
	struct json_object *status = json_object_new_object();
	int r = refuse_strange_state();

	if (r == 0)
		r = describe(status);
	if (r == 0 && json)
		return print_json(status, JSON_C_TO_STRING_PRETTY);
	if (r == 0)
		print_text(status);
	json_object_put(status);
	return verb_flush() ? VERB_FAILED : r;
}

int cmd_status(int argc, char **argv)
{
	bool json = false;
	const struct option_row options[] = {{"json", .flag = &json}, {0}};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind < argc)
		return verb_usage("status", "unexpected argument '%s'", argv[optind]);
	return print_status(json);
}
