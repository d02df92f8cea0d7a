/* SPDX-License-Identifier: MIT */
/* headstart record: records what a cold start touches. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/open.h"
#include "base/quote.h"
#include "base/search.h"
#include "base/strings.h"
#include "base/wrapper.h"
#include "device/device.h"
#include "lib/output.h"
#include "lib/plan-settings.h"
#include "lib/print-json.h"
#include "lib/settings.h"
#include "lib/stranger-refusal.h"
#include "plan/asked/asked.h"
#include "plan/publish.h"
#include "plan/refresh.h"
#include "plan/store/disks.h"
#include "plan/store/store.h"
#include "profile/recordings.h"
#include "record/command/as-user.h"
#include "record/command/caller.h"
#include "record/command/terminal.h"
#include "record/mark.h"
#include "record/record.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/record/inside.h"

#define NOT_FOUND      127
#define NOT_EXECUTABLE 126
#define NEXT_MAX       200 /* bytes */

#define SHORT_SHARE                                                                                          \
	2 /* a start is much shorter than another if it touched less than one half of what that did */

static const char help[] =
	"usage: headstart record [OPTION…] [--] COMMAND [ARGUMENT…]\n"
	"Starts COMMAND from a cold page cache and records what it and everything that it starts touch.\n"
	"Without --output it stores the profile and makes a plan of it.\n"
	"\n"
	"options:\n"
	"  -o, --output FILE         write the profile to FILE, and nothing else\n"
	"  -u, --until MILESTONE     exit: the command and everything it started have ended (default)\n"
	"                            mark: 'headstart mark' was run\n"
	"                            idle:SECONDS: it has touched nothing new for this long\n"
	"                            time:SECONDS: this long after the start\n"
	"  -t, --timeout SECONDS     end the recording after this time (default: 120)\n"
	"  -k, --kill                end the command when the recording has ended\n"
	"  -m, --merge               merge with the earlier recording of the same start\n"
	"  -f, --force               keep the recording even if COMMAND failed, was killed, or touched much\n"
	"                            less than at the earlier recording of the same start\n"
	"      --user NAME           run COMMAND as this user, with a terminal and an environment of its own,\n"
	"                            and also make a plan of this user's\n"
	"                            (default: the user who called sudo)\n"
	"      --no-drop             leave the page cache as it is\n"
	"      --keep-read-ahead     leave read-ahead on: faster, less exact\n"
	"      --page-cache-events   record what enters the page cache, as on Linux before 6.12\n"
	"  -q, --quiet               print nothing but errors\n"
	"      --json                print the summary as one JSON object\n"
	"  -h, --help                print this\n";

struct settings {
	struct record_options record;
	const char *output; /* NULL: the store */
	bool kill, merge, force, quiet, json;
	char *path;                /* owned; of the command, links not resolved */
	char *program;             /* owned; links resolved */
	char *folder;              /* owned; the working folder */
	char rule[ASKED_RULE_MAX]; /* how to tell what COMMAND is asked for */
	struct asked asked;
	char *caller; /* owned; the user who called sudo, or NULL */
	char recording[MARK_NAME_MAX];
	int mark; /* the socket of that name */
	struct markers markers;
	struct record_inside inside;
	bool told_stranger; /* we have reported a user who may not mark */
};

/* sudo gives root another PATH than the user's, in which the user's own programs are not found. */
static int find_in_users_path(const char *name, const char *user, char **ret)
{
	const struct passwd *entry = user ? getpwnam(user) : NULL;
	_cleanup_(caller_releasep) struct caller caller = {0};
	const char *folders =
		entry && caller_find(entry->pw_uid, &caller) == 0 ? caller_value(&caller, "PATH") : NULL;
	char path[PATH_MAX];

	if (!folders || !*name || strchr(name, '/') ||
		search_folders(folders, name, wrapper_check_program, NULL, path) < 0 || path[0] != '/')
		return -ENOENT;
	*ret = strdup(path);
	return *ret ? 0 : -ENOMEM;
}

/* Returns 0, or an exit status after printing the reason. */
static int find_command(struct settings *settings)
{
	const char *name = settings->record.argv[0];
	int err = store_find_command(name, &settings->path);

	if (err == -ENOENT)
		err = find_in_users_path(name, settings->record.user, &settings->path);
	if (err == -ENOENT)
		return verb_fail("command '%s' not found", name), NOT_FOUND;
	if (err)
		return verb_fail_errno(err, "'%s' cannot be run", name), NOT_EXECUTABLE;
	settings->program = realpath(settings->path, NULL);
	if (!settings->program)
		return verb_fail_errno(errno, "'%s' cannot be run", name), NOT_EXECUTABLE;
	settings->record.path = settings->path;
	settings->record.program = settings->program;
	return 0;
}

