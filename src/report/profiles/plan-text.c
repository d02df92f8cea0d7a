/* SPDX-License-Identifier: MIT */
/* Prints a plan for people, with the state of its files on this machine. */
#include "report/profiles/report.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "report/table.h"
#include "report/touched.h"
#include "report/words.h"

/* The totals of the plan. */
struct totals {
	uint64_t kinds[PLAN_SYMLINK + 1];
	uint64_t states[STATE_GONE + 1];
	uint64_t pages, gap_pages, guessed_pages;
};

/* A row for each file, in the plan's order; and the totals. */
static void add_up(const struct plan_view *plan, struct table_row *rows, struct totals *totals)
{
	uint32_t page_size = LE32(plan->header->page_size);

	for (uint32_t i = 0; i < plan->file_count; i++) {
		const struct plan_file *file = &plan->files[i];
		const char *path = plan_file_path(plan, i);
		enum words_state state = words_plan_file_state(path, file);

		rows[i] = (struct table_row){.path = path, .size = LE64(file->size), .source = i};
		snprintf(rows[i].note, sizeof(rows[i].note), "%s", words_state_name(state));
		totals->kinds[LE32(file->kind)]++;
		totals->states[state]++;
	}
	for (uint32_t i = 0; i < plan->extent_count; i++) {
		struct table_row *row = &rows[LE32(plan->extents[i].file)];

		row->bytes += touched_part(
			LE32(plan->extents[i].page), LE32(plan->extents[i].pages), page_size, row->size);
		row->pieces++;
		totals->pages += LE32(plan->extents[i].pages);
		totals->gap_pages += LE32(plan->extents[i].gap);
		if (LE32(plan->extents[i].guessed))
			totals->guessed_pages += LE32(plan->extents[i].pages) - LE32(plan->extents[i].gap);
	}
}

static void print_state(FILE *out, const struct totals *totals, const struct report_style *style)
{
	uint64_t changed = totals->states[STATE_CHANGED], gone = totals->states[STATE_GONE];

	if (changed + gone == 0)
		table_line(out, style, "here", "no file has changed since the plan was made");
	else
		table_line(out, style, "here", "stale: %llu changed, %llu gone; headstart leaves them out",
			(unsigned long long)changed, (unsigned long long)gone);
}

/* Which starts it is for, and what it does without. */
static void print_starts(FILE *out, const struct plan_view *plan, const struct report_style *style)
{
	unsigned long long key = LE64(plan->header->asked);
	const char *rule = plan_head_rule(plan->header);

	if (key)
		table_line(out, style, "for", "starts with the key @%016llx alone", key);
	else if (rule)
		table_line(
			out, style, "for", "starts without a plan of their own; keys by the rule: %s", rule);
	else
		table_line(out, style, "for", "any start");
}

static void print_recorded(FILE *out, const struct plan_view *plan, const struct totals *totals,
	const struct report_style *style)
{
	uint64_t page_size = LE32(plan->header->page_size), lost = LE32(plan->header->lost);
	char a[WORDS_MAX];

	if (lost > 0)
		table_line(out, style, "lost", "%s recorded, in files that had changed or were gone",
			words_bytes(lost * page_size, a));
	if (totals->guessed_pages > 0)
		table_line(out, style, "guessed", "%s of it, in files that were updated since the recording",
			words_bytes(totals->guessed_pages * page_size, a));
}

static void print_wait(FILE *out, const struct plan_view *plan, const struct report_style *style)
{
	uint32_t wait_ms = LE32(plan->header->wait_ms);
	char a[WORDS_MAX];

	if (wait_ms)
		table_line(out, style, "waits", "the program waits for it, %s ms at most",
			words_count(wait_ms, a));
	else
		table_line(out, style, "waits", "no: the program runs meanwhile");
}

/* What is read of each file system, before anything is opened. */
static void print_metadata(FILE *out, const struct plan_view *plan, const struct report_style *style)
{
	uint64_t page_size = LE32(plan->header->page_size);
	const struct plan_metadata *metadata = plan->metadata;

	for (uint32_t i = 0; i < plan->file_system_count; i++) {
		uint32_t count = LE32(plan->file_systems[i].metadata_count);
		uint64_t pages = 0, gap = 0;
		char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

		for (uint32_t j = 0; j < count; j++) {
			pages += LE32(metadata[j].pages);
			gap += LE32(metadata[j].gap);
		}
		metadata += count;
		table_line(out, style, "metadata",
			"%s in %s range%s, %s of it gaps, of the file system @%016llx, first",
			words_bytes(pages * page_size, a), words_count(count, b), plural(count),
			words_bytes(gap * page_size, c), (unsigned long long)LE64(plan->file_systems[i].id));
	}
}

