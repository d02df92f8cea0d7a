/* SPDX-License-Identifier: MIT */
/* headstart place: prints the results for people and programs. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plural.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "report/words.h"
#include "verb.h"
#include "verbs/place/place.h"

static const char *const status_names[] = {
	[PLACE_OPEN] = "would be moved",
	[PLACE_MOVED] = "moved",
	[PLACE_STAYS] = "stays",
	[PLACE_REFUSED] = "refused",
	[PLACE_FAILED] = "failed",
};

static uint64_t moved_bytes(const struct place_disk *disk, const struct place_file *file)
{
	return file->status == PLACE_OPEN || file->status == PLACE_MOVED
		? place_runs_pages(&file->moved) * disk->page_size
		: 0;
}

struct totals {
	size_t by_status[PLACE_FAILED + 1];
	uint64_t bytes; /* of what is moved */
};

static struct totals count(const struct place_disk *disk)
{
	struct totals totals = {0};

	for (size_t i = 0; i < disk->n_files; i++) {
		totals.by_status[disk->files[i].status]++;
		totals.bytes += moved_bytes(disk, &disk->files[i]);
	}
	return totals;
}

static const char *where(const struct place_disk *disk)
{
	return disk->folder ? disk->folder : disk->device.name;
}

/* That of the file system comes last, where it is seen: without it, those of the files are no reason for a failure. */
static void print_reasons(const struct place_disk *disk)
{
	for (size_t i = 0; i < disk->n_files; i++) {
		const struct place_file *file = &disk->files[i];

		if (file->status == PLACE_REFUSED || file->status == PLACE_FAILED)
			verb_note(
				"'%s' %s", file->path, file->reason ? file->reason : "failed: out of memory");
	}
	if (disk->refusal)
		verb_note("the file system of '%s' %s", where(disk), disk->refusal);
}

static void print_cost(const char *label, const struct place_cost *before, const struct place_cost *after)
{
	printf("  %-22s %7" PRIu64 " -> %6" PRIu64 "  %7" PRIu64 " -> %6" PRIu64 "  %8.2f -> %6.2f\n", label,
		before->reads, after->reads, before->seeks, after->seeks, (double)before->us / 1e6,
		(double)after->us / 1e6);
}

static void print_disk(
	const struct place_arguments *arguments, const struct place_job *job, const struct place_disk *disk)
{
	const struct totals totals = count(disk);
	char bytes[WORDS_MAX], choice[128];

	if (disk->refusal)
		return;
	if (totals.by_status[PLACE_OPEN] + totals.by_status[PLACE_MOVED] > 0) {
		snprintf(choice, sizeof(choice), ": %s", disk->choice);
		page_line("", where(disk), choice);
		printf("  %-22s %17s  %17s  %18s\n", "predicted", "reads", "seeks", "seconds");
		for (size_t i = 0; i < disk->n_starts; i++) {
			const struct place_start *start = &disk->starts[i];

			if (start->n_touches == 0)
				continue;
			page_line("  ", job->programs[i], "");
			print_cost("without headstart", &start->alone_before, &start->alone_after);
			print_cost("with its plan", &start->planned_before, &start->planned_after);
		}
	}
	printf("%s %zu of %zu file%s: %s", arguments->dry_run ? "would move" : "moved",
		totals.by_status[arguments->dry_run ? PLACE_OPEN : PLACE_MOVED], disk->n_files,
		plural(disk->n_files), words_bytes(totals.bytes, bytes));
	for (enum place_status status = PLACE_STAYS; status <= PLACE_FAILED; status++)
		if (totals.by_status[status] > 0)
			printf(", %zu %s", totals.by_status[status],
				status == PLACE_STAYS ? "as they are" : status_names[status]);
	putchar('\n');
}

static struct json_object *cost_json(const struct place_disk *disk, const struct place_cost *cost)
{
	struct json_object *json;

	if (disk->refusal)
		return NULL; /* nothing was predicted */
	json = json_object_new_object();

	json_object_object_add(json, "reads", json_object_new_uint64(cost->reads));
	json_object_object_add(json, "seeks", json_object_new_uint64(cost->seeks));
	json_object_object_add(json, "bytes", json_object_new_uint64(cost->bytes));
	json_object_object_add(json, "seconds", json_object_new_double((double)cost->us / 1e6));
	return json;
}

static struct json_object *start_json(
	const char *program, const struct place_disk *disk, const struct place_start *start)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "program", json_text(program));
	json_object_object_add(json, "without_before", cost_json(disk, &start->alone_before));
	json_object_object_add(json, "without_after", cost_json(disk, &start->alone_after));
	json_object_object_add(json, "planned_before", cost_json(disk, &start->planned_before));
	json_object_object_add(json, "planned_after", cost_json(disk, &start->planned_after));
	return json;
}

static struct json_object *file_json(const struct place_disk *disk, const struct place_file *file)
{
	struct json_object *json = json_object_new_object();
	uint64_t touched = place_runs_pages(&file->hot) * disk->page_size;
	bool refused = disk->refusal && file->status == PLACE_OPEN;
	const char *reason = refused ? disk->refusal : file->reason;

	json_object_object_add(json, "path", json_text(file->path));
	json_object_object_add(
		json, "status", json_object_new_string(status_names[refused ? PLACE_REFUSED : file->status]));
	json_object_object_add(json, "reason", reason ? json_text(reason) : NULL);
	json_object_object_add(json, "touched", json_object_new_uint64(touched));
	json_object_object_add(
		json, "moved", json_object_new_uint64(disk->refusal ? 0 : moved_bytes(disk, file)));
	return json;
}