/* What the command is asked for, found out before it changes anything. */
static void find_asked(struct settings *settings)
{
	struct plan_options options = {0};

	plan_host(settings->program, settings->rule, &options);
	settings->folder = realpath(".", NULL);
	asked_by_arguments(
		settings->rule, (const char *const *)settings->record.argv, AT_FDCWD, &settings->asked);
}

/* The user who called sudo. */
static bool sudo_user(uid_t *ret)
{
	const char *text = getenv("SUDO_UID");
	unsigned long long uid;

	if (!text || !verb_parse_u64(text, &uid) || uid == 0 || uid >= UINT_MAX)
		return false;
	*ret = (uid_t)uid;
	return true;
}

/*
 * Under sudo the command runs as the user who called sudo, so that it starts with that user's settings and damages
 * none.
 */
static char *default_user(void)
{
	const struct passwd *user;
	uid_t uid;

	if (!sudo_user(&uid))
		return NULL;
	user = getpwuid(uid);
	return user ? strdup(user->pw_name) : NULL;
}

/* The users besides root who may mark: the one whom the command runs as, and the one who called sudo. */
static void choose_markers(struct markers *markers, const char *name)
{
	const struct passwd *user = name ? getpwnam(name) : NULL;
	uid_t uid;

	if (user)
		markers->users[markers->n_users++] = user->pw_uid;
	if (sudo_user(&uid))
		markers->users[markers->n_users++] = uid;
}

enum { OPTION_USER = 256, OPTION_NO_DROP, OPTION_KEEP_READ_AHEAD, OPTION_PAGE_CACHE_EVENTS, OPTION_JSON };

static int take_option(struct settings *settings, int option)
{
	switch (option) {
	case 'o':
		settings->output = optarg;
		return 0;
	case 'u':
		if (!milestone_parse(optarg, &settings->record.until) ||
			settings->record.until.kind == MILESTONE_WINDOW)
			return verb_usage("record",
				"unknown milestone '%s': use exit, mark, idle:SECONDS or time:SECONDS",
				optarg);
		return 0;
	case 't':
		if (!milestone_parse_seconds(optarg, &settings->record.timeout))
			return verb_usage("record", "'%s' is not a number of seconds", optarg);
		return 0;
	case 'k':
		settings->kill = true;
		return 0;
	case 'm':
		settings->merge = true;
		return 0;
	case 'f':
		settings->force = true;
		return 0;
	case 'q':
		settings->quiet = true;
		return 0;
	case OPTION_USER:
		settings->record.user = optarg;
		return 0;
	case OPTION_NO_DROP:
		settings->record.keep_cache = true;
		return 0;
	case OPTION_KEEP_READ_AHEAD:
		settings->record.keep_read_ahead = true;
		return 0;
	case OPTION_PAGE_CACHE_EVENTS:
		settings->record.page_cache_events = true;
		return 0;
	case OPTION_JSON:
		settings->json = true;
		return 0;
	}
	return -1;
}

