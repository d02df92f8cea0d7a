/* SPDX-License-Identifier: MIT */
/*
 * The text of /etc/ld.so.preload, as ld.so reads it (glibc elf/rtld.c, dl_main): names between blanks,
 * newlines and colons; from a '#' to the end of its line a comment. All bytes that are not ours stay as they
 * are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_FILE "/etc/ld.so.preload"

/*
 * The first name at or behind `at`, which is not inside a name or comment, in a text that ends before `end`;
 * NULL where there is none. *ret_length is its length.
 */
const char *preload_text_next(const char *at, const char *end, size_t *ret_length);

/* Whether one of the names is `name`. */
bool preload_text_has(const char *text, size_t size, const char *name);

/*
 * The text with the name as a last line of its own, which is read last: other libraries' hooks stay in front
 * of ours. *ret, malloc()ed, is the caller's. Returns 0 or -ENOMEM.
 */
int preload_text_add(const char *text, size_t size, const char *name, char **ret, size_t *ret_size);

/*
 * The text without the name: lines that hold nothing else go, elsewhere the name goes with one separator. As
 * preload_text_add().
 */
int preload_text_remove(const char *text, size_t size, const char *name, char **ret, size_t *ret_size);
