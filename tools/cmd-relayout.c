/* SPDX-License-Identifier: MIT */
/* headstart relayout: lays ELF files out anew by a profile. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"
#include "format/note.h"
#include "input.h"
#include "output.h"
#include "profile/profile-file.h"
#include "relayout.h"
#include "relayout/loader.h"
#include "verb.h"

#define JOBS_MAX     256u
#define SEGMENTS_MAX 4096u

static const char help[] =
	"usage: headstart relayout --profile P -o OUT [OPTION…] FILE…\n"
	"       headstart relayout --profile P (--in-place | --shadow DIR | --dry-run) [OPTION…] [FILE…]\n"
	"Appends copies of those pages of ELF files that a start touches, in the order of the touches, and\n"
	"has them mapped from there: addresses stay, what was scattered is read in one go.\n"
	"'headstart undo' gives the original back. Without FILE: all ELF files of the profile.\n"
	"\n"
	"options:\n"
	"      --profile P       the profile that says what is touched\n"
	"  -o, --output OUT      write the relaid file to OUT, or into it if it is a folder; an unchanged\n"
	"                        copy if there is nothing to do\n"
	"      --in-place        replace the files\n"
	"      --shadow DIR      write copies under DIR, with what mounts them over the originals\n"
	"      --dry-run         write nothing; predict what a cold start reads before and after\n"
	"      --tree DIR        the files, and the profile's, lie in a system under DIR (an image)\n"
	"      --force           relayout files of packages, setuid ones, and those with a checksum\n"
	"      --all             relayout files of the profile that gain nothing, too\n"
	"      --compact         lay the whole file out anew, without a byte twice; cannot be undone\n"
	"      --max-segments N  make at most N PT_LOADs of a file\n"
	"      --no-hot          do not copy pages because they are touched\n"
	"      --no-relr         do not pack relative relocations into DT_RELR\n"
	"      --no-relocs       do not move the other relocations\n"
	"      --jobs N          relayout N files at once (default: as there are processors)\n"
	"      --json            print the outcome as JSON\n"
	"  -h, --help            print this\n";

enum long_option {
	OPTION_PROFILE = 256,
	OPTION_IN_PLACE,
	OPTION_SHADOW,
	OPTION_DRY_RUN,
	OPTION_TREE,
	OPTION_FORCE,
	OPTION_ALL,
	OPTION_COMPACT,
	OPTION_MAX_SEGMENTS,
	OPTION_NO_HOT,
	OPTION_NO_RELR,
	OPTION_NO_RELOCS,
	OPTION_JOBS,
	OPTION_JSON,
};

static const struct option longs[] = {
	{"profile", required_argument, NULL, OPTION_PROFILE},
	{"output", required_argument, NULL, 'o'},
	{"in-place", no_argument, NULL, OPTION_IN_PLACE},
	{"shadow", required_argument, NULL, OPTION_SHADOW},
	{"dry-run", no_argument, NULL, OPTION_DRY_RUN},
	{"tree", required_argument, NULL, OPTION_TREE},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"all", no_argument, NULL, OPTION_ALL},
	{"compact", no_argument, NULL, OPTION_COMPACT},
	{"max-segments", required_argument, NULL, OPTION_MAX_SEGMENTS},
	{"no-hot", no_argument, NULL, OPTION_NO_HOT},
	{"no-relr", no_argument, NULL, OPTION_NO_RELR},
	{"no-relocs", no_argument, NULL, OPTION_NO_RELOCS},
	{"jobs", required_argument, NULL, OPTION_JOBS},
	{"json", no_argument, NULL, OPTION_JSON},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static void run_release(struct relayout_run *run)
{
	for (size_t i = 0; i < run->n_files; i++) {
		struct relayout_file *file = &run->files[i];

		for (size_t name = 0; name < file->n_names; name++)
			free(file->names[name]);
		free(file->names);
		free(file->path);
		free(file->output);
		free(file->reason);
		free(file->advice);
	}
	free(run->files);
	free(run->root);
	free(run->shadow_folder);
	profile_release(&run->profile);
}

static int parse_number(const char *text, unsigned least, unsigned most, size_t *ret)
{
	unsigned long long number;

	if (!verb_parse_u64(text, &number) || number < least || number > most)
		return verb_usage("relayout", "'%s' is no number from %u to %u", text, least, most);
	*ret = (size_t)number;
	return 0;
}

/* Returns 0, or the status of an error that has been told. */
static int parse_option(int option, struct relayout_run *run)
{
	struct pass_options *passes = &run->options.pass_options;

	switch (option) {
	case OPTION_PROFILE:
		run->profile_path = optarg;
		return 0;
	case 'o':
		run->output = optarg;
		return 0;
	case OPTION_IN_PLACE:
		run->in_place = true;
		return 0;
	case OPTION_SHADOW:
		run->shadow = optarg;
		return 0;
	case OPTION_DRY_RUN:
		run->dry_run = true;
		return 0;
	case OPTION_TREE:
		run->tree = optarg;
		return 0;
	case OPTION_FORCE:
		run->force = true;
		return 0;
	case OPTION_ALL:
		run->all = true;
		return 0;
	case OPTION_COMPACT:
		passes->passes |= NOTE_PASS_COMPACT;
		return 0;
	case OPTION_MAX_SEGMENTS:
		return parse_number(optarg, 2, SEGMENTS_MAX, &passes->max_segments);
	case OPTION_NO_HOT:
		passes->passes &= ~(uint32_t)NOTE_PASS_HOT;
		return 0;
	case OPTION_NO_RELR:
		passes->passes &= ~(uint32_t)NOTE_PASS_RELR;
		return 0;
	case OPTION_NO_RELOCS:
		passes->passes &= ~(uint32_t)NOTE_PASS_RELOCS;
		return 0;
	case OPTION_JOBS:
		return parse_number(optarg, 1, JOBS_MAX, &run->jobs);
	default:
		run->json = true;
		return 0;
	}
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct relayout_run *run)
{
	int option, status;

	while ((option = verb_option(argc, argv, ":o:h", longs)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) < 0 ? VERB_FAILED : 0;
		if (option == '?')
			return VERB_USAGE;
		status = parse_option(option, run);
		if (status)
			return status;
	}
	if (!run->profile_path)
		return verb_usage("relayout", "no profile given (--profile)");
	if ((run->output != NULL) + run->in_place + (run->shadow != NULL) > 1)
		return verb_usage("relayout", "only one of -o, --in-place and --shadow");
	if (!run->output && !run->in_place && !run->shadow && !run->dry_run)
		return verb_usage("relayout", "where to: -o OUT, --in-place, --shadow DIR or --dry-run");
	if (run->shadow && run->tree)
		return verb_usage("relayout", "--shadow is for the running system, not for a --tree");
	if ((run->options.pass_options.passes & NOTE_PASS_COMPACT) &&
		(run->shadow || (run->in_place && !run->tree && !run->force)))
		return verb_usage("relayout", "--compact cannot be undone: only with -o, --tree or --force");
	if (run->output && argc == optind)
		return verb_usage("relayout", "which file is to be written to '%s'", run->output);
	return -1;
}

