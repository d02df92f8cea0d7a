/* SPDX-License-Identifier: MIT */
/* headstart relayout: gives ELF files a new layout, by a profile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "format/note.h"
#include "lib/files/input-path.h"
#include "lib/files/input.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "package/owner.h"
#include "profile/file/profile-file.h"
#include "verb.h"
#include "verbs/relayout/relayout.h"

#define SEGMENTS_MAX 4096u

static const char help[] =
	"usage: headstart relayout --profile P -o OUT [OPTION…] FILE…\n"
	"       headstart relayout --profile P (--in-place | --shadow DIR | --dry-run) [OPTION…] [FILE…]\n"
	"Rewrites ELF files so that the pages that a start touches lie together: appends copies of these\n"
	"pages, in the order of the touches, and has them mapped from there. Addresses stay the same, and\n"
	"'headstart undo' restores the original. Without FILE: the ELF files of the profile that gain by "
	"it.\n"
	"\n"
	"options:\n"
	"      --profile P       the profile that says what is touched\n"
	"  -o, --output OUT      write the relaid file to OUT, or into it if it is a folder; an unchanged\n"
	"                        copy if there is nothing to do\n"
	"      --in-place        replace the files\n"
	"      --shadow DIR      write copies under DIR, with a script that mounts them over the originals\n"
	"      --dry-run         write nothing; predict what a cold start reads before and after\n"
	"      --tree DIR        FILE and the paths of the profile lie in a system under DIR (an image)\n"
	"      --force           also rewrite files of packages, setuid files, and files with a checksum\n"
	"      --all             also rewrite files that gain nothing by it, or lose\n"
	"      --compact         lay the whole file out anew, without a byte twice; cannot be undone\n"
	"      --max-segments N  make at most N PT_LOADs of a file\n"
	"      --cut-functions   cut code at any page: gains more, but valgrind cannot run the result\n"
	"      --jobs N          rewrite N files at once (default: the number of processors)\n"
	"      --json            print the outcome as JSON\n"
	"  -h, --help            print this\n";

static void run_release(struct relayout_run *run)
{
	relayout_batch_release(&run->batch);
	free(run->shadow_folder);
	free(run->profile_file);
	profile_release(&run->profile);
}

static int take_number(
	const char *verb, const char *text, unsigned long long least, unsigned long long most, size_t *ret)
{
	unsigned long long number;

	if (!verb_parse_u64(text, &number) || number < least || number > most)
		return verb_usage(verb, "'%s' is not a number from %llu to %llu", text, least, most);
	*ret = (size_t)number;
	return 0;
}

static int take_segments(const char *verb, const char *value, void *to)
{
	return take_number(verb, value, 2, SEGMENTS_MAX, to);
}

static int take_jobs(const char *verb, const char *value, void *to)
{
	return take_number(verb, value, 1, RELAYOUT_JOBS_MAX, to);
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct relayout_run *run)
{
	struct pass_options *passes = &run->batch.options.pass_options;
	bool compact = false;
	const struct option_row options[] = {
		{"profile", .text = &run->profile_path},
		{"output", 'o', .text = &run->output},
		{"in-place", .flag = &run->in_place},
		{"shadow", .text = &run->shadow},
		{"dry-run", .flag = &run->batch.dry_run},
		{"tree", .text = &run->tree},
		{"force", .flag = &run->batch.force},
		{"all", .flag = &run->all},
		{"compact", .flag = &compact},
		{"max-segments", .take = take_segments, .to = &passes->max_segments},
		{"cut-functions", .flag = &passes->cut_functions},
		{"jobs", .take = take_jobs, .to = &run->jobs},
		{"json", .flag = &run->json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (compact)
		passes->passes |= NOTE_PASS_COMPACT;
	if (!run->profile_path)
		return verb_usage("relayout", "no profile given: use --profile P");
	if ((run->output != NULL) + run->in_place + (run->shadow != NULL) > 1)
		return verb_usage("relayout", "use only one of -o, --in-place and --shadow");
	if (!run->output && !run->in_place && !run->shadow && !run->batch.dry_run)
		return verb_usage(
			"relayout", "no output given: use -o OUT, --in-place, --shadow DIR or --dry-run");
	if (run->shadow && run->tree)
		return verb_usage("relayout", "--shadow works on the running system: leave out --tree");
	if (compact && (run->shadow || (run->in_place && !run->tree && !run->batch.force)))
		return verb_usage("relayout", "--compact cannot be undone: add -o, --tree or --force");
	if (compact && passes->cut_functions)
		return verb_usage("relayout", "--compact never divides functions: leave out --cut-functions");
	if (run->output && argc == optind)
		return verb_usage("relayout", "no file given to write to '%s'", run->output);
	return -1;
}

static int load_profile(struct relayout_run *run)
{
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = input_path(run->profile_path, false, &run->profile_file);

	if (r == 0)
		r = input_profile(run->profile_file, &run->profile);
	if (r)
		return r;
	r = read_file(run->profile_file, PROFILE_MAX_SIZE, &data, &size);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", run->profile_file);
	run->batch.options.profile = &run->profile;
	run->batch.options.profile_checksum = checksum64(data, size);
	return 0;
}

static int enter_tree(struct relayout_run *run)
{
	int r = relayout_batch_enter(&run->batch, run->tree ? run->tree : "/");

	if (r == -ENOTDIR)
		return verb_fail("'%s' is not a folder", run->tree);
	return r < 0 ? verb_fail_errno(r, "cannot find '%s'", run->tree) : 0;
}

/* The files that the user named, or else the ELF files of the profile. */
static int list_files(struct relayout_run *run, char **names, size_t n)
{
	const char *culprit;
	int r = 0;

	run->listed = n > 0;
	run->batch.options.only_gains = n == 0 && !run->all; /* a user who names a file has a reason, */
	run->batch.options.takes_losses = run->all;          /* but may not know that it loses */
	if (n == 0)
		r = relayout_batch_add_profile(&run->batch, &culprit);
	for (size_t i = 0; i < n && r == 0; i++) {
		culprit = names[i];
		r = relayout_batch_add(&run->batch, culprit);
	}
	return r < 0 ? verb_fail_errno(r, "cannot relayout '%s'", culprit) : 0;
}

