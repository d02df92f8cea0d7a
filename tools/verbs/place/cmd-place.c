/* SPDX-License-Identifier: MIT */
/* headstart place: puts the parts of files that starts need side by side on the disk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/lock-file.h"
#include "base/strings.h"
#include "lib/files/no-state-folder.h"
#include "lib/files/stranger-refusal.h"
#include "lib/options/values.h"
#include "lib/settings/settings.h"
#include "plan/store/store.h"
#include "verb.h"
#include "verbs/place/place.h"

static const char help[] =
	"usage: headstart place [OPTION…] PROGRAM…\n"
	"       headstart place [OPTION…] (--all-plans | --refresh | --profile P…)\n"
	"       headstart place --undo [--json]\n"
	"Puts the parts of files that recorded starts of PROGRAMs need side by side on a hard disk, so that\n"
	"a start has fewer seeks. No byte, time or owner of a file changes. Works on ext4 and XFS.\n"
	"\n"
	"options:\n"
	"      --all-plans     place every program that this user has recorded\n"
	"      --refresh       place again what was placed, for example after upgrades\n"
	"      --profile P     place what the profile P says; may be given several times\n"
	"      --undo          give every placed file a contiguous place of its own again\n"
	"      --dry-run       move nothing; predict what starts read, and how long that takes\n"
	"      --tree DIR      the paths of the profile lie in a system under DIR (an image)\n"
	"      --device CLASS  auto (the default), rotational, solid or lazy\n"
	"      --force         also on disks where placing gains nothing, and if starts without headstart\n"
	"                      become slower\n"
	"      --json          print the outcome as JSON\n"
	"  -h, --help          print this\n";

static void arguments_release(struct place_arguments *arguments)
{
	free(arguments->profiles);
	free(arguments->root);
}

static int take_profile(const char *verb, const char *value, void *to)
{
	struct place_arguments *arguments = to;

	if (ARRAY_RESERVE(arguments->profiles, arguments->profiles_capacity, arguments->n_profiles + 1) < 0)
		return verb_fail_errno(ENOMEM, "cannot place '%s'", value);
	arguments->profiles[arguments->n_profiles++] = value;
	return 0;
}

static int check_arguments(const struct place_arguments *arguments)
{
	int ways = (arguments->n_programs > 0) + arguments->all_plans + arguments->refresh +
		(arguments->n_profiles > 0) + arguments->undo;

	if (ways == 0)
		return verb_usage("place", "give PROGRAM, --all-plans, --refresh, --profile P or --undo");
	if (ways > 1)
		return verb_usage(
			"place", "give only one of PROGRAM, --all-plans, --refresh, --profile and --undo");
	if (arguments->undo && (arguments->dry_run || arguments->force || arguments->class != DEVICE_UNKNOWN))
		return verb_usage("place", "--undo takes no other option than --json");
	if (arguments->tree && arguments->n_profiles == 0)
		return verb_usage("place", "--tree needs the profile of a start in that system: --profile P");
	return -1;
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct place_arguments *arguments)
{
	const struct option_row options[] = {
		{"all-plans", .flag = &arguments->all_plans},
		{"refresh", .flag = &arguments->refresh},
		{"profile", .take = take_profile, .to = arguments},
		{"undo", .flag = &arguments->undo},
		{"dry-run", .flag = &arguments->dry_run},
		{"tree", .text = &arguments->tree},
		{"device", .take = option_take_class, .to = &arguments->class},
		{"force", .flag = &arguments->force},
		{"json", .flag = &arguments->json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	arguments->programs = argv + optind;
	arguments->n_programs = (size_t)(argc - optind);
	return check_arguments(arguments);
}

static int enter_tree(struct place_arguments *arguments)
{
	struct stat st;

	arguments->root = arguments->tree ? realpath(arguments->tree, NULL) : strdup("");
	if (!arguments->root)
		return verb_fail_errno(errno, "cannot find '%s'", arguments->tree ? arguments->tree : "/");
	if (arguments->tree && (stat(arguments->root, &st) < 0 || !S_ISDIR(st.st_mode)))
		return verb_fail("'%s' is not a folder", arguments->tree);
	if (streq(arguments->root, "/")) {
		arguments->root[0] = '\0';
		arguments->tree = NULL;
	}
	return 0;
}

/*
 * The record of what was placed, locked against another headstart. What is placed in an image is not recorded: that has
 * no place on this system.
 */