/* Returns 0, an exit status after printing the reason, or -1 after printing the help. */
static int parse(int argc, char **argv, struct settings *settings)
{
	static const struct option longs[] = {
		{"output", required_argument, NULL, 'o'},
		{"until", required_argument, NULL, 'u'},
		{"timeout", required_argument, NULL, 't'},
		{"kill", no_argument, NULL, 'k'},
		{"merge", no_argument, NULL, 'm'},
		{"force", no_argument, NULL, 'f'},
		{"user", required_argument, NULL, OPTION_USER},
		{"no-drop", no_argument, NULL, OPTION_NO_DROP},
		{"keep-read-ahead", no_argument, NULL, OPTION_KEEP_READ_AHEAD},
		{"page-cache-events", no_argument, NULL, OPTION_PAGE_CACHE_EVENTS},
		{"quiet", no_argument, NULL, 'q'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int c, r;

	while ((c = verb_option(argc, argv, "+:o:u:t:kmfqh", longs)) != -1) {
		if (c == 'h') {
			fputs(help, stdout);
			return -1;
		}
		if (c == '?')
			return VERB_USAGE;
		r = take_option(settings, c);
		if (r)
			return r;
	}
	if (optind == argc)
		return verb_usage("record", "no command given");
	if (settings->merge && settings->output)
		return verb_usage("record",
			"--merge works on the stored profile: leave out -o, or use 'headstart merge'");
	settings->record.argv = argv + optind;
	return 0;
}

/* Said when the command starts. */
static void say_how_it_ends(const struct settings *settings)
{
	const char *name = settings->record.argv[0],
		   *after = settings->kill ? "is ended then" : "goes on then";
	const struct milestone *until = &settings->record.until;

	switch (until->kind) {
	case MILESTONE_EXIT:
		verb_note(
			"recording until '%s' and all that it started have ended: quit it as soon as it is ready",
			name);
		break;
	case MILESTONE_IDLE:
		verb_note("recording until '%s' has touched nothing new for %g s; it %s", name,
			until->seconds, after);
		break;
	case MILESTONE_TIME:
		verb_note("recording for %g s; '%s' %s", until->seconds, name, after);
		break;
	default: /* of a mark everybody is told */
		break;
	}
}

/*
 * A command of another user writes to our terminal through the recorder, which keeps its output and our line apart. Any
 * other command writes there by itself, and our line would stand in the middle of its own: so there is none.
 */
static void show_progress(void *context, const struct record_progress *progress)
{
	const struct settings *settings = context;
	char text[128];

	if (progress->begins)
		say_how_it_ends(settings);
	if (progress->begins || !progress->terminal)
		return;
	snprintf(text, sizeof(text), "headstart: recording, %.0f s, %zu events, %zu files ",
		progress->seconds, progress->events, progress->files);
	terminal_tell(progress->terminal, text);
}

/* Whether user ids mean something else here than on the machine: user_namespaces(7). */
static bool in_user_namespace(void)
{
	_cleanup_free_ char *map = NULL;
	unsigned first, outside;
	unsigned long count;
	size_t size;

	return read_pseudo_file("/proc/self/uid_map", 1 << 16, &map, &size) == 0 &&
		!(sscanf(map, "%u %u %lu", &first, &outside, &count) == 3 && !first && !outside &&
			count == UINT_MAX);
}

/* One sentence for each known way to fail, and what to do about it. */
static int explain(enum record_step step, int err, const struct settings *settings)
{
	const char *name = settings->record.argv[0];

	if (step == RECORD_STEP_TRACEFS && (err == -EPERM || err == -EACCES) && in_user_namespace())
		return verb_fail(
			"recording needs root of the whole machine, and this is root of a user namespace: "
			"record from outside of it, with 'sudo headstart record -- COMMAND'");

	if (step == RECORD_STEP_TRACEFS && err == -EBUSY)
		return verb_fail("another recording is running on this machine");
	if (step == RECORD_STEP_TRACEFS && (err == -EPERM || err == -EACCES))
		return verb_fail("the kernel refuses tracing: in a container, run it with all privileges");
	if (step == RECORD_STEP_TRACEFS && (err == -ENODEV || err == -ENOENT))
		return verb_fail("this kernel has no tracefs (CONFIG_TRACING)");
	if (step == RECORD_STEP_TRACER && err == -ENOENT)
		return verb_fail("this kernel has no filemap tracepoints (CONFIG_EVENT_TRACING)");
	if (step == RECORD_STEP_MOUNTS && err == -ENOENT)
		return verb_fail("/proc is not mounted: mount it in this root");
	if (step == RECORD_STEP_COMMAND && settings->record.user && err == -ENOENT)
		return verb_fail("there is no user '%s'", settings->record.user);
	if (step == RECORD_STEP_COMMAND && settings->record.user && err == -ENODEV)
		return verb_fail(
			"there is no /dev/ptmx to make a terminal for '%s': mount devpts, or redirect "
			"input, output and errors",
			settings->record.user);
	if (step == RECORD_STEP_DROP)
		return verb_fail_errno(err, "cannot drop the page cache (--no-drop records without this)");
	if (step == RECORD_STEP_EXEC)
		return verb_fail_errno(err, "'%s' cannot be run", name), NOT_EXECUTABLE;
	if (err == -EINTR)
		return verb_fail("interrupted; no profile was written");
	return verb_fail_errno(err, "cannot %s", record_step_text(step));
}

static bool take_mark(void *context)
{
	struct settings *settings = context;
	uid_t stranger = (uid_t)-1;
	bool marked = mark_take(settings->mark, &settings->markers, &stranger);

	if (stranger != (uid_t)-1 && !settings->told_stranger) {
		verb_note("ignored a mark from user %u: only root and the users of the recording may mark",
			stranger);
		settings->told_stranger = true;
	}
	return marked;
}

static void describe_device(struct profile *profile)
{
	_cleanup_close_ int fd = open_regular(profile->program, OPEN_NO_LINKS);
	struct device device;
	char *text;

	if (fd < 0 || device_of(fd, &device) < 0)
		return;
	disks_apply(&device);
	if (asprintf(&text, "%s %s", device.name, device_class_name(device.class)) < 0)
		return;
	free(profile->device);
	profile->device = text;
}

/* What the recording showed of the disks. Without it the plan goes by what they call themselves. */
static void learn_disks(const struct record_disks *disks, bool quiet)
{
	for (size_t i = 0; i < disks->n; i++) {
		const struct record_disk *disk = &disks->items[i];
		char model[DEVICE_MODEL_TEXT], samples[WORDS_MAX];
		struct device device;

		if (device_of_number(makedev(disk->device >> 20, disk->device & 0xfffff), &device) < 0 ||
			disks_learn(&device, disk->reads, disk->n) < 0 || quiet)
			continue;
		device_model_text(&device.model, model);
		verb_note("the disk '%s' was measured: %s (%s reads)", device.name, model,
			words_count(device.model.samples, samples));
	}
}

/* Writes down what was started, and how it ended. Returns 0 or negative errno. */
static int describe_start(struct record_result *result, const struct settings *settings)
{
	struct profile *profile = &result->profile;
	int r = profile_set_arguments(profile, (const char *const *)settings->record.argv);

	profile->folder = settings->folder ? strdup(settings->folder) : NULL;
	profile->rule = strdup(settings->rule);
	profile->asked_path = strdup(settings->asked.text);
	profile->asked = settings->asked.key;
	profile->status = result->running ? 0 : (uint32_t)result->status;
	return profile->rule && profile->asked_path ? r : -ENOMEM;
}

/* Reads the recordings that are stored. If these are damaged, there are none. */
static void load_stored(const char *path, const char *rule, struct recordings *ret)
{
	enum profile_fault fault;
	int r = recordings_load(path, ret, &fault);

	if (r < 0 && r != -ENOENT)
		verb_note("'%s' %s; it is replaced", path,
			r == -EBADMSG ? profile_fault_text(fault) : strerror(-r));
	for (size_t i = 0; i < ret->n; i++)
		(void)plan_find_asked(&ret->items[i], rule);
}

/* The stored recording of the same start. One that does not know its arguments, of an older headstart, counts as that. */
static struct profile *find_same(const struct recordings *stored, const struct profile *profile)
{
	struct profile *same = recordings_find(stored, profile);

	for (size_t i = 0; !same && i < stored->n; i++)
		if (stored->items[i].n_arguments == 0)
			same = &stored->items[i];
	return same;
}

/* Returns 0 if the recording is good enough to be kept, or an exit status after printing why it is not. */
static int check_worth(const struct profile *profile, const struct profile *same)
{
	int status = (int)profile->status;
	char now[WORDS_MAX], before[WORDS_MAX];
	bool as_before = same && same->status == profile->status;

	if (WIFSIGNALED(status) && !as_before)
		return verb_fail("not kept: '%s' was ended by signal %d (--force keeps it)", profile->program,
			WTERMSIG(status));
	if (WEXITSTATUS(status) && !as_before)
		return verb_fail("not kept: '%s' exited with status %d (--force keeps it)", profile->program,
			WEXITSTATUS(status));
	if (same && profile_bytes(profile) < profile_bytes(same) / SHORT_SHARE)
		return verb_fail(
			"not kept: this start of '%s' touched %s, the one recorded before %s (--force keeps it)",
			profile->program, words_bytes(profile_bytes(profile), now),
			words_bytes(profile_bytes(same), before));
	return 0;
}

/* Puts a copy of the recording in place of that of the same start, merged with it if `merge`, or beside the others. */
static int put_recording(struct recordings *stored, struct profile *same, struct profile *profile, bool merge)
{
	_cleanup_(profile_releasep) struct profile copy = {0};
	int r;

	if (same && merge) {
		r = profile_merge(same, profile);
		if (r == 0)
			r = profile_copy(same, &copy);
		if (r < 0)
			return r;
		profile_release(profile);
		*profile = copy;
		copy = (struct profile){0};
		return 0;
	}
	r = profile_copy(profile, &copy);
	if (r < 0 || !same)
		return r < 0 ? r : recordings_add(stored, &copy);
	profile_release(same);
	*same = copy;
	copy = (struct profile){0};
	return 0;
}

/*
 * Root's profile with a recording of another user says what that user does, so it is for root alone; so is the one of an
 * ordinary user for that user.
 */
static mode_t mode_of_stored(const char *path, bool for_user)
{
	struct stat st;

	return for_user || (stat(path, &st) == 0 && !(st.st_mode & 044)) ? 0600 : store_mode();
}

/* Adds the recording to the stored ones. Returns 0, or an exit status after printing the reason. *ret, malloc()ed, is
 * the path of the profile. */
static int store(struct profile *profile, const struct settings *settings, bool for_user, char **ret)
{
	_cleanup_(recordings_releasep) struct recordings stored = {0};
	_cleanup_free_ char *path = NULL;
	struct profile *same;
	int err = store_path_for_writing(STORE_PROFILE, profile->program, &path);

	if (err)
		return verb_fail_errno(err, "cannot find a place for the profile");
	load_stored(path, settings->rule, &stored);
	if (stored.n > 0 && stored.items->page_size != profile->page_size) {
		verb_note("'%s' was recorded with pages of another size; it is replaced", path);
		recordings_release(&stored);
	}
	same = find_same(&stored, profile);
	err = settings->force ? 0 : check_worth(profile, same);
	if (err)
		return err;
	err = put_recording(&stored, same, profile, settings->merge);
	if (err == -E2BIG)
		return verb_fail("'%s' has %zu recordings, which is the most: 'headstart forget' makes room",
			profile->program, stored.n);
	if (err)
		return verb_fail_errno(err, "cannot add the recording to '%s'", path);
	err = recordings_save(&stored, path, mode_of_stored(path, for_user));
	if (err)
		return verb_fail_errno(err, "cannot write '%s'", path);
	*ret = TAKE_PTR(path);
	return 0;
}

static int save(struct profile *profile, const struct settings *settings, char **ret)
{
	int err;

	if (!settings->output)
		return store(profile, settings, settings->record.user != NULL, ret);
	err = profile_save(profile, settings->output);
	if (err)
		return verb_fail_errno(err, "cannot write '%s'", settings->output);
	*ret = strdup(settings->output);
	return *ret ? 0 : verb_fail_errno(ENOMEM, "cannot say where the profile is");
}

static uint64_t count_pages(const struct profile *profile)
{
	return profile_bytes(profile) / profile->page_size;
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_text(value));
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

static int print_result(const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	struct json_object *object = json_object_new_object(), *biases = json_object_new_array();

	add_string(object, "profile", path);
	add_string(object, "program", profile->program);
	add_string(object, "milestone", profile->milestone);
	json_object_object_add(object, "seconds", json_object_new_double(result->seconds));
	add_number(object, "files", profile->n_files);
	add_number(object, "pages", count_pages(profile));
	add_number(object, "bytes", profile_bytes(profile));
	add_number(object, "execs", profile->n_execs);
	add_number(object, "runs", profile->runs);
	add_number(object, "events", result->events);
	add_number(object, "events_unknown", result->events_unknown);
	add_number(object, "pages_resident", result->pages_resident);
	add_number(object, "files_unnamed", result->files_unnamed);
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit)
			json_object_array_add(biases, json_object_new_string(bias->name));
	json_object_object_add(object, "bias", biases);
	return print_json(object, JSON_C_TO_STRING_PLAIN);
}

static void print_summary(const struct record_result *result, const char *path)
{
	const struct profile *profile = &result->profile;
	char bytes[WORDS_MAX], pages[WORDS_MAX], resident[WORDS_MAX];

	verb_note("%zu file%s, %s pages (%s), %zu program%s, in %.1f s until %s: '%s'", profile->n_files,
		words_plural(profile->n_files), words_count(count_pages(profile), pages),
		words_bytes(profile_bytes(profile), bytes), profile->n_execs, words_plural(profile->n_execs),
		result->seconds, profile->milestone, path);
	for (const struct words_bias *bias = words_biases; bias->bit; bias++)
		if (profile->bias & bias->bit &&
			bias->bit != PROFILE_BIAS_UNNAMED) /* its number is told below */
			verb_note("%s", bias->meaning);
	if (result->pages_resident)
		verb_note("%s pages were already in memory and are recorded less precisely",
			words_count(result->pages_resident, resident));
	if (result->files_unnamed)
		verb_note(
			"%zu touched file%s of other mount namespaces %s no name here: a start from here does not read "
			"%s ahead",
			result->files_unnamed, words_plural(result->files_unnamed),
			result->files_unnamed == 1 ? "has" : "have",
			result->files_unnamed == 1 ? "it" : "them");
	if (result->names_by_walking)
		verb_note("fanotify is not available: file names were found by searching the file systems");
}

static void note_failure(const struct record_result *result, const char *name)
{
	if (WIFSIGNALED(result->status))
		verb_note("note: '%s' was ended by signal %d", name, WTERMSIG(result->status));
	else if (WEXITSTATUS(result->status))
		verb_note("note: '%s' exited with status %d", name, WEXITSTATUS(result->status));
}

/* Returns 0, or an exit status after printing the reason. */
static int make_plan(const struct profile *profile, bool quiet)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_free_ char *why = NULL;
	char rule[ASKED_RULE_MAX];
	struct plan_options options = {0};
	struct plan_summary summary = {0};
	int err;

	settings_read(&config, true, false);
	if (!settings_allow(&config, profile->program, &why)) {
		verb_note("no plan was made for '%s': %s", profile->program, why ? why : "denied");
		err = plan_remove(profile->program);
		return err ? verb_fail_errno(err, "cannot remove its old plan") : 0;
	}
	plan_settings(&config, &options);
	plan_host(profile->program, rule, &options);
	err = plan_refresh(profile->program, &options, &summary);
	if (!quiet)
		plan_tell_others(&summary);
	if (err == -ENODATA && summary.others > 0)
		(void)plan_remove(profile->program); /* the old plan may name files that others own */
	if (err == -ENODATA) {
		verb_note("there is nothing to prefetch for '%s': no plan was made", profile->program);
		return 0;
	}
	return err ? verb_fail_errno(err, "cannot make the plan of '%s'", profile->program) : 0;
}

