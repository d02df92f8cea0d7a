/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints are written through /proc/PID/mem, many pages at a time: the kernel lets a tracer write to private mappings
 * that the process itself may not write to, and makes private copies of their pages. So no file changes.
 */
#include "record/follow/plant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/run/process-file.h"
#include "record/follow/breakpoint.h"

#define WINDOW (128u << 10) /* bytes of memory that are rewritten at once */

static int open_memory(struct follow_process *process)
{
	if (process->memory < 0)
		process->memory = process_open(process->pid, O_RDWR, "mem");
	return process->memory;
}

/* A mapping that is rewritten, window by window, but for windows without entries. */
struct change {
	struct follow_process *process;
	const struct process_code *code;
	struct function_object *object;
	int file; /* of what has just been mapped, so that the memory is as the file is; -1: breakpoints are taken out of the memory */
};

/* An entry that is not where an instruction can be is left alone, as is a function that begins with a breakpoint. Returns whether one was put there. */
static bool plant_entry(struct function_object *object, size_t entry, uint8_t *at)
{
	const breakpoint_code breakpoint = BREAKPOINT;

	if (!object->read[entry] && object->entries.items[entry].offset % sizeof(breakpoint) == 0)
		memcpy(&object->original[entry], at, sizeof(breakpoint));
	object->read[entry] = 1;
	if (object->called[entry] || object->original[entry] == breakpoint)
		return false;
	memcpy(at, &breakpoint, sizeof(breakpoint));
	return true;
}

/* Where the memory has something else, the program has changed it: that is its own. */
static bool unplant_entry(const struct function_object *object, size_t entry, uint8_t *at)
{
	breakpoint_code code;

	memcpy(&code, at, sizeof(code));
	if (code != BREAKPOINT || object->original[entry] == BREAKPOINT)
		return false;
	memcpy(at, &object->original[entry], sizeof(code));
	return true;
}

/* Changes the entries of a window from index `i` on. Returns the first that lies behind it. */
static size_t change_window(const struct change *change, size_t i, uint64_t offset, uint8_t *window,
	size_t size, bool *ret_changed)
{
	struct function_object *object = change->object;

	for (; i < object->entries.n && object->entries.items[i].offset - offset < size; i++) {
		uint64_t at = object->entries.items[i].offset - offset;

		if (size - at < sizeof(breakpoint_code))
			continue;
		*ret_changed |= change->file >= 0 ? plant_entry(object, i, &window[at])
						  : unplant_entry(object, i, &window[at]);
	}
	return i;
}

/* Reading what was just mapped from the memory would map it first, and then copy it once more. */
static ssize_t read_window(
	const struct change *change, uint8_t *window, uint64_t size, uint64_t offset, uint64_t address)
{
	return change->file >= 0 ? pread_full(change->file, window, size, (off_t)offset)
				 : pread(change->process->memory, window, size, (off_t)address);
}

static void change_mapping(const struct change *change)
{
	const struct process_code *code = change->code;
	const struct order_entries *entries = &change->object->entries;
	uint64_t end = code->offset + (code->end - code->start), page = (uint64_t)sysconf(_SC_PAGESIZE);
	_cleanup_free_ uint8_t *window = malloc(WINDOW);
	size_t i = function_object_entry(change->object, code->offset);

	while (window && i < entries->n && entries->items[i].offset < end) {
		uint64_t offset = entries->items[i].offset / page * page;
		uint64_t address = code->start + (offset - code->offset);
		uint64_t size = end - offset < WINDOW ? end - offset : WINDOW;
		bool changed = false;
		size_t next;
		ssize_t n;

		n = read_window(change, window, size, offset, address); /* ends where the file does */
		next = n > 0 ? change_window(change, i, offset, window, (size_t)n, &changed) : i;
		if (changed && pwrite(change->process->memory, window, (size_t)n, (off_t)address) != n)
			change->process->unplanted = true;
		if (next == i)
			break;
		i = next;
	}
}

/* What is mapped now takes the place of what was known of these addresses. */
static int note_code(struct follow_process *process, const struct process_code *code)
{
	size_t kept = 0;
	int r;

	for (size_t i = 0; i < process->n_code; i++)
		if (process->code[i].end <= code->start || process->code[i].start >= code->end)
			process->code[kept++] = process->code[i];
	process->n_code = kept;
	r = ARRAY_RESERVE(process->code, process->code_capacity, process->n_code + 1);
	if (r == 0)
		process->code[process->n_code++] = *code;
	return r;
}

struct visit {
	struct function_objects *objects;
	struct follow_process *process;
	uint64_t start, end;
	bool plant; /* else only look which known objects are mapped where */
};

