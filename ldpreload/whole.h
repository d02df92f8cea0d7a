/* SPDX-License-Identifier: MIT */
/* Whole mode: objects without a plan are read by the prefetcher as they are mapped. */
#pragma once

#include "shim.h"

struct link_map;

/* The main executable by its path, before any library is opened; and what is known of shim_may_act() by now. */
void whole_begin(const char *program, enum shim_answer may_act);

/* ld.so has mapped an object. */
void whole_object(const struct link_map *object);

/*
 * ld.so is about to look for an object at this path. From the first cold object on, this is when the
 * prefetcher is told: its reads then follow those of ld.so at the beginning of the same file, without a seek
 * in between.
 */
void whole_search(const char *path);

/* All objects of the start are mapped; what follows is the program's own code. */
void whole_start_mapped(void);
