/* SPDX-License-Identifier: MIT */
/* Turns events and files, in time order, into first touches. */
#include "record/profiles/assemble.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/inode-map.h"
#include "base/strings.h"
#include "record/profiles/page-marks.h"

/* What is known of a file while the events are processed. */
struct progress {
	size_t profile_index; /* SIZE_MAX until the profile has the file */
	bool has_pages;       /* some event touches a page of it */
};

struct assembly {
	const struct record_trace *trace;
	const struct record_files *files;
	struct progress *progress; /* one for each file */
	struct page_marks marks;
	bool lost;          /* pages, because there are too many */
	size_t *file_of;    /* one for each event: index of its file, or SIZE_MAX */
	size_t *by_opening; /* file indices, ascending by opening time */
	bool added_is_touch;
	struct profile *profile;
	uint32_t touches;
	uint32_t found; /* of these, up to the last RECORD_FOUND */
};

static void assembly_release(struct assembly *assembly)
{
	page_marks_release(&assembly->marks);
	free(assembly->progress);
	free(assembly->file_of);
	free(assembly->by_opening);
}

/* What does not fit is left out. Returns 0 or -ENOMEM. */
static int mark(struct assembly *assembly, size_t file, uint64_t page, enum page_mark as)
{
	int r = page_marks_set(&assembly->marks, file, (uint32_t)page, as);

	if (r != -EFBIG)
		return r;
	assembly->lost = true;
	return 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct record_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int compare_execs(const void *a, const void *b)
{
	const struct record_exec *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int compare_opened(const void *a, const void *b, void *context)
{
	const struct record_files *files = context;
	const struct record_file *x = &files->items[*(const size_t *)a],
				 *y = &files->items[*(const size_t *)b];

	return (x->opened > y->opened) - (x->opened < y->opened);
}

/* Finds the file of each event. Files that any device fits are searched second, by inode alone. */
static int map_events(struct assembly *assembly, uint64_t *ret_unknown)
{
	_cleanup_(inode_map_releasep) struct inode_map map = {0};
	const struct record_trace *trace = assembly->trace;
	uint64_t unknown = 0;

	for (size_t i = 0; i < assembly->files->count; i++) {
		const struct record_file *file = &assembly->files->items[i];
		int r = 0;

		if (file->kind == PROFILE_REGULAR && file->inode && !file->ambiguous)
			r = inode_map_add(&map, file->device, file->inode, i);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];
		size_t index = inode_map_find(&map, event->device, event->inode);

		if (index == INODE_MAP_NONE)
			index = inode_map_find(&map, 0, event->inode);
		assembly->file_of[i] = index;
		unknown += index == INODE_MAP_NONE && event->kind == RECORD_TOUCH;
	}
	*ret_unknown = unknown;
	return 0;
}

/* Whether the event says that this page, inside the file, was touched. */
static bool touches_page(
	const struct assembly *assembly, const struct record_event *event, size_t index, uint64_t page)
{
	const struct record_file *file = &assembly->files->items[index];

	switch (event->kind) {
	case RECORD_TOUCH:
	case RECORD_FOUND:
		return true;
	case RECORD_MAPPED:
		/* A page that the start itself brought in was there, even if the kernel has taken it back since. */
		return file->own || (file->resident && file->resident[page] & 1) ||
			page_marks_get(&assembly->marks, index, (uint32_t)page, PAGE_ADDED);
	case RECORD_ADDED:
		return assembly->added_is_touch;
	}
	return false;
}

/* One past the last page of an event that lies inside the file. */
static uint64_t event_end(const struct record_event *event, const struct record_file *file)
{
	uint64_t end = (uint64_t)event->last + 1;

	return end < file->pages ? end : file->pages;
}

static int mark_pages(struct assembly *assembly, const struct record_event *event, size_t index)
{
	uint64_t end = event_end(event, &assembly->files->items[index]);
	struct progress *progress = &assembly->progress[index];
	int r = 0;

	for (uint64_t page = event->first; r == 0 && page < end; page++) {
		progress->has_pages |= touches_page(assembly, event, index, page);
		if (event->kind == RECORD_ADDED)
			r = mark(assembly, index, page, PAGE_ADDED);
		if (event->kind == RECORD_TOUCH)
			r = mark(assembly, index, page, PAGE_ASKED);
	}
	return r;
}

static int prepare_progress(struct assembly *assembly)
{
	for (size_t i = 0; i < assembly->trace->n_events; i++) {
		const struct record_event *event = &assembly->trace->events[i];
		size_t index = assembly->file_of[i];
		int r;

		if (index == SIZE_MAX)
			continue;
		r = mark_pages(assembly, event, index);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Finds the file in the profile, or adds it at its first touch. */
static int profile_file_for(struct assembly *assembly, size_t index, struct profile_file **ret)
{
	const struct record_file *file = &assembly->files->items[index];
	struct progress *progress = &assembly->progress[index];

	if (progress->profile_index == SIZE_MAX) {
		size_t before = assembly->profile->n_files;
		int r = profile_add_file(assembly->profile, file->path, file->kind, &progress->profile_index);

		if (r < 0)
			return r;
		if (assembly->profile->n_files > before)
			assembly->profile->files[progress->profile_index].order = assembly->touches;
	}
	*ret = &assembly->profile->files[progress->profile_index];
	return 0;
}

static int touch_page(struct profile_file *file, uint32_t page, uint32_t order, bool unsure)
{
	struct profile_range *last = file->n_ranges ? &file->ranges[file->n_ranges - 1] : NULL;

	if (last && last->page + last->pages == page && last->order + last->pages == order &&
		last->doubt.unsure == unsure) {
		last->pages++;
		return 0;
	}
	return profile_file_add_range(file,
		(struct profile_range){
			.page = page, .pages = 1, .order = order, .runs = 1, .doubt = {.unsure = unsure}});
}

/* The first touch of a page gives it its order. */
static int take_page(struct assembly *assembly, size_t index, uint32_t page)
{
	bool unsure = !page_marks_get(&assembly->marks, index, page, PAGE_ASKED);
	struct profile_file *entry;
	int r = mark(assembly, index, page, PAGE_TOUCHED);

	if (r < 0 || !page_marks_get(&assembly->marks, index, page, PAGE_TOUCHED))
		return r;
	r = profile_file_for(assembly, index, &entry);
	if (r == 0)
		r = touch_page(entry, page, assembly->touches, unsure);
	assembly->touches += r == 0;
	return r;
}

static int take_event(struct assembly *assembly, size_t i)
{
	const struct record_event *event = &assembly->trace->events[i];
	size_t index = assembly->file_of[i];
	uint64_t end;
	int r = 0;

	if (index == SIZE_MAX)
		return 0;
	end = event_end(event, &assembly->files->items[index]);
	for (uint64_t page = event->first; r == 0 && page < end; page++)
		if (!page_marks_get(&assembly->marks, index, (uint32_t)page, PAGE_TOUCHED) &&
			touches_page(assembly, event, index, page))
			r = take_page(assembly, index, (uint32_t)page);
	if (event->kind == RECORD_FOUND)
		assembly->found = assembly->touches;
	return r;
}

/* A directory, a link, or a file that was opened but not read takes an order number of its own. */
static int take_opening(struct assembly *assembly, size_t index)
{
	size_t before = assembly->profile->n_files;
	struct profile_file *entry;
	int r;

	if (assembly->progress[index].has_pages || !assembly->files->items[index].by_tree)
		return 0;
	r = profile_file_for(assembly, index, &entry);
	if (r == 0 && assembly->profile->n_files > before)
		assembly->touches++;
	return r;
}

static int walk_in_time_order(struct assembly *assembly)
{
	const struct record_trace *trace = assembly->trace;
	const struct record_files *files = assembly->files;
	size_t event = 0, opening = 0, exec = 0;
	int r = 0;

	while (r == 0 && (event < trace->n_events || opening < files->count || exec < trace->n_execs)) {
		uint64_t event_time = event < trace->n_events ? trace->events[event].time : UINT64_MAX;
		uint64_t opening_time = opening < files->count
			? files->items[assembly->by_opening[opening]].opened
			: UINT64_MAX;
		uint64_t exec_time = exec < trace->n_execs ? trace->execs[exec].time : UINT64_MAX;

		if (exec < trace->n_execs && exec_time <= event_time && exec_time <= opening_time) {
			/* The start begins with the first program, even if some file has an earlier opening time. */
			r = profile_add_exec(
				assembly->profile, trace->execs[exec].path, exec ? assembly->touches : 0);
			exec++;
		} else if (opening < files->count && opening_time <= event_time) {
			r = take_opening(assembly, assembly->by_opening[opening++]);
		} else {
			r = take_event(assembly, event++);
		}
	}
	return r;
}

/*
 * The kernel reports an exec only after it has read the program's first page, which belongs to the program. So this
 * moves the exec before the last such read by the same process.
 */
static void place_execs(const struct assembly *assembly, struct record_trace *trace)
{
	for (size_t i = 0; i < trace->n_execs; i++) {
		struct record_exec *exec = &trace->execs[i];
		size_t at = trace->n_events;

		while (at > 0 && trace->events[at - 1].time > exec->time)
			at--;
		while (at-- > 0) {
			const struct record_event *event = &trace->events[at];

			if (event->pid == exec->pid && event->first == 0 &&
				assembly->file_of[at] != SIZE_MAX &&
				streq(assembly->files->items[assembly->file_of[at]].path, exec->path)) {
				exec->time = event->time;
				break;
			}
			/*
			 * An event half a second earlier belongs to another exec. The limit also keeps the search short
			 * in a long trace.
			 */
			if (exec->time - event->time > 500000000u)
				break;
		}
	}
	if (trace->n_execs > 1)
		qsort(trace->execs, trace->n_execs, sizeof(*trace->execs), compare_execs);
}

static int assembly_init(struct assembly *assembly)
{
	size_t n = assembly->files->count;

	assembly->progress = calloc(n ? n : 1, sizeof(*assembly->progress));
	assembly->by_opening = calloc(n ? n : 1, sizeof(*assembly->by_opening));
	assembly->file_of = calloc(assembly->trace->n_events + 1, sizeof(*assembly->file_of));
	if (!assembly->progress || !assembly->by_opening || !assembly->file_of)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		assembly->by_opening[i] = i;
		assembly->progress[i].profile_index = SIZE_MAX;
	}
	if (n > 1)
		qsort_r(assembly->by_opening, n, sizeof(*assembly->by_opening), compare_opened,
			(void *)assembly->files);
	return 0;
}

int assemble(struct record_trace *trace, const struct record_files *files, bool added_is_touch,
	struct profile *into, struct assemble_summary *ret_summary)
{
	_cleanup_(assembly_release) struct assembly assembly = {
		.trace = trace,
		.files = files,
		.added_is_touch = added_is_touch,
		.profile = into,
	};
	struct assemble_summary summary = {0};
	int r;

	if (trace->n_events > 1)
		qsort(trace->events, trace->n_events, sizeof(*trace->events), compare_events);
	if (trace->n_execs > 1)
		qsort(trace->execs, trace->n_execs, sizeof(*trace->execs), compare_execs);
	r = assembly_init(&assembly);
	if (r == 0)
		r = map_events(&assembly, &summary.events_unknown);
	if (r == 0)
		r = prepare_progress(&assembly);
	if (r < 0)
		return r;
	place_execs(&assembly, trace);
	r = walk_in_time_order(&assembly);
	if (r < 0)
		return r;
	trace->lost |= assembly.lost;
	into->touches = assembly.touches;
	summary.found = assembly.found;
	summary.pages_resident =
		added_is_touch ? 0 : page_marks_count(&assembly.marks, PAGE_TOUCHED, PAGE_ADDED);
	r = profile_finish(into);
	if (r == 0)
		*ret_summary = summary;
	return r;
}