struct store_record {
	struct place_record record;
	char *path; /* owned; NULL: nothing is recorded */
	int lock;   /* owned; or negative */
};

static void store_record_release(struct store_record *stored)
{
	place_record_release(&stored->record);
	free(stored->path);
	if (stored->lock >= 0)
		close(stored->lock);
}

/* The lock is a file that only its user can open: of a folder that others may read, they could hold the lock for ever. */
static int lock_record(const char *folder, struct store_record *stored)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, PLACE_LOCK) < 0)
		return verb_fail_errno(ENOMEM, "cannot lock the record in '%s'", folder);
	stored->lock = lock_file(path);
	if (stored->lock == -EBUSY)
		return verb_fail("another 'headstart place' is at work");
	return stored->lock < 0 ? verb_fail_errno(stored->lock, "cannot lock '%s'", path) : 0;
}

static int open_record(const struct place_arguments *arguments, struct store_record *stored)
{
	_cleanup_free_ char *folder = NULL, *profile = NULL;
	int r;

	if (arguments->tree)
		return 0;
	r = refuse_strange_state();
	if (r)
		return r;
	/* Its folder is made by asking for the path of a profile. */
	if ((r = store_folder(&folder)) < 0 || (r = store_path_for_writing(STORE_PROFILE, "/", &profile)) < 0)
		return no_state_folder(r, NULL);
	r = lock_record(folder, stored);
	if (r)
		return r;
	if (asprintf(&stored->path, "%s/%s", folder, PLACE_RECORD) < 0)
		return verb_fail_errno(ENOMEM, "cannot read the record in '%s'", folder);
	r = place_record_load(stored->path, &stored->record);
	if (r == -EBADMSG)
		return verb_fail("'%s' is damaged: remove it to place files without it", stored->path);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", stored->path) : 0;
}

static int save_record(const struct store_record *stored)
{
	int r = stored->path ? place_record_save(&stored->record, stored->path) : 0;

	return r < 0 ? verb_fail_errno(r, "cannot write '%s'", stored->path) : 0;
}

/* Takes out of the record what is not the recorded file any more: its blocks were given back with the old file. */
static void reclaim(struct place_record *record)
{
	for (size_t i = record->n_files; i-- > 0;) {
		struct stat st;

		if (lstat(record->files[i].path, &st) < 0 ? errno == ENOENT
							  : st.st_ino != record->files[i].inode)
			place_record_remove(record, i);
	}
}

static void show_progress(void *context, size_t done, size_t of)
{
	fprintf(stderr, "\r%zu of %zu files", done, of);
}

/* Moves what was prepared; the record is written first. */
static int move(struct place_job *job, struct store_record *stored)
{
	bool show = isatty(STDERR_FILENO);
	int r;

	if (show)
		fputs("trying the free blocks that files are moved to", stderr);
	r = place_job_allocate(job);
	if (show)
		fputs("\r\033[K", stderr);
	if (r < 0)
		return verb_fail_errno(r, "cannot allocate an area");
	r = place_job_record(job, &stored->record);
	if (r == -EFBIG)
		return verb_fail(
			"more than %u files would be placed, which is too many for one record: place fewer programs, "
			"or begin with 'headstart place --undo'",
			PLACE_FILES_MAX);
	if (r < 0)
		return verb_fail_errno(r, "cannot record what is moved");
	r = save_record(stored);
	if (r)
		return r;
	r = place_job_run(job, show ? show_progress : NULL, NULL);
	if (show)
		fputs("\r\033[K", stderr);
	if (r == -EBADMSG || r == -EIO)
		return VERB_FAILED; /* the report names the file */
	return r < 0 ? verb_fail_errno(r, "cannot move files") : 0;
}

