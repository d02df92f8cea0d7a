/* SPDX-License-Identifier: MIT */
/*
 * Writes profiles and plans as JSON. The long tables are written item by item, so that a profile of millions of ranges
 * does not become millions of objects at once.
 */
#include "report/profiles/report.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/functions.h"
#include "report/json-text.h"
#include "report/touched.h"
#include "report/words.h"

/* A JSON object while it is written. Once an allocation fails, nothing more is written. */
struct writer {
	FILE *out;
	const char *separator; /* what comes before the next member or item */
	int error;
};

static void put_value(struct writer *writer, struct json_object *value)
{
	if (json_print(writer->out, value, JSON_C_TO_STRING_SPACED, "") < 0)
		writer->error = -ENOMEM;
}

/* Takes ownership of the value. */
static void member(struct writer *writer, const char *key, struct json_object *value)
{
	fprintf(writer->out, "%s\n  \"%s\": ", writer->separator, key);
	writer->separator = ",";
	put_value(writer, value);
}

/* Here NULL is null, and not a lack of memory. */
static void member_or_null(struct writer *writer, const char *key, struct json_object *value)
{
	if (value) {
		member(writer, key, value);
		return;
	}
	fprintf(writer->out, "%s\n  \"%s\": null", writer->separator, key);
	writer->separator = ",";
}

static void item(struct writer *writer, struct json_object *value)
{
	fprintf(writer->out, "%s\n    ", writer->separator);
	writer->separator = ",";
	put_value(writer, value);
}

static struct writer begin_object(FILE *out)
{
	fputc('{', out);
	return (struct writer){.out = out, .separator = ""};
}

static void begin_array(struct writer *writer, const char *key)
{
	fprintf(writer->out, ",\n  \"%s\": [", key);
	writer->separator = "";
}

static void end_array(struct writer *writer)
{
	fputs("\n  ]", writer->out);
	writer->separator = ",";
}

static int end_object(struct writer *writer)
{
	fputs("\n}\n", writer->out);
	return writer->error;
}

static struct json_object *number(uint64_t value)
{
	return json_object_new_uint64(value);
}

static struct json_object *time_number(int64_t value)
{
	return json_object_new_int64(value);
}

/* ---- profile ---- */

static struct json_object *bias_names(uint32_t bits)
{
	struct json_object *names = json_object_new_array();

	for (const struct words_bias *bias = words_biases; names && bias->bit; bias++)
		if (bits & bias->bit)
			json_object_array_add(names, json_object_new_string(bias->name));
	return names;
}

static struct json_object *range_object(const struct profile_range *range)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "page", number(range->page));
	json_object_object_add(object, "pages", number(range->pages));
	json_object_object_add(object, "order", number(range->order));
	json_object_object_add(object, "runs", number(range->runs));
	if (range->doubt.unsure)
		json_object_object_add(object, "unsure", json_object_new_boolean(true));
	return object;
}

static struct json_object *profile_file_object(const struct profile_file *file)
{
	struct json_object *object = json_object_new_object(), *ranges = json_object_new_array();
	char id[2 * PROFILE_BUILD_ID_MAX + 1];

	json_object_object_add(object, "path", json_text(file->path));
	json_object_object_add(object, "kind", json_text(words_kind(file->kind)));
	json_object_object_add(object, "size", number(file->size));
	json_object_object_add(object, "mtime_ns", time_number(file->mtime));
	json_object_object_add(object, "order", number(file->order));
	json_object_object_add(object, "build_id",
		file->build_id_size > 0 ? json_text(words_build_id(file, sizeof(file->build_id), id)) : NULL);
	for (size_t i = 0; i < file->n_ranges; i++)
		json_object_array_add(ranges, range_object(&file->ranges[i]));
	json_object_object_add(object, "ranges", ranges);
	return object;
}

static struct json_object *exec_object(const struct profile_exec *exec)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "path", json_text(exec->path));
	json_object_object_add(object, "order", number(exec->order));
	return object;
}

/* "0123456789abcdef", or null if it is 0. */
static struct json_object *key_text(uint64_t key)
{
	char text[16 + 1];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	return key ? json_object_new_string(text) : NULL;
}

static struct json_object *block_range_object(uint32_t page, uint32_t pages)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "page", number(page));
	json_object_object_add(object, "pages", number(pages));
	return object;
}

static struct json_object *profile_metadata_object(const struct profile_file_system *system)
{
	struct json_object *object = json_object_new_object(), *ranges = json_object_new_array();