struct own {
	struct profile *profile;
	const struct settings *settings;
};

/* Runs in a process that has become the user. */
static int keep_own(void *context)
{
	const struct own *own = context;
	_cleanup_free_ char *path = NULL;
	int r = store(own->profile, own->settings, false, &path);

	return r ? r : make_plan(own->profile, true);
}

/*
 * Root's plan leaves out the user's files. The user's own plan has everything, and the user's starts find it first. If
 * there is no place for it, the recording succeeds all the same.
 */
static void keep_for_user(struct profile *profile, const struct settings *settings)
{
	struct own own = {profile, settings};
	const char *user = settings->record.user;
	int r = as_user(user, keep_own, &own);

	if (r == -EINTR)
		verb_note("no plan was made for '%s' alone: it took too long, or was ended", user);
	else if (r < 0)
		verb_note("no plan was made for '%s' alone: %s", user, strerror(-r));
	else if (r > 0)
		verb_note("no plan was made for '%s' alone: root's plan serves everybody", user);
	else if (!settings->quiet)
		verb_note("a second plan, for '%s' alone, also names this user's files", user);
}

static int take_inside(void *context, struct profile *profile)
{
	const struct settings *settings = context;

	describe_device(profile);
	return record_inside_take(&settings->inside, profile);
}

