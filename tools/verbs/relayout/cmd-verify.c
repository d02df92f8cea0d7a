/* SPDX-License-Identifier: MIT */
/* headstart verify: compares relaid files with their originals, and prints what was changed. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "format/note.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/relayout/relaid-file.h"
#include "verify/compact/compact.h"
#include "verify/verify.h"

static const char help[] =
	"usage: headstart verify [OPTION…] FILE…\n"
	"Proves that relaid files are what their originals were: works out what the loader makes of both, "
	"and\n"
	"compares every page, every relocation and every entry of the dynamic section.\n"
	"\n"
	"options:\n"
	"      --original FILE  the original of a compact file, which does not contain it\n"
	"  -q, --quiet          say only what is wrong\n"
	"      --json           print the result as one JSON object\n"
	"  -h, --help           print this\n";

struct verify_arguments {
	const char *original_path; /* of --original, or NULL */
	uint8_t *original;         /* owned: its content */
	size_t original_size;
	bool quiet;
	struct json_object *json; /* an array of files, or NULL for text */
};

static const struct {
	uint32_t bit;
	const char *name;
} pass_names[] = {
	{NOTE_PASS_HOT, "hot"},
	{NOTE_PASS_RELR, "relr"},
	{NOTE_PASS_RELOCS, "relocs"},
	{NOTE_PASS_COMPACT, "compact"},
};

#define N_PASSES (sizeof(pass_names) / sizeof(*pass_names))

static void print_text(const char *path, const struct verify_report *report)
{
	char a[WORDS_MAX], b[WORDS_MAX];

	page_line("", path, ": good");
	printf("  passes      ");
	for (size_t i = 0; i < N_PASSES; i++)
		if (report->passes & pass_names[i].bit)
			printf(" %s", pass_names[i].name);
	printf("\n  size         %s, was %s\n", words_bytes(report->size, a),
		words_bytes(report->original_size, b));
	printf("  pages        %s of %s hot\n", words_count(report->hot_pages, a),
		words_count(report->pages, b));
	printf("  segments     %zu, were %zu\n", report->segments, report->segments_before);
	printf("  relocations  %s, were %s", words_bytes(report->relocations, a),
		words_bytes(report->relocations_before, b));
	printf("; %s packed\n", words_count(report->packed, a));
	printf("  dynamic      %zu entr%s changed, %zu version%s more required\n", report->dynamic_changed,
		plural_of(report->dynamic_changed, "y", "ies"), report->versions_added,
		plural(report->versions_added));
}

static struct json_object *json_of(const char *path, const struct verify_report *report, bool good)
{
	struct json_object *json = json_object_new_object(), *passes = json_object_new_array();
	char profile[17];

	for (size_t i = 0; i < N_PASSES; i++)
		if (report->passes & pass_names[i].bit)
			json_object_array_add(passes, json_object_new_string(pass_names[i].name));
	snprintf(profile, sizeof(profile), "%016" PRIx64, report->profile);
	json_object_object_add(json, "file", json_text(path));
	json_object_object_add(json, "good", json_object_new_boolean(good));
	json_object_object_add(json, "problem", good ? NULL : json_object_new_string(report->problem));
	json_object_object_add(json, "profile", json_object_new_string(profile));
	json_object_object_add(json, "passes", passes);
	json_object_object_add(json, "page_size", json_object_new_uint64(report->granule));
	json_object_object_add(json, "original_size", json_object_new_uint64(report->original_size));
	json_object_object_add(json, "size", json_object_new_uint64(report->size));
	json_object_object_add(json, "pages", json_object_new_uint64(report->pages));
	json_object_object_add(json, "hot_pages", json_object_new_uint64(report->hot_pages));
	json_object_object_add(json, "segments_before", json_object_new_uint64(report->segments_before));
	json_object_object_add(json, "segments", json_object_new_uint64(report->segments));
	json_object_object_add(
		json, "relocation_bytes_before", json_object_new_uint64(report->relocations_before));
	json_object_object_add(json, "relocation_bytes", json_object_new_uint64(report->relocations));
	json_object_object_add(json, "packed", json_object_new_uint64(report->packed));
	json_object_object_add(json, "dynamic_changed", json_object_new_uint64(report->dynamic_changed));
	json_object_object_add(json, "versions_added", json_object_new_uint64(report->versions_added));
	return json;
}

/* Returns an exit status after printing what is wrong. */
static int verify_file(const char *path, const struct verify_arguments *arguments)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ uint8_t *data = NULL;
	struct verify_report report;
	size_t size;
	int r = relaid_file_open(path, &fd);

	if (r == 0)
		r = relaid_file_read(fd, path, &data, &size);
	if (r)
		return r;
	if (arguments->original)
		r = verify_compacted(arguments->original, arguments->original_size, data, size, &report);
	else
		r = verify_relaid(data, size, &report);
	if (r == -ENOMEM)
		return verb_fail_errno(r, "cannot verify '%s'", path);
	if (arguments->json)
		json_object_array_add(arguments->json, json_of(path, &report, r == 0));
	if (r < 0)
		return verb_fail("'%s' %s", path, report.problem);
	if (!arguments->json && !arguments->quiet)
		print_text(path, &report);
	return 0;
}

static int print_result(struct json_object *files, size_t good, size_t wrong)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "files", files);
	json_object_object_add(json, "good", json_object_new_uint64(good));
	json_object_object_add(json, "wrong", json_object_new_uint64(wrong));
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static int verify_files(char **paths, size_t n_paths, const struct verify_arguments *arguments)
{
	size_t good = 0, wrong;
	int status = 0;

	for (size_t i = 0; i < n_paths; i++)
		good += verify_file(paths[i], arguments) == 0;
	wrong = n_paths - good;
	if (arguments->json)
		status = print_result(arguments->json, good, wrong);
	else if (n_paths > 1 && !arguments->quiet)
		printf("%zu files: %zu good, %zu not\n", n_paths, good, wrong);
	return wrong > 0 ? VERB_FAILED : status;
}

/* Returns an exit status after printing the reason. */
static int read_original(struct verify_arguments *arguments)
{
	const char *path = arguments->original_path;
	_cleanup_close_ int fd = -1;
	int r = relaid_file_open(path, &fd);

	return r ? r : relaid_file_read(fd, path, &arguments->original, &arguments->original_size);
}

static void arguments_release(struct verify_arguments *arguments)
{
	free(arguments->original);
}

int cmd_verify(int argc, char **argv)
{
	_cleanup_(arguments_release) struct verify_arguments arguments = {0};
	bool json = false;
	const struct option_row options[] = {
		{"original", .text = &arguments.original_path},
		{"quiet", 'q', .flag = &arguments.quiet},
		{"json", .flag = &json},
		{0},
	};
	int status = options_parse(argc, argv, help, options);

	if (status >= 0)
		return status;
	if (optind == argc)
		return verb_usage("verify", "no file given");
	if (arguments.original_path) {
		if (optind + 1 < argc)
			return verb_usage("verify", "--original takes only one FILE");
		status = read_original(&arguments);
		if (status)
			return status;
	}
	if (json)
		arguments.json = json_object_new_array();
	return verify_files(argv + optind, (size_t)(argc - optind), &arguments);
}
