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
#include "relayout/loader.h"
#include "output.h"
#include "profile/profile-file.h"
#include "relayout.h"
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
	"                        copy if there is nothing to relay\n"
	"      --in-place        replace the files\n"
	"      --shadow DIR      write copies under DIR, with what mounts them over the originals\n"
	"      --dry-run         write nothing; predict what a cold start reads before and after\n"
	"      --tree DIR        the files, and the profile's, lie in a system under DIR (an image)\n"
	"      --force           relay files of packages, setuid ones, and those with a checksum\n"
	"      --all             relay files of the profile that gain nothing, too\n"
	"      --compact         lay the whole file out anew, without a byte twice; cannot be undone\n"
	"      --max-segments N  make at most N PT_LOADs of a file\n"
	"      --no-hot          do not copy pages because they are touched\n"
	"      --no-relr         do not pack relative relocations into DT_RELR\n"
	"      --no-relocs       do not move the other relocations\n"
	"      --jobs N          relay N files at once (default: as there are processors)\n"
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

static void relayout_release(struct relayout *relayout)
{
	for (size_t i = 0; i < relayout->n_files; i++) {
		struct relayout_file *file = &relayout->files[i];

		for (size_t name = 0; name < file->n_names; name++)
			free(file->names[name]);
		free(file->names);
		free(file->path);
		free(file->output);
		free(file->reason);
		free(file->advice);
	}
	free(relayout->files);
	free(relayout->root);
	free(relayout->shadow_folder);
	profile_release(&relayout->profile);
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
static int parse_option(int option, struct relayout *relayout)
{
	struct layout_options *layout = &relayout->options.layout;

	switch (option) {
	case OPTION_PROFILE:
		relayout->profile_path = optarg;
		return 0;
	case 'o':
		relayout->output = optarg;
		return 0;
	case OPTION_IN_PLACE:
		relayout->in_place = true;
		return 0;
	case OPTION_SHADOW:
		relayout->shadow = optarg;
		return 0;
	case OPTION_DRY_RUN:
		relayout->dry_run = true;
		return 0;
	case OPTION_TREE:
		relayout->tree = optarg;
		return 0;
	case OPTION_FORCE:
		relayout->force = true;
		return 0;
	case OPTION_ALL:
		relayout->all = true;
		return 0;
	case OPTION_COMPACT:
		layout->passes |= NOTE_PASS_COMPACT;
		return 0;
	case OPTION_MAX_SEGMENTS:
		return parse_number(optarg, 2, SEGMENTS_MAX, &layout->max_segments);
	case OPTION_NO_HOT:
		layout->passes &= ~(uint32_t)NOTE_PASS_HOT;
		return 0;
	case OPTION_NO_RELR:
		layout->passes &= ~(uint32_t)NOTE_PASS_RELR;
		return 0;
	case OPTION_NO_RELOCS:
		layout->passes &= ~(uint32_t)NOTE_PASS_RELOCS;
		return 0;
	case OPTION_JOBS:
		return parse_number(optarg, 1, JOBS_MAX, &relayout->jobs);
	default:
		relayout->json = true;
		return 0;
	}
}

/* Returns -1 to go on, or the exit status. */
static int parse_arguments(int argc, char **argv, struct relayout *relayout)
{
	int option, status;

	while ((option = verb_option(argc, argv, ":o:h", longs)) != -1) {
		if (option == 'h')
			return fputs(help, stdout) < 0 ? VERB_FAILED : 0;
		if (option == '?')
			return VERB_USAGE;
		status = parse_option(option, relayout);
		if (status)
			return status;
	}
	if (!relayout->profile_path)
		return verb_usage("relayout", "no profile given (--profile)");
	if ((relayout->output != NULL) + relayout->in_place + (relayout->shadow != NULL) > 1)
		return verb_usage("relayout", "only one of -o, --in-place and --shadow");
	if (!relayout->output && !relayout->in_place && !relayout->shadow && !relayout->dry_run)
		return verb_usage("relayout", "where to: -o OUT, --in-place, --shadow DIR or --dry-run");
	if (relayout->shadow && relayout->tree)
		return verb_usage("relayout", "--shadow is for the running system, not for a --tree");
	if ((relayout->options.layout.passes & NOTE_PASS_COMPACT) &&
		(relayout->shadow || (relayout->in_place && !relayout->tree && !relayout->force)))
		return verb_usage("relayout", "--compact cannot be undone: only with -o, --tree or --force");
	if (relayout->output && argc == optind)
		return verb_usage("relayout", "which file is to be written to '%s'", relayout->output);
	return -1;
}

static int load_profile(struct relayout *relayout)
{
	const char *path = relayout->profile_path;
	_cleanup_free_ char *data = NULL;
	size_t size;
	int r = input_profile(path, &relayout->profile);

	if (r)
		return r;
	r = read_file(path, PROFILE_MAX_SIZE, &data, &size);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	relayout->options.profile = &relayout->profile;
	relayout->options.profile_checksum = checksum64(data, size);
	return 0;
}

/* The tree's canonical path; that of the system itself is "". */
static int find_root(struct relayout *relayout)
{
	char *root = realpath(relayout->tree ? relayout->tree : "/", NULL);
	struct stat st;

	if (!root || stat(root, &st) < 0) {
		free(root);
		return verb_fail_errno(errno, "cannot find '%s'", relayout->tree);
	}
	relayout->root = root;
	if (!S_ISDIR(st.st_mode))
		return verb_fail("'%s' is not a folder", relayout->tree);
	if (streq(root, "/"))
		root[0] = '\0';
	relayout->knows_relr[0] = loader_knows_relr(root, EM_X86_64);
	relayout->knows_relr[1] = loader_knows_relr(root, EM_AARCH64);
	return 0;
}

/* Where the results go. Returns 0, or an exit status with the reason said. */
static int place_outputs(struct relayout *relayout)
{
	struct stat st;
	bool folder = stat(relayout->output, &st) == 0 && S_ISDIR(st.st_mode);

	if (!folder && relayout->n_files > 1)
		return verb_fail(
			"'%s' is not a folder, and several files cannot go to one", relayout->output);
	for (size_t i = 0; i < relayout->n_files; i++) {
		struct relayout_file *file = &relayout->files[i];
		int r = folder ? asprintf(&file->output, "%s/%s", relayout->output, file->name)
			       : asprintf(&file->output, "%s", relayout->output);

		if (r < 0) {
			file->output = NULL;
			return verb_fail_errno(ENOMEM, "cannot write '%s'", relayout->output);
		}
		for (size_t other = 0; other < i; other++)
			if (streq(relayout->files[other].output, file->output))
				return verb_fail("'%s' and '%s' would both be written to '%s'",
					relayout->files[other].path, file->path, file->output);
		r = output_check(file->output);
		if (r)
			return r;
	}
	return 0;
}

struct workers {
	struct relayout *relayout;
	atomic_size_t next, done;
	bool progress;
};

static void *work(void *argument)
{
	struct workers *workers = argument;
	struct relayout *relayout = workers->relayout;
	size_t i;

	while ((i = atomic_fetch_add(&workers->next, 1)) < relayout->n_files) {
		size_t done;

		if (relayout->files[i].status == RELAYOUT_PENDING)
			relayout_file(relayout, &relayout->files[i]);
		done = atomic_fetch_add(&workers->done, 1) + 1;
		if (workers->progress)
			fprintf(stderr, "\r%zu of %zu files", done, relayout->n_files);
	}
	return NULL;
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* The files one after the other, by as many threads as are wanted and can be had; this is one of them. */
static void relay_all(struct relayout *relayout)
{
	struct workers workers = {
		.relayout = relayout,
		.progress = relayout->n_files > 1 && isatty(STDERR_FILENO),
	};
	size_t jobs = relayout->jobs ? relayout->jobs : processors(), n = 0;
	pthread_t threads[JOBS_MAX];

	while (n + 1 < jobs && n + 1 < JOBS_MAX && n + 1 < relayout->n_files &&
		pthread_create(&threads[n], NULL, work, &workers) == 0)
		n++;
	work(&workers);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (workers.progress)
		fputs("\r\033[K", stderr);
}

/* All that can be found out before work begins. */
static int prepare(struct relayout *relayout, char **names, size_t n)
{
	int status = load_profile(relayout);

	if (status == 0)
		status = find_root(relayout);
	if (status == 0)
		status = relayout_list(relayout, names, n);
	if (status == 0 && relayout->output)
		status = place_outputs(relayout);
	if (status == 0 && relayout->shadow && !relayout->dry_run)
		status = relayout_shadow_begin(relayout);
	if (status == 0 && relayout->in_place && !relayout->force)
		status = relayout_ask_packages(relayout);
	return status;
}

int cmd_relayout(int argc, char **argv)
{
	_cleanup_(relayout_release) struct relayout relayout = {
		.options.layout.passes = NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS,
	};
	int status = parse_arguments(argc, argv, &relayout);

	if (status >= 0)
		return status;
	status = prepare(&relayout, argv + optind, (size_t)(argc - optind));
	if (status)
		return status;
	relay_all(&relayout);
	if (relayout.shadow && !relayout.dry_run)
		status = relayout_shadow_finish(&relayout);
	return status ? status : relayout_report(&relayout);
}
