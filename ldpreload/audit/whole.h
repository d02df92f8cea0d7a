/* SPDX-License-Identifier: MIT */
/* Whole mode: without a plan, the prefetcher reads objects as ld.so maps them. */
#pragma once

#include "core/shim.h"

struct link_map;

/* Begins with the main executable, by its path, before any library is opened. `may_act` is what shim_may_act() has said
 * so far. */
void whole_begin(const char *program, enum shim_answer may_act);

/* ld.so has mapped an object. */
void whole_object(const struct link_map *object);

/*
 * ld.so is about to look for an object at this path. From the first cold object on, this tells the prefetcher: its
 * reads then follow those of ld.so at the beginning of the same file, without a seek in between.
 */
void whole_search(const char *path);

/* All objects of the start are mapped; the program's own code runs next. */
void whole_start_mapped(void);
