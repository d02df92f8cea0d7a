/* SPDX-License-Identifier: MIT */
/*
 * The functions that a start called, in the order of their first calls over all its processes and threads: what `headstart
 * record --functions` knows beside the pages. A function is an address in an ELF file; its names are in the file's symbols.
 */
#pragma once

#include "base/inode-map.h"
#include "profile/profile.h"

/* Where a called function lies in its file, and by which landmarks (elf/landmarks.h) it is found in another build of it. */
struct profile_place {
	uint32_t offset;  /* bytes, in the file */
	uint32_t size;    /* bytes; 0: none of this is known; offset + size does not overflow */
	uint32_t name;    /* key of its name; 0: none */
	uint32_t lengths; /* key of the lengths of it and its neighbours; 0: none */
};

struct profile_call {
	uint64_t address; /* of the function's entry, as linked */
	uint32_t order;   /* the n-th function that was called for the first time has n, from 0 on */
	struct profile_place place;
};

/* An ELF file in which breakpoints lay. Another build of it is another object. */
struct profile_object {
	char *path; /* owned; absolute */
	uint8_t build_id[PROFILE_BUILD_ID_MAX];
	size_t build_id_size;       /* bytes; 0 where it has none */
	struct profile_call *calls; /* owned; ascending by address */
	size_t n_calls, calls_capacity;
};

struct profile_functions {
	struct profile_object *objects; /* owned */
	size_t n_objects, objects_capacity;
	uint32_t n_calls;         /* of all objects; each order below it is there once */
	struct inode_map by_name; /* how objects are found: hashes of path and build-id, as inodes */
	size_t indexed;           /* objects that it knows */
};

/* NULL is allowed. */
void profile_functions_free(struct profile_functions *functions);

/* Adds an object without calls, or finds it. Returns 0, -EINVAL (build-id too long) or -ENOMEM. */
int profile_functions_add_object(struct profile_functions *functions, const char *path,
	const uint8_t *build_id, size_t build_id_size, size_t *ret_index);

/*
 * Adds a function that is called for the first time now, after all others. `place` may be NULL: it is not known. Returns 0,
 * -EOVERFLOW or -ENOMEM.
 */
int profile_functions_add_call(struct profile_functions *functions, size_t object, uint64_t address,
	const struct profile_place *place);

/* Completes them after adding: sorts the calls, and takes out objects without any. */
void profile_functions_finish(struct profile_functions *functions);

/* Whether all that is said above is true: 0, -EINVAL or -ENOMEM. */
int profile_functions_check(const struct profile_functions *functions);

/* The calls of a file: of the object with its build-id; without one, of the object with its path. NULL: none. */
const struct profile_object *profile_functions_of(
	const struct profile_functions *functions, const struct profile_file *file);

/* The call of the function at this address; NULL if it was not called. */
const struct profile_call *profile_object_find(const struct profile_object *object, uint64_t address);

/* Takes out an object. Returns 0 or -ENOMEM. */
int profile_functions_leave_out(struct profile_functions *functions, size_t object);

/* *ret, a copy, is the caller's to free. `functions` may be NULL: then *ret is, too. Returns 0 or -ENOMEM. */
int profile_functions_copy(const struct profile_functions *functions, struct profile_functions **ret);

/*
 * Adds the functions that only `from` has, after all others and in their order; either may be NULL. *into is the caller's
 * to free. Returns 0; or negative errno, with *into unfinished.
 */
int profile_functions_merge(struct profile_functions **into, const struct profile_functions *from);

/* As bytes of a profile file (disk-layout.h). The caller frees *ret_data. Returns 0, -ENOMEM or -EFBIG. */
int profile_functions_serialize(const struct profile_functions *functions, void **ret_data, size_t *ret_size);

/* Reads those bytes, which may be hostile. *ret is the caller's to free. Returns 0, -EBADMSG or -ENOMEM. */
int profile_functions_parse(const void *data, size_t size, struct profile_functions **ret);