static void keep_inside(const struct settings *settings, const struct record_result *result)
{
	int r = result->inside_error ?: record_inside_keep(&settings->inside, settings->quiet);

	if (r < 0)
		verb_note("no plan was made for a start inside: %s", strerror(-r));
}

/* The next commands to type, if there is a plan now and they are short enough to be read. */
static void print_next(const struct settings *settings)
{
	/* A program that was not recorded to its end would not end while it is measured. */
	double idle = settings->record.until.kind == MILESTONE_IDLE ? settings->record.until.seconds : 3;
	bool to_end = settings->record.until.kind == MILESTONE_EXIT;
	_cleanup_free_ char *plan = NULL, *text = NULL;
	char until[48] = "";
	size_t size;
	FILE *command = NULL;

	if (settings->output || store_find(STORE_PLAN, settings->program, &plan) < 0)
		return;
	command = open_memstream(&text, &size);
	for (char *const *word = settings->record.argv; command && *word; word++) {
		fputc(' ', command);
		quote_shell(command, *word);
	}
	if (!command || fclose(command) != 0 || size > NEXT_MAX)
		return;
	if (!to_end)
		snprintf(until, sizeof(until), "--until idle:%g ", idle);
	verb_note("to measure what it gains:  headstart measure %s--%s", until, text);
	verb_note("to start it with headstart:  headstart run --%s", text);
}