static int load_profile(struct relayout_run *run)
{
	const char *path = run->profile_path;
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = input_profile(path, &run->profile);

	if (r)
		return r;
	r = read_file(path, PROFILE_MAX_SIZE, &data, &size);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	run->options.profile = &run->profile;
	run->options.profile_checksum = checksum64(data, size);
	return 0;
}

/* The tree's canonical path; that of the system itself is "". */
static int find_root(struct relayout_run *run)
{
	char *root = realpath(run->tree ? run->tree : "/", NULL);
	struct stat st;

	if (!root || stat(root, &st) < 0) {
		free(root);
		return verb_fail_errno(errno, "cannot find '%s'", run->tree);
	}
	run->root = root;
	if (!S_ISDIR(st.st_mode))
		return verb_fail("'%s' is not a folder", run->tree);
	if (streq(root, "/"))
		root[0] = '\0';
	run->knows_relr[0] = loader_knows_relr(root, EM_X86_64);
	run->knows_relr[1] = loader_knows_relr(root, EM_AARCH64);
	return 0;
}

/* Where the results go. Returns 0, or an exit status with the reason said. */
static int place_outputs(struct relayout_run *run)
{
	struct stat st;
	bool folder = stat(run->output, &st) == 0 && S_ISDIR(st.st_mode);

	if (!folder && run->n_files > 1)
		return verb_fail("'%s' is not a folder, and several files cannot go to one", run->output);
	for (size_t i = 0; i < run->n_files; i++) {
		struct relayout_file *file = &run->files[i];
		int r = folder ? asprintf(&file->output, "%s/%s", run->output, file->name)
			       : asprintf(&file->output, "%s", run->output);

		if (r < 0) {
			file->output = NULL;
			return verb_fail_errno(ENOMEM, "cannot write '%s'", run->output);
		}
		for (size_t other = 0; other < i; other++)
			if (streq(run->files[other].output, file->output))
				return verb_fail("'%s' and '%s' would both be written to '%s'",
					run->files[other].path, file->path, file->output);
		r = output_check(file->output);
		if (r)
			return r;
	}
	return 0;
}

