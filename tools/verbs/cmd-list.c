/* SPDX-License-Identifier: MIT */
/* headstart list: prints which starts are recorded, and what their plans are worth. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "base/quote.h"
#include "base/strings.h"
#include "format/state-folder.h"
#include "learn/habits.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "lib/programs/named-program.h"
#include "lib/settings/plan-settings.h"
#include "plan/store/each.h"
#include "plan/store/store.h"
#include "profile/file/profile-file.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/staleness.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/touched.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/daemon/learnt.h"

#define ASKED_MIN 16 /* columns for what was asked for, however narrow the terminal */

static const char help[] =
	"usage: headstart list [OPTION…] [PROGRAM]\n"
	"Shows which starts are recorded, of PROGRAM or of all programs: what the program was asked for,\n"
	"when it was recorded, how much the start reads, how much of that lies in files that have not changed\n"
	"since, and when the plan was last looked at.\n"
	"\n"
	"options:\n"
	"      --json  print it as JSON\n"
	"  -h, --help  print this\n";

/* One recording, as it is printed. */
struct entry {
	const struct profile *recording;
	const char *profile;   /* path */
	uint64_t bytes, fresh; /* touched; of them, in files that are as they were */
	char plan[PATH_MAX];   /* "": it has none */
	int64_t used;          /* seconds since the epoch: when the plan was last read; 0: not known */
};

struct listing {
	const char *program; /* canonical; NULL: all */
	bool json;
	struct json_object *array;
	struct report_style style;
	size_t shown, unreadable;
	struct habits habits; /* root sees what the daemon has warmed */
};

static uint64_t fresh_bytes(const struct profile *recording)
{
	struct utsname here;
	bool same_machine = recording->kernel && uname(&here) == 0 && streq(recording->kernel, here.release);
	uint64_t bytes = 0;

	for (size_t i = 0; i < recording->n_files; i++) {
		const struct profile_file *file = &recording->files[i];

		if (file->n_ranges > 0 && profile_file_staleness(file, same_machine) == PROFILE_FRESH)
			bytes += touched_of(file, recording->runs, recording->page_size).bytes;
	}
	return bytes;
}

/* The plan with that suffix beside the profile, if there is one. */
static bool find_plan(struct entry *entry, const char *suffix)
{
	size_t length = strlen(entry->profile) - strlen(STATE_PROFILE_SUFFIX);
	struct stat st;

	if (snprintf(entry->plan, sizeof(entry->plan), "%.*s%s", (int)length, entry->profile, suffix) >=
			(int)sizeof(entry->plan) ||
		lstat(entry->plan, &st) < 0 || !S_ISREG(st.st_mode)) {
		entry->plan[0] = '\0';
		return false;
	}
	entry->used = st.st_atim.tv_sec > st.st_mtim.tv_sec ? st.st_atim.tv_sec : 0;
	return true;
}

static struct entry describe(const struct profile *recording, const char *profile, size_t n)
{
	struct entry entry = {.recording = recording,
		.profile = profile,
		.bytes = touched_bytes(recording),
		.fresh = fresh_bytes(recording)};
	char suffix[STATE_ASKED_SIZE];

	state_asked_suffix(recording->asked, suffix);
	if ((recording->asked == 0 || !find_plan(&entry, suffix)) && n == 1)
		find_plan(&entry, STATE_PLAN_SUFFIX);
	return entry;
}

static void add_json(struct json_object *array, const struct entry *entry, int64_t warmed)
{
	const struct profile *recording = entry->recording;
	struct json_object *object = json_object_new_object(), *arguments = NULL;

	if (recording->n_arguments > 0)
		arguments = json_object_new_array();
	for (size_t i = 1; i < recording->n_arguments; i++)
		json_object_array_add(arguments, json_text(recording->arguments[i]));
	json_object_object_add(object, "program", json_text(recording->program));
	json_object_object_add(object, "arguments", arguments);
	json_object_object_add(object, "folder",
		recording->folder && *recording->folder ? json_text(recording->folder) : NULL);
	json_object_object_add(object, "recorded", json_object_new_int64(recording->recorded));
	json_object_object_add(object, "runs", json_object_new_int64(recording->runs));
	json_object_object_add(object, "bytes", json_object_new_uint64(entry->bytes));
	json_object_object_add(object, "bytes_as_they_were", json_object_new_uint64(entry->fresh));
	json_object_object_add(object, "profile", json_text(entry->profile));
	json_object_object_add(object, "plan", entry->plan[0] ? json_text(entry->plan) : NULL);
	json_object_object_add(object, "used", entry->used ? json_object_new_int64(entry->used) : NULL);
	json_object_object_add(object, "warmed", warmed ? json_object_new_int64(warmed) : NULL);
	json_object_array_add(array, object);
}

/* The arguments as a shell takes them. The caller frees it; NULL without memory. */
static char *asked_text(const struct profile *recording)
{
	char *text = NULL;
	size_t size;
	FILE *stream;

	if (recording->n_arguments == 0)
		return strdup("(not known)");
	if (recording->n_arguments == 1)
		return strdup("(no arguments)");
	stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	for (size_t i = 1; i < recording->n_arguments; i++) {
		if (i > 1)
			fputc(' ', stream);
		quote_shell(stream, recording->arguments[i]);
	}
	return fclose(stream) == 0 ? text : NULL;
}

/* The day of a time: "2026-11-21", or "-". */
static const char *day(int64_t seconds, char buffer[WORDS_MAX])
{
	if (seconds == 0)
		return "-";
	words_time(seconds, buffer);
	buffer[strcspn(buffer, " ")] = '\0';
	return buffer;
}

