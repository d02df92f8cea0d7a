/* SPDX-License-Identifier: MIT */
/* Target: the plan; the shim reads its head, and the prefetcher all of it. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "format/asked/search.h"
#include "format/plan-view.h"
#include "report/profiles/report.h"
#include "seal.h"

size_t inputs_taken;

/* The arguments of a start: the bytes of the rule itself, so that the fuzzer chooses them as well. */
static long read_argument(void *context, unsigned int number, size_t offset, char *text, size_t size)
{
	const char *rule = context;
	size_t length = strlen(rule), at = number * 7;

	if (at >= length)
		return ASKED_END;
	at += offset;
	length = at < length ? strnlen(rule + at, size) : 0;
	memcpy(text, rule + at, length);
	return (long)length;
}

static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	if (text[0] == '.')
		strcpy(text, "/folder/below");
	return text[0] == '/';
}

static bool enter(void *context, const char *path)
{
	return path[0] != 'x';
}

static bool exists(void *context, const char *path)
{
	return strstr(path, "below");
}

/* What a shim does with a rule, whatever it says. */
static void follow_rule(const char *rule, const char *end)
{
	const struct asked_source source = {(void *)rule, read_argument, resolve, enter, exists};
	struct asked asked;

	must(rule + strlen(rule) < end && strlen(rule) < ASKED_RULE_MAX);
	must(asked_for(rule, &source, &asked) == (asked.key != 0));
	must(strnlen(asked.text, sizeof(asked.text)) < sizeof(asked.text));
	must(asked.number <= ASKED_ARGUMENTS_MAX);
}

/* The head in memory of its own, of no more bytes than the shim reads. */
static void check_head(const void *data, size_t size)
{
	size_t head_size = size < PLAN_HEAD_MAX ? size : PLAN_HEAD_MAX;
	_cleanup_free_ void *head = exact_copy(data, head_size);
	const struct plan_header *header = head;
	const struct plan_probe *probes = plan_head_probes(head);

	if (!plan_head_check(head, head_size))
		return;
	if (plan_head_rule(head))
		follow_rule(plan_head_rule(head), (const char *)head + LE32(header->probes_end));
	for (uint32_t i = 0; i < LE32(header->probe_count); i++) {
		uint64_t offset = (uint64_t)LE32(probes[i].page) * LE32(header->page_size);
		const char *path = (const char *)head + LE16(probes[i].path);

		must(offset <= INT64_MAX);
		must(path[0] == '/' && LE16(probes[i].path) + strlen(path) < LE32(header->probes_end));
	}
}

/* What the prefetcher computes of it. */
static void walk_metadata(const struct plan_view *plan)
{
	uint64_t page_size = LE32(plan->header->page_size);
	uint32_t next = 0;

	for (uint32_t i = 0; i < plan->file_system_count; i++) {
		const char *point = plan->strings + LE32(plan->file_systems[i].point);
		uint64_t end = 0;

		must(point[0] == '/' && point + strlen(point) < plan->strings + plan->strings_size);
		for (uint32_t n = LE32(plan->file_systems[i].metadata_count); n > 0; n--, next++) {
			const struct plan_metadata *metadata = &plan->metadata[next];

			must(next < plan->metadata_count && LE32(metadata->page) >= end);
			end = (uint64_t)LE32(metadata->page) + LE32(metadata->pages);
			must(end * page_size <= INT64_MAX);
		}
	}
	must(next == plan->metadata_count);
}

static void walk(const struct plan_view *plan)
{
	uint64_t page_size = LE32(plan->header->page_size), bytes = 0;

	must(plan_program(plan)[0] == '/');
	for (uint32_t i = 0; i < plan->file_count; i++) {
		const char *path = plan_file_path(plan, i);

		must(path[0] == '/' && path + strlen(path) < plan->strings + plan->strings_size);
	}
	for (uint32_t i = 0; i < plan->extent_count; i++) {
		const struct plan_extent *extent = &plan->extents[i];
		const struct plan_file *file = &plan->files[LE32(extent->file)];

		must(LE32(file->kind) == PLAN_REGULAR);
		must(((uint64_t)LE32(extent->page) + LE32(extent->pages)) * page_size <= INT64_MAX);
		must(!__builtin_add_overflow(bytes, LE32(extent->pages) * page_size, &bytes));
	}
	must(bytes <= INT64_MAX);
	walk_metadata(plan);
}

/* Returns whether it is a good plan with extents. */
static bool check(const void *data, size_t size)
{
	const struct report_style style = {.columns = 80, .rows = 5, .utf8 = size % 2};
	struct plan_view plan;

	check_head(data, size);
	if (plan_view_init(&plan, data, size, checksum64) != PLAN_GOOD)
		return false;
	walk(&plan);
	must(report_plan_text(nowhere(), &plan, &style) == 0);
	must(report_plan_json(nowhere(), &plan) == 0);
	return plan.extent_count > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *copy = exact_copy(data, size);
	bool taken = check(copy, size);

	seal_plan(copy, size);
	taken |= check(copy, size);
	inputs_taken += taken;
	return 0;
}