static struct json_object *disk_json(const struct place_job *job, const struct place_disk *disk)
{
	struct json_object *json = json_object_new_object(), *starts = json_object_new_array(),
			   *files = json_object_new_array();

	json_object_object_add(json, "folder", disk->folder ? json_text(disk->folder) : NULL);
	json_object_object_add(json, "device", json_text(disk->device.name));
	json_object_object_add(json, "refusal", disk->refusal ? json_text(disk->refusal) : NULL);
	json_object_object_add(
		json, "choice", disk->refusal || !disk->choice ? NULL : json_object_new_string(disk->choice));
	json_object_object_add(json, "moved", json_object_new_uint64(disk->refusal ? 0 : count(disk).bytes));
	for (size_t i = 0; i < disk->n_starts; i++)
		json_object_array_add(starts, start_json(job->programs[i], disk, &disk->starts[i]));
	for (size_t i = 0; i < disk->n_files; i++)
		json_object_array_add(files, file_json(disk, &disk->files[i]));
	json_object_object_add(json, "starts", starts);
	json_object_object_add(json, "files", files);
	return json;
}

static int report_json(const struct place_arguments *arguments, const struct place_job *job)
{
	struct json_object *json = json_object_new_object(), *disks = json_object_new_array();

	for (size_t i = 0; i < job->n_disks; i++)
		json_object_array_add(disks, disk_json(job, &job->disks[i]));
	json_object_object_add(json, "dry_run", json_object_new_boolean(arguments->dry_run));
	json_object_object_add(json, "changed", json_object_new_uint64(job->changed));
	json_object_object_add(json, "gone", json_object_new_uint64(job->gone));
	json_object_object_add(json, "unreadable", json_object_new_uint64(job->unreadable));
	json_object_object_add(json, "disks", disks);
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

/* What root places is in the plans of everybody, and nothing shows in a plan that a file lies elsewhere now. */
static void note_others(size_t moved)
{
	if (moved > 0 && geteuid() == 0)
		verb_note(
			"plans of other users have the old places until these users type 'headstart config apply'");
}

static size_t count_moved(const struct place_job *job)
{
	size_t moved = 0;

	for (size_t i = 0; i < job->n_disks; i++)
		moved += count(&job->disks[i]).by_status[PLACE_MOVED];
	return moved;
}

/* Nothing done on any disk is a failure, and so is a file that should have been moved. */
static int status_of(const struct place_job *job)
{
	bool refused = true, failed = false;

	for (size_t i = 0; i < job->n_disks; i++) {
		refused = refused && job->disks[i].refusal && !job->disks[i].settled;
		failed = failed || count(&job->disks[i]).by_status[PLACE_FAILED] > 0;
	}
	return refused || failed ? VERB_FAILED : 0;
}

static void note_left_out(const struct place_job *job)
{
	size_t n = job->changed + job->gone + job->unreadable;
	char unreadable[64] = "";

	if (job->unreadable > 0)
		snprintf(unreadable, sizeof(unreadable), ", %zu cannot be read", job->unreadable);
	if (n > 0)
		verb_note("%zu recorded file%s left out: %zu %s changed, %zu %s gone%s", n,
			plural_of(n, " is", "s are"), job->changed, plural_of(job->changed, "has", "have"),
			job->gone, plural_of(job->gone, "is", "are"), unreadable);
}

int place_report(const struct place_arguments *arguments, const struct place_job *job)
{
	if (job->n_disks == 0 && job->unreadable > 0)
		return verb_fail(
			"%zu of the recorded files cannot be read, and no other is as it was recorded",
			job->unreadable);
	if (job->n_disks == 0)
		return verb_fail("none of the recorded files is there as it was recorded");
	note_left_out(job);
	for (size_t i = 0; i < job->n_disks; i++)
		print_reasons(&job->disks[i]);
	if (!arguments->tree)
		note_others(count_moved(job));
	if (arguments->json)
		return report_json(arguments, job) ? VERB_FAILED : status_of(job);
	for (size_t i = 0; i < job->n_disks; i++)
		print_disk(arguments, job, &job->disks[i]);
	return verb_flush() == 0 ? status_of(job) : VERB_FAILED;
}

static struct json_object *returned_json(const struct place_returned *returned)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "path", json_text(returned->path));
	json_object_object_add(json, "moved", json_object_new_boolean(returned->moved));
	json_object_object_add(json, "still_placed", json_object_new_boolean(returned->keep));
	json_object_object_add(json, "reason", returned->reason ? json_text(returned->reason) : NULL);
	return json;
}

int place_report_returned(
	const struct place_arguments *arguments, const struct place_returned *returned, size_t n)
{
	struct json_object *json = arguments->json ? json_object_new_object() : NULL,
			   *files = arguments->json ? json_object_new_array() : NULL;
	size_t moved = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		moved += returned[i].moved;
		kept += returned[i].keep;
		if (returned[i].keep)
			verb_note("'%s' %s", returned[i].path, returned[i].reason);
		if (json)
			json_object_array_add(files, returned_json(&returned[i]));
	}
	note_others(moved);
	if (json) {
		json_object_object_add(json, "files", files);
		return print_json(json, JSON_C_TO_STRING_PRETTY) || kept > 0 ? VERB_FAILED : 0;
	}
	printf("gave %zu of %zu file%s %s", moved, n, plural(n),
		plural_of(n, "a place of its own", "places of their own"));
	if (n > moved + kept)
		printf(", %zu changed or gone since", n - moved - kept);
	if (kept > 0)
		printf(", %zu still placed", kept);
	putchar('\n');
	return kept > 0 ? VERB_FAILED : 0;
}