struct workers {
	struct relayout_run *run;
	atomic_size_t next, done;
	bool progress;
};

static void *work(void *argument)
{
	struct workers *workers = argument;
	struct relayout_run *run = workers->run;
	size_t i;

	while ((i = atomic_fetch_add(&workers->next, 1)) < run->n_files) {
		size_t done;

		if (run->files[i].status == RELAYOUT_PENDING)
			relayout_file(run, &run->files[i]);
		done = atomic_fetch_add(&workers->done, 1) + 1;
		if (workers->progress)
			fprintf(stderr, "\r%zu of %zu files", done, run->n_files);
	}
	return NULL;
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* The files one after the other, by as many threads as are wanted and can be had; this is one of them. */
static void relayout_all(struct relayout_run *run)
{
	struct workers workers = {
		.run = run,
		.progress = run->n_files > 1 && isatty(STDERR_FILENO),
	};
	size_t jobs = run->jobs ? run->jobs : processors(), n = 0;
	pthread_t threads[JOBS_MAX];

	while (n + 1 < jobs && n + 1 < JOBS_MAX && n + 1 < run->n_files &&
		pthread_create(&threads[n], NULL, work, &workers) == 0)
		n++;
	work(&workers);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (workers.progress)
		fputs("\r\033[K", stderr);
}

/* All that can be found out before work begins. */
static int prepare(struct relayout_run *run, char **names, size_t n)
{
	int status = load_profile(run);

	if (status == 0)
		status = find_root(run);
	if (status == 0)
		status = relayout_list(run, names, n);
	if (status == 0 && run->output)
		status = place_outputs(run);
	if (status == 0 && run->shadow && !run->dry_run)
		status = relayout_shadow_begin(run);
	if (status == 0 && run->in_place && !run->force)
		status = relayout_ask_packages(run);
	return status;
}

int cmd_relayout(int argc, char **argv)
{
	_cleanup_(run_release) struct relayout_run run = {
		.options.pass_options.passes = NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS,
	};
	int status = parse_arguments(argc, argv, &run);

	if (status >= 0)
		return status;
	status = prepare(&run, argv + optind, (size_t)(argc - optind));
	if (status)
		return status;
	relayout_all(&run);
	if (run.shadow && !run.dry_run)
		status = relayout_shadow_finish(&run);
	return status ? status : relayout_report(&run);
}
