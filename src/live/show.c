/* SPDX-License-Identifier: MIT */
/* What all three ways to show the model have in common, and its two that go on line by line. */
#include "live/show.h"

#include <json-c/json.h>

#include "base/plural.h"
#include "report/json-text.h"
#include "report/table.h"
#include "report/words.h"
#include "timeline/causes.h"

#define LINES_MAX 5 /* files of a turn */

const char *show_state(const struct live *live, const struct live_process *process)
{
	if (process->ended)
		return "ended";
	/* Without events, this is the D of /proc, which is nearly always a wait for a disk. */
	return process->state == TIMELINE_READ && !live->exact ? "disk" : timeline_state_name(process->state);
}

static double seconds(uint64_t nanoseconds)
{
	return (double)nanoseconds / 1e9;
}

static const struct live_process *find_process(const struct live *live, int32_t pid)
{
	for (size_t i = live->n_processes; i-- > 0;)
		if (live->processes[i].pid == pid)
			return &live->processes[i];
	return NULL;
}

static const char *name_of(const struct live_file *file)
{
	return *file->path ? file->path : "files without a name";
}

/* "    1.0 s  soffice 1234         4.1 MB  0.31 s  /usr/lib/…" */
void show_lines(FILE *out, const struct live *live, const struct show_style *style)
{
	double time = seconds(live->now - live->began);
	char bytes[WORDS_MAX];

	for (size_t i = 0; i < live->n_files && i < LINES_MAX && live->files[i].recent; i++) {
		const struct live_file *file = &live->files[i];
		const struct live_process *process = find_process(live, file->pid);

		fprintf(out, "%7.1f s  ", time);
		table_safe_text(out, process ? process->name : "?", &style->page);
		fprintf(out, " %d  %s", file->pid, words_bytes(file->recent, bytes));
		if (live->exact)
			fprintf(out, "  waited %.3f s", seconds(file->recently_waited));
		fputs("  ", out);
		table_safe_text(out, name_of(file), &style->page);
		fputs(file->metadata ? " (inodes and folders)\n" : "\n", out);
	}
	for (size_t i = LINES_MAX; i < live->n_files && live->files[i].recent; i++)
		if (i + 1 == live->n_files || !live->files[i + 1].recent)
			fprintf(out, "%7.1f s  and %zu more file%s\n", time, i + 1 - LINES_MAX,
				plural(i + 1 - LINES_MAX));
}

void show_sum(FILE *out, const struct live *live)
{
	char bytes[WORDS_MAX], reads[WORDS_MAX];

	fprintf(out, "%7.1f s  %s %s", seconds(live->now - live->began), words_bytes(live->bytes, bytes),
		live->exact ? "read" : "touched");
	if (live->exact)
		fprintf(out, " in %s read%s, %.2f s waited for %s", words_count(live->reads, reads),
			plural(live->reads), seconds(live->waited), plural_of(live->reads, "it", "them"));
	fputs(live->lost ? "; the kernel dropped events, some reads are missing\n" : "\n", out);
}

static void number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_int64((int64_t)value));
}

static void time_of(struct json_object *object, const char *key, uint64_t nanoseconds)
{
	json_object_object_add(object, key, json_object_new_double(seconds(nanoseconds)));
}

static struct json_object *process_json(const struct live *live, const struct live_process *process)
{
	struct json_object *object = json_object_new_object(), *states = json_object_new_object();

	number(object, "pid", (uint64_t)process->pid);
	number(object, "parent", (uint64_t)process->parent);
	json_object_object_add(object, "name", json_text(process->name));
	json_object_object_add(object, "state", json_text(show_state(live, process)));
	number(object, "bytes", process->bytes);
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		if (process->states[i])
			time_of(states, timeline_state_name((enum timeline_state)i), process->states[i]);
	json_object_object_add(object, "states", states);
	return object;
}

static struct json_object *file_json(const struct live *live, const struct live_file *file)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "path", json_text(file->path));
	json_object_object_add(object, "kind",
		json_text(file->metadata      ? "metadata"
				: *file->path ? "regular"
					      : "unnamed"));
	number(object, "pid", (uint64_t)file->pid);
	number(object, "bytes", file->recent);
	number(object, "bytes_total", file->bytes);
	if (live->exact)
		time_of(object, "waited", file->recently_waited);
	return object;
}

int show_json(FILE *out, const struct live *live)
{
	struct json_object *top = json_object_new_object(), *processes = json_object_new_array(),
			   *files = json_object_new_array();

	time_of(top, "seconds", live->now - live->began);
	json_object_object_add(top, "by", json_text(live->exact ? "events" : "looks"));
	json_object_object_add(top, "lost", json_object_new_boolean(live->lost));
	number(top, "bytes", live->recent);
	number(top, "bytes_total", live->bytes);
	if (live->exact) {
		number(top, "reads", live->recent_reads);
		time_of(top, "waited", live->recently_waited);
		time_of(top, "waited_total", live->waited);
	}
	if (live->reading)
		json_object_object_add(top, "reading", json_text(live->reading));
	for (size_t i = 0; i < live->n_processes; i++)
		if (!live->processes[i].ended || live->processes[i].bytes)
			json_object_array_add(processes, process_json(live, &live->processes[i]));
	for (size_t i = 0; i < live->n_files; i++)
		if (live->files[i].recent || live->files[i].recently_waited)
			json_object_array_add(files, file_json(live, &live->files[i]));
	json_object_object_add(top, "processes", processes);
	json_object_object_add(top, "files", files);
	return json_print(out, top, JSON_C_TO_STRING_PLAIN, "\n");
}