static int keep(struct settings *settings, struct record_result *result)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (!settings->output)
		learn_disks(&result->disks, settings->quiet || settings->json);
	describe_device(&result->profile);
	r = describe_start(result, settings);
	if (r < 0)
		return verb_fail_errno(r, "cannot keep the recording");
	r = save(&result->profile, settings, &path);
	if (r == 0 && !settings->output)
		r = make_plan(&result->profile, settings->quiet);
	if (r == 0 && !settings->output && settings->record.user)
		keep_for_user(&result->profile, settings);
	if (r == 0 && settings->record.inside)
		keep_inside(settings, result);
	if (r == 0 && settings->json)
		r = print_result(result, path);
	if (r == 0 && !settings->quiet && !settings->json) {
		print_summary(result, path);
		print_next(settings);
	}
	fflush(stdout);
	return r;
}

static int record(struct settings *settings)
{
	const bool show = !settings->quiet && isatty(STDERR_FILENO);
	struct record_result result;
	enum record_step step;
	int err, r;

	if (settings->record.until.kind == MILESTONE_MARK && !settings->quiet)
		verb_note(
			"recording '%s': to end it, run 'headstart mark' in the command, or elsewhere with "
			"this name",
			settings->recording);
	settings->record.sound_disks = !settings->output && !settings->record.keep_cache;
	settings->record.progress = show ? show_progress : NULL;
	err = record_run(&settings->record, &result, &step);
	if (err)
		return explain(step, err, settings);
	terminal_end_line(result.terminal);
	r = keep(settings, &result);
	if (result.running && !settings->quiet && !settings->kill)
		verb_note("the recording has ended; '%s' goes on", settings->record.argv[0]);
	err = record_wait(&result, settings->kill);
	if (!err && !settings->quiet && !settings->kill)
		note_failure(&result, settings->record.argv[0]);
	profile_release(&result.profile);
	record_disks_release(&result.disks);
	return r;
}

