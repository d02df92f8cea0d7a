/* SPDX-License-Identifier: MIT */
/* Whole mode: objects without a plan are read by the prefetcher as they are mapped. */
#pragma once

struct link_map;

/* The main executable, before any library is opened. */
void whole_begin(void);

/* ld.so has mapped an object. */
void whole_object(const struct link_map *object);

/* All objects of the start are mapped; what follows is the program's own code. */
void whole_start_mapped(void);
