/* SPDX-License-Identifier: MIT */
/*
 * The ELF files whose functions are recorded, where their functions begin, and which of these have been called so far, by
 * any process of the start. follow/plant.h puts the breakpoints there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inode-map.h"
#include "order/entries.h"
#include "profile/functions.h"
#include "record/follow/breakpoint.h"
#include "record/follow/pages/page-tables.h"
#include "record/follow/pages/touched.h"
#include "record/follow/process.h"

/* Which files. */
struct functions_choice {
	const char *const
		*objects; /* borrowed; canonical paths, or names; NULL: functions are not recorded */
	size_t n_objects; /* 0: all files */
};

struct function_object {
	struct order_entries entries; /* none: it was not chosen, or its functions are not known */
	breakpoint_code *original;    /* owned; what a breakpoint replaces of each; BREAKPOINT: it has none */
	uint8_t *read;                /* owned; whether `original` is what the file has */
	uint8_t *called;              /* owned; whether each has been called */
	size_t index;                 /* in functions->objects */
	size_t file;                  /* in touched->items */
};

struct function_objects {
	struct functions_choice choice;
	struct touched *touched;       /* borrowed */
	bool *met;                     /* owned; which of the chosen objects have been mapped */
	struct function_object *items; /* owned */
	size_t n, capacity;
	struct inode_map by_mapping;         /* (device, inode) of a mapping to the index in items */
	struct profile_functions *functions; /* owned: what was called */
	char *unknown;                       /* owned; the first file whose functions are not known */
	size_t n_unknown;
};

/* Returns 0 or -ENOMEM, with nothing to release. */
int function_objects_init(
	struct function_objects *objects, const struct functions_choice *choice, struct touched *touched);
void function_objects_release(struct function_objects *objects);

/* The known object of that mapping, or NULL. */
struct function_object *function_objects_find(
	const struct function_objects *objects, const struct page_mapping *mapping);

/* Finds the object, or reads it. *ret is valid until the next one is added. Returns 0 or -ENOMEM. */
int function_objects_add(struct function_objects *objects, const struct follow_process *process,
	const struct page_mapping *mapping, struct function_object **ret);

/* Opens what is mapped there. Returns a descriptor or negative errno. */
int function_objects_open(const struct function_objects *objects, const struct follow_process *process,
	const struct page_mapping *mapping);

/* The index of the first entry at the offset or after it. */
size_t function_object_entry(const struct function_object *object, uint64_t offset);

/* Notes that a function has been called, unless it was before. Returns 0 or negative errno. */
int function_objects_call(
	struct function_objects *objects, struct function_object *object, size_t entry, int32_t pid);

/* The n-th chosen object that nothing has mapped, or NULL. */
const char *function_objects_missing(const struct function_objects *objects, size_t n);
