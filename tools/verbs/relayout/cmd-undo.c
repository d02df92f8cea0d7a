/* SPDX-License-Identifier: MIT */
/* headstart undo: turns relaid files back into their originals, to the bit. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/same-file.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "relaid/undo.h"
#include "replace/replace.h"
#include "replace/seal.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/relayout/relaid-file.h"

static const char help[] =
	"usage: headstart undo [OPTION…] FILE…\n"
	"Turns relaid files back into their originals, bit for bit. Refuses a file that something else has\n"
	"changed since.\n"
	"\n"
	"options:\n"
	"  -o, --output OUT  write the original to OUT and leave FILE as it is (only one FILE)\n"
	"      --dry-run     say what would be done, and do nothing\n"
	"  -h, --help        print this\n";

struct undo_arguments {
	const char *output; /* NULL: in place */
	bool dry_run;
	char **paths;
	size_t n_paths;
	bool *done; /* owned: whether another name of the same file was undone already */
};

/* Undoes all names of one file on the command line together; otherwise each name would become a file of its own. */
static int add_names(const struct undo_arguments *arguments, size_t index, struct replacement *replacement)
{
	int r;

	for (size_t i = index + 1; i < arguments->n_paths; i++) {
		const char *path = arguments->paths[i];
		struct stat st;

		if (stat(path, &st) < 0 || !same_file(&st, &replacement->st))
			continue;
		arguments->done[i] = true;
		if (lstat(path, &st) < 0 || S_ISLNK(st.st_mode))
			continue;
		r = replacement_add_name(replacement, path);
		if (r < 0)
			return verb_fail_errno(r, "cannot undo '%s'", path);
	}
	r = replacement_add_names_beside(replacement);
	return r < 0 ? verb_fail_errno(r, "cannot undo '%s'", arguments->paths[index]) : 0;
}

static int commit_failed(int error, const char *path, const struct replacement *replacement)
{
	if (error == -EMLINK)
		return verb_fail("'%s' has %ju names (hard links), some in other folders; name them too",
			path, (uintmax_t)replacement->st.st_nlink);
	if (error == -ESTALE)
		return verb_fail("'%s' was changed meanwhile and is left as it is", path);
	if (replacement->lost)
		return verb_fail(
			"the %s of '%s' cannot be kept: %s", replacement->lost, path, strerror(-error));
	return verb_fail_errno(error, "cannot undo '%s'", path);
}

static int write_original(const char *path, struct replacement *replacement, const struct undo *undo)
{
	int r = replacement_copy_original(replacement, undo->size);
	ssize_t n = r < 0 ? 0 : pwrite(replacement->fd, &undo->header, sizeof(undo->header), 0);

	if (r == 0 && n != (ssize_t)sizeof(undo->header))
		r = n < 0 ? -errno : -EIO;
	if (r == 0)
		r = replacement_commit(replacement);
	return r < 0 ? commit_failed(r, path, replacement) : 0;
}

/* Reads the file and finds the original in it. Returns 0, or an exit status after printing the reason. */
static int prepare(int fd, const char *path, struct undo *ret, size_t *ret_size)
{
	_cleanup_free_ uint8_t *data = NULL;
	const char *problem;
	int r = relaid_file_read(fd, path, &data, ret_size);

	if (r)
		return r;
	r = undo_prepare(data, *ret_size, ret, &problem);
	if (r == -ENOMEM)
		return verb_fail_errno(r, "cannot undo '%s'", path);
	return r < 0 ? verb_fail("'%s' %s", path, problem) : 0;
}

static int print_sizes(const char *path, uint64_t now, uint64_t before)
{
	char a[WORDS_MAX], b[WORDS_MAX], sizes[sizeof(a) + sizeof(b) + 16];

	snprintf(sizes, sizeof(sizes), ": %s, was %s", words_bytes(now, a), words_bytes(before, b));
	page_line("", path, sizes);
	return ferror(stdout) ? VERB_FAILED : 0;
}

/* In place only: OUT is a new file, and FILE keeps its seals. Returns 0, or an exit status after printing the reason. */
static int refuse_sealed(const struct undo_arguments *arguments, int fd, const char *path)
{
	unsigned seals = 0;
	int r = arguments->output ? 0 : file_seals(fd, &seals);

	if (r < 0)
		return verb_fail_errno(r, "cannot examine '%s'", path);
	return seals
		? verb_fail("'%s' %s; -o writes the original to another file", path, file_seal_words(seals))
		: 0;
}

static int try_file(const struct undo_arguments *arguments, const char *path)
{
	_cleanup_close_ int fd = -1;
	struct undo undo;
	size_t size;
	int r = relaid_file_open(path, &fd);

	if (r == 0)
		r = refuse_sealed(arguments, fd, path);
	if (r == 0)
		r = prepare(fd, path, &undo, &size);
	return r ? r : print_sizes(path, undo.size, size);
}

static int undo_file(const struct undo_arguments *arguments, size_t index)
{
	_cleanup_(replacement_releasep) struct replacement replacement = REPLACEMENT_NONE;
	const char *path = arguments->paths[index];
	struct undo undo;
	size_t size;
	int r;

	if (arguments->dry_run)
		return try_file(arguments, path);
	r = arguments->output ? replacement_begin_new(&replacement, arguments->output, path)
			      : replacement_begin(&replacement, path);
	if (r == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (r == -ENOTUNIQ)
		return verb_fail(
			"'%s' is the file that the original would be written to; leave out -o", path);
	if (r < 0)
		return verb_fail_errno(r, "cannot undo '%s'", path);
	if (!arguments->output)
		r = add_names(arguments, index, &replacement);
	if (r == 0)
		r = refuse_sealed(arguments, replacement.original, path);
	if (r == 0)
		r = prepare(replacement.original, path, &undo, &size);
	if (r == 0)
		r = write_original(path, &replacement, &undo);
	return r ? r : print_sizes(arguments->output ? arguments->output : path, undo.size, size);
}

static int undo_files(struct undo_arguments *arguments)
{
	_cleanup_free_ bool *done = calloc(arguments->n_paths, sizeof(*done));
	int status = 0;

	if (!done)
		return verb_fail_errno(ENOMEM, "cannot undo anything");
	arguments->done = done;
	for (size_t i = 0; i < arguments->n_paths; i++)
		if (!done[i] && undo_file(arguments, i) != 0)
			status = VERB_FAILED;
	return status;
}

int cmd_undo(int argc, char **argv)
{
	struct undo_arguments arguments = {0};
	const struct option_row options[] = {
		{"output", 'o', .text = &arguments.output},
		{"dry-run", .flag = &arguments.dry_run},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	arguments.paths = argv + optind;
	arguments.n_paths = (size_t)(argc - optind);
	if (arguments.n_paths == 0)
		return verb_usage("undo", "no file given");
	if (arguments.output && arguments.n_paths > 1)
		return verb_usage("undo", "-o takes only one FILE");
	status = arguments.output ? output_check(arguments.output) : 0;
	return status ? status : undo_files(&arguments);
}