static void print_header(FILE *out, const struct plan_view *plan, const struct totals *totals,
	const struct report_style *style)
{
	const struct plan_header *header = plan->header;
	uint64_t page_size = LE32(header->page_size);
	char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

	fputs(plan_is_snapshot(plan) ? "snapshot of " : "plan for ", out);
	table_title(out, plan_program(plan), style);
	table_line(out, style, "made", "%s", words_time((int64_t)LE64(header->created), a));
	if (!plan_is_snapshot(plan))
		print_starts(out, plan, style);
	table_line(out, style, "order", "%s",
		LE32(header->order) == PLAN_ORDER_PHYSICAL
			? "by place on the disk: files by inode, extents by block"
			: "of first touch");
	if (!plan_is_snapshot(plan))
		print_wait(out, plan, style);
	table_line(out, style, "opens", "%s file%s, %s folder%s, %s link%s",
		words_count(totals->kinds[PLAN_REGULAR], a), plural(totals->kinds[PLAN_REGULAR]),
		words_count(totals->kinds[PLAN_DIRECTORY], b), plural(totals->kinds[PLAN_DIRECTORY]),
		words_count(totals->kinds[PLAN_SYMLINK], c), plural(totals->kinds[PLAN_SYMLINK]));
	table_line(out, style, "reads", "%s in %s extent%s, at most %s at once",
		words_bytes(totals->pages * page_size, a), words_count(plan->extent_count, b),
		plural(plan->extent_count), words_bytes(LE32(header->window_pages) * page_size, c));
	table_line(out, style, "gaps", "%s of it not touched: cheaper to read than to skip",
		words_bytes(totals->gap_pages * page_size, a));
	print_metadata(out, plan, style);
	print_recorded(out, plan, totals, style);
	if (!plan_is_snapshot(plan))
		table_line(out, style, "probes", "%u page%s: if %s in memory, the start is warm",
			LE32(header->probe_count), plural(LE32(header->probe_count)),
			plural_of(LE32(header->probe_count), "it is", "they are"));
	print_state(out, totals, style);
}

static void print_probes(FILE *out, const struct plan_view *plan, const struct report_style *style)
{
	const struct plan_probe *probes = plan_head_probes(plan->header);
	uint32_t n = LE32(plan->header->probe_count);
	char page[WORDS_MAX];

	if (n == 0)
		return;
	fputc('\n', out);
	table_title(out, "probes: page and file", style);
	for (uint32_t i = 0; i < n; i++) {
		fprintf(out, "  %9s  ", words_count(LE32(probes[i].page), page));
		table_path(out, (const char *)plan->header + LE16(probes[i].path), 13, style);
	}
}

static size_t drop_rows_not_read(struct table_row *rows, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].pieces > 0)
			rows[kept++] = rows[i];
	return kept;
}

/* An index of the extents by file, so that the bar of one file does not need a search through all of them. */
struct by_file {
	const struct plan_view *plan;
	uint32_t *first;   /* file -> its first place in extents; file_count + 1 of them */
	uint32_t *extents; /* indexes of extents, grouped by file */
};

static void sort_by_file(struct by_file *by)
{
	const struct plan_view *plan = by->plan;

	for (uint32_t i = 0; i < plan->extent_count; i++)
		by->first[LE32(plan->extents[i].file)]++;
	for (uint32_t i = 0, sum = 0; i <= plan->file_count; i++)
		by->first[i] = sum += by->first[i];
	for (uint32_t i = 0; i < plan->extent_count; i++)
		by->extents[--by->first[LE32(plan->extents[i].file)]] = i;
}

static void fill_bar(struct table_bar *bar, const void *context, size_t source)
{
	const struct by_file *by = context;

	for (uint32_t i = by->first[source]; i < by->first[source + 1]; i++) {
		const struct plan_extent *extent = &by->plan->extents[by->extents[i]];

		table_bar_add(bar, LE32(extent->page), LE32(extent->pages));
	}
}

int report_plan_text(FILE *out, const struct plan_view *plan, const struct report_style *style)
{
	_cleanup_free_ struct table_row *rows = calloc((size_t)plan->file_count + 1, sizeof(*rows));
	_cleanup_free_ uint32_t *first = calloc((size_t)plan->file_count + 1, sizeof(*first));
	_cleanup_free_ uint32_t *extents = calloc((size_t)plan->extent_count + 1, sizeof(*extents));
	struct by_file by = {.plan = plan, .first = first, .extents = extents};
	struct totals totals = {0};
	struct table table = {
		.title = "files by bytes to read",
		.bytes = "read",
		.pieces = "extents",
		.note = "state",
		.rows = rows,
		.page_size = LE32(plan->header->page_size),
		.fill_bar = fill_bar,
		.context = &by,
	};

	if (!rows || !first || !extents)
		return -ENOMEM;
	add_up(plan, rows, &totals);
	sort_by_file(&by);
	print_header(out, plan, &totals, style);
	print_probes(out, plan, style);
	table.n_rows = drop_rows_not_read(rows, plan->file_count);
	if (table.n_rows > 0)
		table_print(out, &table, style);
	return 0;
}