/* A recording takes long, so this reports in advance if its profile cannot be kept. */
static int check_place(const struct settings *settings)
{
	_cleanup_free_ char *stored = NULL;
	int err;

	if (settings->output)
		return output_check(settings->output);
	err = refuse_strange_state();
	if (err)
		return err;
	err = store_path_for_writing(STORE_PROFILE, settings->program, &stored);
	return err ? verb_fail_errno(err, "cannot find a place for the profile") : output_check(stored);
}

static void settings_releasep(struct settings *settings)
{
	free(settings->path);
	free(settings->program);
	free(settings->caller);
	record_inside_release(&settings->inside);
	free(settings->folder);
}

int cmd_record(int argc, char **argv)
{
	_cleanup_(settings_releasep) struct settings settings = {
		.record = {.timeout = 120, .until = {MILESTONE_EXIT}}, .inside = {.results = -1}};
	_cleanup_close_ int mark = -1;
	int r = parse(argc, argv, &settings);

	if (r)
		return r < 0 ? 0 : r;
	if (geteuid() != 0)
		return verb_fail(
			"recording reads the kernel's trace events and needs root: sudo headstart record …");
	if (!settings.record.user)
		settings.record.user = settings.caller = default_user();
	if (settings.record.user && streq(settings.record.user, "root"))
		settings.record.user = NULL;
	r = find_command(&settings);
	if (r == 0)
		r = check_place(&settings);
	if (r)
		return r;
	find_asked(&settings);
	mark = mark_listen(settings.recording);
	if (mark < 0)
		return verb_fail_errno(mark, "cannot listen for 'headstart mark'");
	settings.record.mark = settings.mark = mark;
	settings.record.marked = take_mark;
	settings.record.context = &settings;
	settings.record.recording = settings.recording;
	choose_markers(&settings.markers, settings.record.user);
	if (!settings.output && record_inside_init(&settings.inside) == 0)
		settings.record.inside = take_inside;
	return record(&settings);
}
