/* SPDX-License-Identifier: MIT */
/* headstart snapshot: writes down what is in memory, as a plan that `headstart restore` carries out. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/plural.h"
#include "base/quote.h"
#include "format/plan-view.h"
#include "lib/files/output.h"
#include "lib/options/options.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "lib/settings/plan-settings.h"
#include "lib/settings/settings.h"
#include "replace/publish.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/snapshot/snapshot.h"

static const char help[] =
	"usage: headstart snapshot -o FILE [OPTION…] [PATH…]\n"
	"       headstart snapshot -o FILE --command [--] COMMAND [ARGUMENT…]\n"
	"Saves which pages of the files PATH, and of all files below the folders PATH, are in memory\n"
	"now, and which names. Without PATH it does so for all disks that are mounted. 'headstart restore\n"
	"FILE' reads them back, in the order that suits the disk.\n"
	"\n"
	"options:\n"
	"  -o, --output FILE  write the snapshot to FILE\n"
	"      --command      run COMMAND, and save what it touches: as root, from a cold page cache;\n"
	"                     otherwise what is in memory after it and was not before\n"
	"      --json         print the summary as one JSON object\n"
	"  -h, --help         print this\n";

/* Returns -1 to go on, or the exit status. */
static int parse(int argc, char **argv, struct snapshot_request *request)
{
	const struct option_row options[] = {
		{"output", 'o', .text = &request->output},
		{"command", .flag = &request->command},
		{"json", .flag = &request->json},
		{0},
	};
	int status = options_parse_before_command(argc, argv, help, options);

	if (status >= 0)
		return status;
	request->paths = request->argv = argv + optind;
	if (!request->output)
		return verb_usage("snapshot", "give -o FILE");
	if (request->command && optind == argc)
		return verb_usage("snapshot", "no command given");
	return -1;
}

/* Compiles the snapshot for the disks on which its files lie. Returns 0, or an exit status after printing the reason. */
static int compile(struct snapshot *snapshot, struct plan_summary *summary, void **ret_data, size_t *ret_size)
{
	_cleanup_(config_releasep) struct config config = {0};
	struct plan_options options = {.snapshot = true};
	int r;

	settings_read(&config, true, false);
	plan_settings(&config, &options);
	options.shared = false; /* it is for the user who takes it */
	options.budget = 0;     /* what memory can take is decided when it is restored */
	r = plan_build(&snapshot->profile, &options, ret_data, ret_size, summary);
	if (r == -ENODATA) {
		snapshot_note_left_out(snapshot, summary);
		return verb_fail("there is nothing to read back of '%s'", snapshot->profile.program);
	}
	if (r == -EFBIG)
		return verb_fail("the snapshot of '%s' would be larger than 64 MB: name fewer folders",
			snapshot->profile.program);
	return r < 0 ? verb_fail_errno(r, "cannot compile the snapshot of '%s'", snapshot->profile.program)
		     : 0;
}

/* Files of each kind, and those of which there are pages. */
struct counts {
	uint64_t kinds[PLAN_SYMLINK + 1];
};

static struct counts count(const struct plan_view *view)
{
	struct counts counts = {0};

	for (uint32_t i = 0; i < view->file_count; i++)
		counts.kinds[LE32(view->files[i].kind)]++;
	return counts;
}

static int print_object(const struct snapshot_request *request, const struct snapshot *snapshot,
	const struct plan_summary *summary, const struct counts *counts)
{
	struct json_object *json = json_object_new_object(), *left_out = json_object_new_object();
	const struct {
		const char *name;
		uint64_t n;
	} reasons[] = {
		{"hidden", snapshot->hidden},
		{"unreadable", snapshot->unreadable},
		{"silent_disks", snapshot->silent},
		{"beyond_the_most", snapshot->dropped},
		{"in_memory_alone", summary->in_memory},
		{"uncached", summary->uncached},
		{"changed", summary->stale + summary->gone},
	};

	json_object_object_add(json, "snapshot", json_text(request->output));
	json_object_object_add(json, "folder", json_text(snapshot->profile.program));
	json_object_object_add(json, "files", json_object_new_uint64(counts->kinds[PLAN_REGULAR]));
	json_object_object_add(json, "folders", json_object_new_uint64(counts->kinds[PLAN_DIRECTORY]));
	json_object_object_add(json, "links", json_object_new_uint64(counts->kinds[PLAN_SYMLINK]));
	json_object_object_add(json, "extents", json_object_new_uint64(summary->extents));
	json_object_object_add(json, "bytes", json_object_new_uint64(summary->bytes));
	json_object_object_add(json, "gap_bytes", json_object_new_uint64(summary->gap_bytes));
	json_object_object_add(json, "device", json_object_new_string(device_class_name(summary->device)));
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		json_object_object_add(left_out, reasons[i].name, json_object_new_uint64(reasons[i].n));
	json_object_object_add(json, "left_out", left_out);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static int print_text(const struct snapshot_request *request, const struct snapshot *snapshot,
	const struct plan_summary *summary, const struct counts *counts)
{
	_cleanup_free_ char *file = quoted_shell(request->output);
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

	page_line("snapshot  ", request->output, "");
	page_line("of        ", snapshot->profile.program, "");
	printf("names     %s file%s, %s folder%s, %s link%s\n", words_count(counts->kinds[PLAN_REGULAR], a),
		plural(counts->kinds[PLAN_REGULAR]), words_count(counts->kinds[PLAN_DIRECTORY], b),
		plural(counts->kinds[PLAN_DIRECTORY]), words_count(counts->kinds[PLAN_SYMLINK], c),
		plural(counts->kinds[PLAN_SYMLINK]));
	printf("data      %s in %s extent%s, %s of it gaps\n", words_bytes(summary->bytes, a),
		words_count(summary->extents, b), plural(summary->extents),
		words_bytes(summary->gap_bytes, c));
	printf("device    %s\n", device_class_name(summary->device));
	if (verb_flush())
		return VERB_FAILED;
	snapshot_note_left_out(snapshot, summary);
	if (file)
		verb_note("to read it back:  headstart restore %s", file);
	return 0;
}

int cmd_snapshot(int argc, char **argv)
{
	_cleanup_(snapshot_releasep) struct snapshot snapshot = {0};
	_cleanup_free_ void *data = NULL;
	struct snapshot_request request = {0};
	struct plan_summary summary = {0};
	struct plan_view view;
	struct counts counts;
	size_t size = 0;
	int r = parse(argc, argv, &request);

	if (r >= 0)
		return r;
	r = output_check(request.output);
	if (r == 0)
		r = request.command ? snapshot_take_command(request.argv, &snapshot)
				    : snapshot_take(request.paths, &snapshot);
	if (r == 0)
		r = compile(&snapshot, &summary, &data, &size);
	if (r)
		return r;
	if (plan_view_init(&view, data, size, checksum64) != PLAN_GOOD)
		return verb_fail("the snapshot of '%s' would not be valid", snapshot.profile.program);
	counts = count(&view);
	r = publish_file(request.output, 0600, data, size);
	if (r < 0)
		return verb_fail_errno(r, "cannot write '%s'", request.output);
	return request.json ? print_object(&request, &snapshot, &summary, &counts)
			    : print_text(&request, &snapshot, &summary, &counts);
}