static void plant_mapping(struct visit *visit, const struct page_mapping *mapping,
	const struct process_code *code, struct function_object *object)
{
	_cleanup_close_ int file = function_objects_open(visit->objects, visit->process, mapping);
	const struct change change = {visit->process, code, object, file};

	if (file >= 0)
		change_mapping(&change);
	else
		visit->process->unplanted = true;
}

static int visit_mapping(void *context, const struct page_mapping *mapping)
{
	struct visit *visit = context;
	struct function_object *object;
	struct process_code code = {mapping->start, mapping->end, mapping->offset, 0};
	int r = 0;

	if (!mapping->code)
		return 0;
	if (visit->plant)
		r = function_objects_add(visit->objects, visit->process, mapping, &object);
	else
		object = function_objects_find(visit->objects, mapping);
	if (r < 0 || !object || object->entries.n == 0)
		return r;
	code.object = (size_t)(object - visit->objects->items);
	r = note_code(visit->process, &code);
	if (r == 0 && visit->plant)
		plant_mapping(visit, mapping, &code, object);
	return r;
}

static int visit_mappings(struct visit *visit)
{
	int r = page_tables_mappings(visit->process->pid, visit->start, visit->end, visit_mapping, visit);

	if (r < 0 && r != -ENOMEM && r != -ESRCH && r != -ENOENT)
		visit->process->unplanted = true;
	return r == -ENOMEM ? r : 0;
}

int plant(struct function_objects *objects, struct follow_process *process, uint64_t start, uint64_t end)
{
	struct visit visit = {objects, process, start, end, true};

	if (process->closed)
		return 0;
	if (open_memory(process) < 0) {
		process->unplanted |= errno != ENOENT && errno != ESRCH;
		return 0;
	}
	return visit_mappings(&visit);
}

/* Looks anew which known objects are mapped. */
static int refresh(struct function_objects *objects, struct follow_process *process)
{
	struct visit visit = {objects, process, 0, UINT64_MAX, false};

	process->n_code = 0;
	return visit_mappings(&visit);
}

int unplant(struct function_objects *objects, struct follow_process *process)
{
	int r;

	if (open_memory(process) < 0)
		return 0;
	r = refresh(objects, process);
	for (size_t i = 0; r == 0 && i < process->n_code; i++) {
		const struct change change = {
			process, &process->code[i], &objects->items[process->code[i].object], -1};

		change_mapping(&change);
	}
	process->closed = process->unplanted = true;
	return r;
}

/* The entry at the address, by what is known of the process. */
static struct function_object *find_entry(const struct function_objects *objects,
	const struct follow_process *process, uint64_t address, size_t *ret_entry)
{
	for (size_t i = 0; i < process->n_code; i++) {
		const struct process_code *code = &process->code[i];
		struct function_object *object = &objects->items[code->object];
		uint64_t offset = address - code->start + code->offset;
		size_t entry;

		if (address < code->start || address >= code->end)
			continue;
		entry = function_object_entry(object, offset);
		if (entry < object->entries.n && object->entries.items[entry].offset == offset &&
			object->original[entry] != BREAKPOINT) {
			*ret_entry = entry;
			return object;
		}
	}
	return NULL;
}

/* Without /proc/PID/mem, of which there may be too many: a word at a time. */
static bool put_back_word(pid_t tid, uint64_t address, breakpoint_code original)
{
	uint64_t start = address / sizeof(long) * sizeof(long);
	breakpoint_code code;
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, start, 0);
	if (errno)
		return false;
	memcpy(&code, (char *)&word + (address - start), sizeof(code));
	if (code != BREAKPOINT)
		return true;
	memcpy((char *)&word + (address - start), &original, sizeof(original));
	return ptrace(PTRACE_POKETEXT, tid, start, word) == 0;
}

/* Another thread may have been here before: then nothing is left to put back. */
static bool put_back(struct follow_process *process, pid_t tid, uint64_t address, breakpoint_code original)
{
	const ssize_t size = sizeof(original);
	breakpoint_code code;

	if (open_memory(process) < 0 || pread(process->memory, &code, sizeof(code), (off_t)address) != size)
		return put_back_word(tid, address, original);
	return code != BREAKPOINT ||
		pwrite(process->memory, &original, sizeof(original), (off_t)address) == size;
}

int plant_hit(struct function_objects *objects, struct follow_process *process, pid_t tid, bool note)
{
	struct function_object *object;
	uint64_t address;
	size_t entry;
	int r = 0;

	if (!breakpoint_met(tid, &address))
		return 0;
	object = find_entry(objects, process, address, &entry);
	if (!object) {
		r = refresh(objects, process);
		object = r == 0 ? find_entry(objects, process, address, &entry) : NULL;
	}
	if (!object || !put_back(process, tid, address, object->original[entry]) ||
		!breakpoint_go_back(tid, address))
		return r;
	r = note ? function_objects_call(objects, object, entry, process->pid) : 0;
	return r < 0 ? r : 1;
}
