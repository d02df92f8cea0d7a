/* SPDX-License-Identifier: MIT */
/* Writes where the time of a start went as one JSON object. */
#include <json-c/json.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/json-text.h"
#include "report/timelines/report.h"

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_text(text));
}

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)number));
}

static void add_seconds(struct json_object *object, const char *key, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", (double)ns / 1e9);
	json_object_object_add(object, key, json_object_new_double_s((double)ns / 1e9, text));
}

static struct json_object *causes_json(const struct timeline_causes *causes)
{
	struct json_object *object = json_object_new_object();

	for (enum timeline_state state = 0; state < TIMELINE_STATES; state++)
		add_seconds(object, timeline_state_name(state), causes->states[state]);
	add_seconds(object, "nobody", causes->nobody);
	return object;
}

static struct json_object *processes_json(const struct timeline *timeline, const struct sums *sums)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sums->n_processes; i++) {
		const struct sum_process *process = &sums->processes[i];
		const struct timeline_thread *thread = &timeline->threads[process->thread];
		struct json_object *object = json_object_new_object();

		add_number(object, "pid", (uint64_t)process->pid);
		if (thread->parent != TIMELINE_NONE)
			add_number(object, "parent", (uint64_t)timeline->threads[thread->parent].pid);
		add_text(object, "program", process->program);
		add_seconds(object, "begin", thread->begin);
		add_seconds(object, "seconds", process->causes.total);
		json_object_object_add(object, "causes", causes_json(&process->causes));
		json_object_array_add(array, object);
	}
	return array;
}

static void add_moment(struct json_object *object, const char *key, uint64_t ns)
{
	if (ns != TIMELINE_NEVER)
		add_seconds(object, key, ns);
}

/* Of a boot. */
static struct json_object *units_json(const struct timeline *timeline, const struct sums *sums)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sums->n_units; i++) {
		const struct sum_unit *unit = &sums->units[i];
		struct json_object *object = json_object_new_object();

		add_text(object, "unit", timeline->threads[unit->thread].name);
		add_moment(object, "started", timeline->units[unit->thread].started);
		add_moment(object, "active", timeline->units[unit->thread].active);
		add_seconds(object, "waited", unit->waited);
		add_number(object, "bytes", unit->bytes);
		add_number(object, "files", unit->files);
		add_number(object, "reads", unit->reads);
		add_number(object, "seeks", unit->seeks);
		if (unit->file != TIMELINE_NONE) {
			add_text(object, "longest_for", timeline->files[unit->file].path);
			add_seconds(object, "longest_waited", unit->file_waited);
		}
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *files_json(const struct timeline *timeline, const struct sums *sums)
{
	static const char *const kinds[TIMELINE_FILE_KINDS] = {
		[TIMELINE_REGULAR] = "regular",
		[TIMELINE_METADATA] = "metadata",
		[TIMELINE_UNNAMED] = "unnamed",
	};
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sums->n_files; i++) {
		const struct sum_file *file = &sums->files[i];
		bool known = file->file < timeline->n_files;
		struct json_object *object = json_object_new_object();

		add_text(object, "path", known ? timeline->files[file->file].path : "");
		add_text(object, "kind", known ? kinds[timeline->files[file->file].kind] : "metadata");
		add_seconds(object, "waited", file->waited);
		add_number(object, "bytes", file->bytes);
		add_number(object, "reads", file->reads);
		add_number(object, "seeks", file->seeks);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *waits_json(const struct timeline *timeline, const struct sums *sums)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sums->n_waits; i++) {
		const struct sum_wait *wait = &sums->waits[i];
		const struct timeline_thread *thread = &timeline->threads[wait->thread];
		struct json_object *object = json_object_new_object();

		add_number(object, "pid", (uint64_t)thread->pid);
		add_number(object, "tid", (uint64_t)thread->tid);
		add_text(object, "name", thread->name);
		add_text(object, "cause", timeline_state_name(wait->state));
		if (wait->note != TIMELINE_NONE)
			add_text(object, "for", timeline->notes[wait->note]);
		json_object_object_add(object, "timed_out", json_object_new_boolean(wait->timed_out));
		add_seconds(object, "waited", wait->waited);
		add_number(object, "times", wait->times);
		json_object_array_add(array, object);
	}
	return array;
}

/* What headstart read for the start, and of what use it was. */
static struct json_object *prefetched_json(const struct sums *sums)
{
	static const char *const names[TIMELINE_PREFETCHES] = {
		[TIMELINE_IN_TIME] = "in_time",
		[TIMELINE_LATE] = "late",
		[TIMELINE_IN_VAIN] = "in_vain",
		[TIMELINE_UNJUDGED] = "unknown",
	};
	struct json_object *object = json_object_new_object();

	for (enum timeline_prefetch i = TIMELINE_IN_TIME; i < TIMELINE_PREFETCHES; i++) {
		struct json_object *part = json_object_new_object();

		add_number(part, "reads", sums->prefetched[i]);
		add_number(part, "bytes", sums->prefetched_bytes[i]);
		json_object_object_add(object, names[i], part);
	}
	return object;
}

static struct json_object *all_json(
	const struct timeline *timeline, const struct sums *sums, const char *sentence, const char *mostly)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "program", timeline->program);
	add_text(object, "command", timeline->command);
	add_text(object, "kernel", timeline->kernel);
	add_text(object, "milestone", timeline->ended_by);
	add_number(object, "recorded", (uint64_t)timeline->recorded);
	add_seconds(object, "seconds", timeline->duration);
	json_object_object_add(object, "lost", json_object_new_boolean(timeline->lost));
	json_object_object_add(object, "causes", causes_json(&sums->causes));
	add_seconds(object, "seeks", sums->seek_time);
	add_number(object, "reads", timeline->n_reads);
	add_number(object, "reads_awaited", sums->awaited);
	add_number(object, "reads_seeking", sums->n_seeks);
	add_number(object, "bytes", sums->bytes);
	json_object_object_add(object, "prefetched", prefetched_json(sums));
	if (timeline->prefetched)
		add_seconds(object, "expected_reads_prefetched", timeline->prefetched);
	if (timeline_is_boot(timeline))
		json_object_object_add(object, "units", units_json(timeline, sums));
	else
		json_object_object_add(object, "processes", processes_json(timeline, sums));
	json_object_object_add(object, "files", files_json(timeline, sums));
	if (!timeline_is_boot(timeline))
		json_object_object_add(object, "waits", waits_json(timeline, sums));
	add_text(object, "mostly", mostly);
	add_text(object, "summary", sentence);
	return object;
}

int report_timeline_json(FILE *out, const struct timeline *timeline)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *sentence = NULL, *mostly = NULL;
	int r = sums_make(timeline, &sums);

	if (r < 0)
		return r;
	sentence = report_timeline_sentence(timeline, &sums);
	mostly = report_timeline_mostly(timeline, &sums);
	return json_print(out, sentence && mostly ? all_json(timeline, &sums, sentence, mostly) : NULL,
		JSON_C_TO_STRING_PRETTY, "\n");
}