static void print_entry(const struct entry *entry, const struct report_style *style)
{
	char recorded[WORDS_MAX], bytes[WORDS_MAX], used[WORDS_MAX];
	_cleanup_free_ char *text = asked_text(entry->recording);

	size_t before = (size_t)printf("  %-10s  %9s  %7.0f %%  %-10s  ",
		day(entry->recording->recorded, recorded), words_bytes(entry->bytes, bytes),
		entry->bytes ? 100.0 * (double)entry->fresh / (double)entry->bytes : 100.0,
		entry->plan[0] ? day(entry->used, used) : "no plan");
	size_t width = style->columns > before + ASKED_MIN ? style->columns - before : ASKED_MIN;

	table_cut_text(stdout, text ? text : "", style->whole_paths ? SIZE_MAX : width, TABLE_CUT_END, style);
	putchar('\n');
}

/* When the daemon has warmed the program; 0: never, or this user may not know. */
static int64_t time_warmed(const struct listing *listing, const char *program)
{
	const struct habit *habit = habits_find(&listing->habits, program);

	return habit ? habit->warmed : 0;
}

static void print_warmed(const struct listing *listing, const char *program)
{
	int64_t warmed = time_warmed(listing, program);
	char when[WORDS_MAX];

	if (warmed)
		printf("  warmed %s in case it is started\n", words_time(warmed, when));
}

static void print_recordings(struct listing *listing, const struct recordings *recordings, const char *path)
{
	if (!listing->json) {
		if (listing->shown > 0)
			putchar('\n');
		table_title(stdout, recordings->items->program, &listing->style);
		print_warmed(listing, recordings->items->program);
		printf("  %-10s  %9s  %9s  %-10s  %s\n", "recorded", "reads", "unchanged", "used",
			"asked for");
	}
	for (size_t i = 0; i < recordings->n; i++) {
		struct entry entry = describe(&recordings->items[i], path, recordings->n);

		listing->shown++;
		if (listing->json)
			add_json(listing->array, &entry, time_warmed(listing, recordings->items->program));
		else
			print_entry(&entry, &listing->style);
	}
}

/* For store_each(): one that cannot be read keeps no other from being listed. */
static int list_profile(void *context, const char *path)
{
	struct listing *listing = context;
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault = PROFILE_GOOD;
	int r = recordings_load(path, &recordings, &fault);

	if (r == -EACCES) {
		listing->unreadable++;
		return 0;
	}
	if (r == -ENOENT)
		return 0; /* it was forgotten meanwhile */
	if (r == -EBADMSG)
		verb_note("'%s' %s", path, profile_fault_text(fault));
	else if (r < 0)
		verb_note("cannot read '%s': %s", path, strerror(-r));
	if (r < 0)
		return 0;
	plan_find_keys(&recordings, false);
	if (!listing->program || streq(listing->program, recordings.items->program))
		print_recordings(listing, &recordings, path);
	return 0;
}

static int list_folder(struct listing *listing, const char *folder)
{
	int r = store_each(folder, STATE_PROFILE_SUFFIX, list_profile, listing);

	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", folder) : 0;
}

/* What is to be said after the recordings, or where there are none. */
static void print_rest(const struct listing *listing)
{
	const char *s = plural(listing->unreadable);

	if (listing->shown > 0 && listing->unreadable > 0)
		printf("\n%zu more program%s: only root can read what was recorded\n", listing->unreadable,
			s);
	else if (listing->unreadable > 0)
		printf("only root can read what was recorded of %zu program%s: sudo headstart list\n",
			listing->unreadable, s);
	if (listing->shown + listing->unreadable > 0)
		return;
	fputs("nothing is recorded", stdout);
	if (listing->program) {
		fputs(" of '", stdout);
		table_safe_text(stdout, listing->program, &listing->style);
		fputs("'", stdout);
	}
	puts(": 'sudo headstart record -- COMMAND' records a start");
}

static int list_all(struct listing *listing)
{
	int r = refuse_strange_state();

	if (r == 0 && geteuid() == 0)
		(void)learnt_read("habits", &habits_format, &listing->habits, true);
	for (unsigned n = 0; r == 0; n++) {
		_cleanup_free_ char *folder = NULL;

		if (store_search_folder(n, &folder) < 0)
			break;
		r = list_folder(listing, folder);
	}
	if (r)
		return r;
	if (listing->json && listing->unreadable > 0)
		verb_note("%zu program%s left out: only root can read what was recorded of %s",
			listing->unreadable, plural_of(listing->unreadable, " is", "s are"),
			plural_of(listing->unreadable, "it", "them"));
	if (listing->json)
		return print_json(listing->array, JSON_C_TO_STRING_PRETTY);
	print_rest(listing);
	return verb_flush();
}

int cmd_list(int argc, char **argv)
{
	_cleanup_free_ char *program = NULL;
	struct listing listing = {.style = page_style(SIZE_MAX)};
	const struct option_row options[] = {{"json", .flag = &listing.json}, {0}};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (argc - optind > 1)
		return verb_usage("list", "unexpected argument '%s': give one program", argv[optind + 1]);
	status = argv[optind] ? program_named(argv[optind], &program) : 0;
	if (status)
		return status;
	listing.program = program;
	if (listing.json)
		listing.array = json_object_new_array();
	status = list_all(&listing);
	habits_release(&listing.habits);
	return status;
}