	json_object_object_add(object, "file_system", key_text(system->id));
	for (size_t i = 0; i < system->n_ranges; i++)
		json_object_array_add(
			ranges, block_range_object(system->ranges[i].page, system->ranges[i].pages));
	json_object_object_add(object, "ranges", ranges);
	return object;
}

static struct json_object *object_object(const struct profile_object *called)
{
	struct json_object *object = json_object_new_object(), *calls = json_object_new_array();
	struct profile_file file = {.build_id_size = called->build_id_size};
	char id[2 * PROFILE_BUILD_ID_MAX + 1];

	memcpy(file.build_id, called->build_id, called->build_id_size);
	json_object_object_add(object, "path", json_text(called->path));
	json_object_object_add(object, "build_id",
		file.build_id_size > 0 ? json_text(words_build_id(&file, sizeof(file.build_id), id)) : NULL);
	for (size_t i = 0; i < called->n_calls; i++) {
		struct json_object *call = json_object_new_object();

		json_object_object_add(call, "address", number(called->calls[i].address));
		json_object_object_add(call, "order", number(called->calls[i].order));
		json_object_array_add(calls, call);
	}
	json_object_object_add(object, "calls", calls);
	return object;
}

static struct json_object *text_or_null(const char *text)
{
	return text && *text ? json_text(text) : NULL;
}

static struct json_object *recording_object(const struct profile *recording)
{
	struct json_object *object = json_object_new_object(), *arguments = NULL;

	if (recording->n_arguments > 0)
		arguments = json_object_new_array();
	for (size_t i = 0; i < recording->n_arguments; i++)
		json_object_array_add(arguments, json_text(recording->arguments[i]));
	json_object_object_add(object, "arguments", arguments);
	json_object_object_add(object, "folder", text_or_null(recording->folder));
	json_object_object_add(object, "rule", text_or_null(recording->rule));
	json_object_object_add(object, "asked", text_or_null(recording->asked_path));
	json_object_object_add(object, "key", key_text(recording->asked));
	json_object_object_add(object, "recorded", time_number(recording->recorded));
	json_object_object_add(object, "bytes", number(touched_bytes(recording)));
	return object;
}

int report_profile_json(FILE *out, const struct profile *profile, const struct recordings *recordings)
{
	struct writer writer = begin_object(out);

	member(&writer, "type", json_text("profile"));
	member(&writer, "program", json_text(profile->program));
	member(&writer, "command", json_text(profile->command));
	member(&writer, "recorded", time_number(profile->recorded));
	member(&writer, "kernel", json_text(profile->kernel));
	member(&writer, "device", json_text(profile->device));
	member(&writer, "milestone", json_text(profile->milestone));
	member(&writer, "backend", json_text(words_backend_name(profile->backend)));
	member(&writer, "bias", bias_names(profile->bias));
	member(&writer, "page_size", number(profile->page_size));
	member(&writer, "runs", number(profile->runs));
	member(&writer, "touches", number(profile->touches));
	member(&writer, "bytes", number(touched_bytes(profile)));
	begin_array(&writer, "recordings");
	for (size_t i = 0; i < recordings->n; i++)
		item(&writer, recording_object(&recordings->items[i]));
	end_array(&writer);
	begin_array(&writer, "execs");
	for (size_t i = 0; i < profile->n_execs; i++)
		item(&writer, exec_object(&profile->execs[i]));
	end_array(&writer);
	begin_array(&writer, "files");
	for (size_t i = 0; i < profile->n_files; i++)
		item(&writer, profile_file_object(&profile->files[i]));
	end_array(&writer);
	begin_array(&writer, "metadata");
	for (size_t i = 0; i < profile->n_file_systems; i++)
		item(&writer, profile_metadata_object(&profile->file_systems[i]));
	end_array(&writer);
	if (profile->functions) {
		begin_array(&writer, "functions");
		for (size_t k = 0; k < profile->functions->n_objects; k++)
			item(&writer, object_object(&profile->functions->objects[k]));
		end_array(&writer);
	}
	return end_object(&writer);
}

/* ---- plan ---- */

static struct json_object *probe_object(const struct plan_view *plan, const struct plan_probe *probe)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "path", json_text((const char *)plan->header + LE16(probe->path)));
	json_object_object_add(object, "page", number(LE32(probe->page)));
	return object;
}

static struct json_object *plan_file_object(const struct plan_view *plan, uint32_t index, uint64_t *n_stale)
{
	const struct plan_file *file = &plan->files[index];
	struct json_object *object = json_object_new_object();
	enum words_state state = words_plan_file_state(plan_file_path(plan, index), file);