/* Decides where the results go. Returns 0, or an exit status after printing the reason. */
static int place_outputs(struct relayout_run *run)
{
	struct relayout_batch *batch = &run->batch;
	struct relayout_clash clash;
	int r = relayout_batch_place(batch, run->output, &clash);

	if (r == -ENOTDIR)
		return verb_fail("'%s' is not a folder, and several files cannot go to one", run->output);
	if (r == -EEXIST)
		return verb_fail("'%s' and '%s' would both be written to '%s'", clash.one->path,
			clash.other->path, clash.one->output);
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", run->output);
	for (size_t i = 0; i < batch->n_files && r == 0; i++)
		r = output_check(batch->files[i].output);
	return r;
}

static void owners_free(struct package_owner *owners, size_t n)
{
	for (size_t i = 0; owners && i < n; i++)
		package_owner_release(&owners[i]);
	free(owners);
}

/* `path` is the file's, or another name of it. */
static int take_owner(struct relayout_file *file, const char *path, const struct package_owner *owner)
{
	if (owner->manager == PACKAGE_NONE || file->status != RELAYOUT_PENDING)
		return 0;
	if (path == file->inside)
		relayout_set(file, RELAYOUT_REFUSED, "belongs to the package %s", owner->package);
	else
		relayout_set(file, RELAYOUT_REFUSED,
			"is a hard link to '%s', which belongs to the package %s", path, owner->package);
	return package_advice(owner, &file->advice);
}

/* All names of all files, inside the root; the caller frees *ret, but not the names. */
static int list_names(const struct relayout_batch *batch, const char ***ret, size_t *ret_n)
{
	const char **names;
	size_t n = 0;

	for (size_t i = 0; i < batch->n_files; i++)
		n += 1 + batch->files[i].n_names;
	names = calloc(n + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	*ret = names;
	*ret_n = n;
	for (size_t i = 0; i < batch->n_files; i++) {
		const struct relayout_file *file = &batch->files[i];

		*names++ = file->inside;
		for (size_t j = 0; j < file->n_names; j++)
			*names++ = file->names[j] + strlen(batch->root);
	}
	return 0;
}

static int take_owners(struct relayout_batch *batch, const char **names, const struct package_owner *owners)
{
	int r = 0;

	for (size_t i = 0, at = 0; i < batch->n_files; i++)
		for (size_t end = at + 1 + batch->files[i].n_names; at < end && r == 0; at++)
			r = take_owner(&batch->files[i], names[at], &owners[at]);
	return r;
}

/* Refuses files that belong to packages by any of their names. Returns 0, or an exit status after printing the reason. */
static int ask_packages(struct relayout_batch *batch)
{
	_cleanup_free_ const char **names = NULL;
	struct package_owner *owners = NULL;
	size_t n = 0;
	int r = list_names(batch, &names, &n);

	if (r == 0)
		owners = calloc(n + 1, sizeof(*owners));
	if (r == 0)
		r = owners ? package_owners(batch->root[0] ? batch->root : "/", names, n, owners) : -ENOMEM;
	if (r == 0)
		r = take_owners(batch, names, owners);
	owners_free(owners, n);
	return r < 0 ? verb_fail_errno(
			       r, "cannot find out which packages the files belong to; --force does not ask")
		     : 0;
}

static void show_progress(void *context, size_t done, size_t of)
{
	fprintf(stderr, "\r%zu of %zu files", done, of);
}

static void relayout_files(struct relayout_run *run)
{
	bool show = run->batch.n_files > 1 && isatty(STDERR_FILENO);

	relayout_batch_run(&run->batch, run->jobs, show ? show_progress : NULL, NULL);
	if (show)
		fputs("\r\033[K", stderr);
}

/* Does all checks that are possible before the work begins. */
static int prepare(struct relayout_run *run, char **names, size_t n)
{
	int status = load_profile(run);

	run->batch.copy_skipped = run->output != NULL;
	run->batch.originals_only = run->shadow != NULL;
	if (status == 0)
		status = enter_tree(run);
	if (status == 0)
		status = list_files(run, names, n);
	if (status == 0 && run->output)
		status = place_outputs(run);
	if (status == 0 && run->shadow)
		status = relayout_shadow_begin(run);
	if (status == 0 && run->in_place && !run->batch.force)
		status = ask_packages(&run->batch);
	return status;
}

int cmd_relayout(int argc, char **argv)
{
	_cleanup_(run_release) struct relayout_run run = {
		.batch.options.pass_options.passes = NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS,
	};
	int status = parse_arguments(argc, argv, &run);

	if (status >= 0)
		return status;
	status = prepare(&run, argv + optind, (size_t)(argc - optind));
	if (status)
		return status;
	relayout_files(&run);
	if (run.shadow && !run.batch.dry_run)
		status = relayout_shadow_finish(&run);
	return status ? status : relayout_report(&run);
}
