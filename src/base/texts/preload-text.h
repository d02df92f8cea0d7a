/* SPDX-License-Identifier: MIT */
/*
 * The text of /etc/ld.so.preload, as ld.so reads it (glibc elf/rtld.c, dl_main): names between blanks, newlines and
 * colons; from a '#' to the end of its line a comment. All bytes that are not ours are kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_FILE "/etc/ld.so.preload"

/*
 * The first name at or behind `at` in a text that ends before `end`; NULL if there is none. `at` must not lie inside a
 * name or comment. *ret_length is the name's length.
 */
const char *preload_text_next(const char *at, const char *end, size_t *ret_length);

/* Whether one of the names is `name`. */
bool preload_text_has(const char *text, size_t size, const char *name);

/*
 * The text with the name as its last line: ld.so reads it last, so other libraries' hooks stay in front of ours. The
 * caller frees *ret. Returns 0 or -ENOMEM.
 */
int preload_text_add(const char *text, size_t size, const char *name, char **ret, size_t *ret_size);

/*
 * The text without the name: drops lines that hold nothing else, and elsewhere the name with one separator. Otherwise
 * as preload_text_add().
 */
int preload_text_remove(const char *text, size_t size, const char *name, char **ret, size_t *ret_size);