	*n_stale += state != STATE_FRESH;
	json_object_object_add(object, "path", json_text(plan_file_path(plan, index)));
	json_object_object_add(object, "kind", json_text(words_kind(LE32(file->kind))));
	json_object_object_add(object, "size", number(LE64(file->size)));
	json_object_object_add(object, "mtime_ns", time_number((int64_t)LE64(file->mtime)));
	json_object_object_add(object, "inode", number(LE64(file->inode)));
	json_object_object_add(object, "state", json_text(words_state_name(state)));
	return object;
}

static struct json_object *extent_object(const struct plan_extent *extent)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "file", number(LE32(extent->file)));
	json_object_object_add(object, "page", number(LE32(extent->page)));
	json_object_object_add(object, "pages", number(LE32(extent->pages)));
	json_object_object_add(object, "gap", number(LE32(extent->gap)));
	json_object_object_add(object, "order", number(LE32(extent->order)));
	json_object_object_add(object, "guessed", json_object_new_boolean(LE32(extent->guessed) != 0));
	return object;
}

/* The file system at `index`, whose ranges begin at `first`. */
static struct json_object *plan_metadata_object(const struct plan_view *plan, uint32_t index, uint32_t first)
{
	const struct plan_file_system *system = &plan->file_systems[index];
	struct json_object *object = json_object_new_object(), *ranges = json_object_new_array();

	json_object_object_add(object, "file_system", key_text(LE64(system->id)));
	json_object_object_add(object, "mounted", json_text(plan->strings + LE32(system->point)));
	for (uint32_t i = first; i < first + LE32(system->metadata_count); i++) {
		const struct plan_metadata *metadata = &plan->metadata[i];
		struct json_object *range = block_range_object(LE32(metadata->page), LE32(metadata->pages));

		json_object_object_add(range, "gap", number(LE32(metadata->gap)));
		json_object_array_add(ranges, range);
	}
	json_object_object_add(object, "ranges", ranges);
	return object;
}

static void plan_scalars(struct writer *writer, const struct plan_view *plan)
{
	const struct plan_header *header = plan->header;
	uint64_t page_size = LE32(header->page_size), pages = 0, gap = 0;

	for (uint32_t i = 0; i < plan->extent_count; i++) {
		pages += LE32(plan->extents[i].pages);
		gap += LE32(plan->extents[i].gap);
	}
	member(writer, "type", json_text("plan"));
	member(writer, "program", json_text(plan_program(plan)));
	member(writer, "created", time_number((int64_t)LE64(header->created)));
	member(writer, "page_size", number(page_size));
	member(writer, "order", json_text(LE32(header->order) == PLAN_ORDER_PHYSICAL ? "physical" : "touch"));
	member(writer, "window_pages", number(LE32(header->window_pages)));
	member(writer, "static_tls", number(LE32(header->static_tls)));
	member(writer, "wait_ms", number(LE32(header->wait_ms)));
	member(writer, "depth", number(LE32(header->depth)));
	member(writer, "bytes", number(pages * page_size));
	member(writer, "gap_bytes", number(gap * page_size));
	member(writer, "lost_bytes", number(LE32(header->lost) * page_size));
	member_or_null(writer, "key", key_text(LE64(header->asked)));
	member_or_null(writer, "rule", text_or_null(plan_head_rule(header)));
}

int report_plan_json(FILE *out, const struct plan_view *plan)
{
	struct writer writer = begin_object(out);
	const struct plan_probe *probes = plan_head_probes(plan->header);
	uint64_t n_stale = 0;

	plan_scalars(&writer, plan);
	begin_array(&writer, "probes");
	for (uint32_t i = 0; i < LE32(plan->header->probe_count); i++)
		item(&writer, probe_object(plan, &probes[i]));
	end_array(&writer);
	begin_array(&writer, "files");
	for (uint32_t i = 0; i < plan->file_count; i++)
		item(&writer, plan_file_object(plan, i, &n_stale));
	end_array(&writer);
	begin_array(&writer, "extents");
	for (uint32_t i = 0; i < plan->extent_count; i++)
		item(&writer, extent_object(&plan->extents[i]));
	end_array(&writer);
	begin_array(&writer, "metadata");
	for (uint32_t i = 0, first = 0; i < plan->file_system_count; i++) {
		item(&writer, plan_metadata_object(plan, i, first));
		first += LE32(plan->file_systems[i].metadata_count);
	}
	end_array(&writer);
	member(&writer, "stale", number(n_stale));
	return end_object(&writer);
}