/* Compiles all plans anew that name what is placed, also by a run that did not come to that. */
static int plan_anew(const struct place_record *record)
{
	_cleanup_(place_programs_releasep) struct place_programs programs = {0};
	int status = place_find_plans(record, &programs);

	return status ? status : place_plan_anew(&programs);
}

static int place(const struct place_arguments *arguments, struct store_record *stored)
{
	_cleanup_(config_releasep) struct config config = {0};
	_cleanup_(place_job_releasep) struct place_job job = {
		.root = arguments->root,
		.class = arguments->class,
		.force = arguments->force,
		.dry_run = arguments->dry_run,
		.anew = arguments->refresh,
	};
	int r, status = 0;

	settings_read(&config, true, false);
	job.rules = config.devices;
	job.n_rules = arguments->class == DEVICE_UNKNOWN ? config.n_devices : 0;
	if (arguments->refresh)
		reclaim(&stored->record);
	r = place_add_programs(arguments, &stored->record, &job);
	if (r)
		return r;
	r = place_job_prepare(&job, &stored->record);
	if (r < 0)
		return verb_fail_errno(r, "cannot choose what to move");
	if (!arguments->dry_run)
		status = move(&job, stored);
	if (!arguments->dry_run && status == 0 && stored->path)
		status = plan_anew(&stored->record);
	r = place_report(arguments, &job);
	return status ? status : r;
}

/* Descending, so that the loop over them, which takes some out, begins with the lowest. */
static int by_inode(const void *a, const void *b)
{
	const struct placed_file *x = a, *y = b;

	return (x->inode < y->inode) - (x->inode > y->inode);
}

/* Files get their places in the order of their inodes, which is the one in which they were installed. */
static int take_back(const struct place_arguments *arguments, struct store_record *stored)
{
	_cleanup_(place_programs_releasep) struct place_programs programs = {0};
	struct place_record *record = &stored->record;
	struct place_returned *returned = calloc(record->n_files + 1, sizeof(*returned));
	uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	const char *last = NULL; /* valid if it failed: then it is still in the record */
	size_t n = 0;
	int r = returned ? 0 : -ENOMEM, status = place_find_plans(record, &programs);

	if (status) {
		free(returned);
		return status;
	}
	if (record->n_files > 1)
		qsort(record->files, record->n_files, sizeof(*record->files), by_inode);
	for (size_t i = record->n_files; i-- > 0 && r == 0;) {
		last = record->files[i].path;
		r = place_take_back(&record->files[i], page_size, &returned[n]);
		if (r == 0 && !returned[n++].keep)
			place_record_remove(record, i);
	}
	if (r == -EBADMSG)
		status = verb_fail(
			"'%s' has other bytes than before it was moved; nothing more was moved", last);
	else
		status = r < 0 ? verb_fail_errno(r, "cannot take back what was placed") : 0;
	if (status == 0)
		status = place_plan_anew(&programs);
	if (record->n_files == 0)
		place_record_release(record);
	if (save_record(stored))
		status = VERB_FAILED;
	if (status == 0 && n == 0)
		verb_note("nothing is placed");
	if (status == 0 && (n > 0 || arguments->json))
		status = place_report_returned(arguments, returned, n);
	for (size_t i = 0; i < n; i++)
		place_returned_release(&returned[i]);
	free(returned);
	return status;
}

int cmd_place(int argc, char **argv)
{
	_cleanup_(arguments_release) struct place_arguments arguments = {0};
	_cleanup_(store_record_release) struct store_record stored = {.lock = -1};
	int status = parse_arguments(argc, argv, &arguments);

	if (status >= 0)
		return status;
	status = enter_tree(&arguments);
	if (status == 0)
		status = open_record(&arguments, &stored);
	if (status)
		return status;
	return arguments.undo ? take_back(&arguments, &stored) : place(&arguments, &stored);
}
