/* SPDX-License-Identifier: MIT */
/*
 * Decides which pages of which files are moved into an area.
 *
 * Small files move whole, and so does what relayout has appended to a file. For the rest there are several ways
 * (choose.c has the list): the more closely the touched pages lie together, the shorter is a start with a plan, but a start
 * without headstart also reads what lies around them, and has a way to go if that lies elsewhere. Each way is tried
 * on the cost model; the one with the shortest planned starts is taken among those with which no start without headstart
 * becomes longer than PLACE_SLOWER_MAX times what it was.
 */
#pragma once

#include "place/cost.h"

#define PLACE_SLOWER_MAX 1.05 /* a start without headstart, after placing and before */
#define PLACE_GAIN_MIN   0.02 /* of a planned start: less is not worth moving anything */

/*
 * Fills in `moved` and `at` of the files that are PLACE_OPEN, what the starts cost, and the rest of *disk. A file of which
 * nothing is to be moved is PLACE_STAYS afterwards. Returns 0; -ENODATA if nothing needs to move; -EDOM if every way would
 * make a start without headstart too slow; -ERANGE if none makes a planned start faster; or -ENOMEM.
 */
int place_choose(struct place_disk *disk);

/*
 * The same, once more, for an area in this room (place/area.h): also what it is made of is chosen, as place_area_pick() does. A
 * choice that does not fit is none.
 */
int place_choose_within(struct place_disk *disk, const struct place_room *room);

/* How long the planned starts take together, by the last choice or estimate. */
uint64_t place_planned_us(const struct place_disk *disk);

/*
 * Computes what the starts cost with an area that lies at these extents, of offsets in the area. Returns 0 or -ENOMEM.
 */
int place_estimate(struct place_disk *disk, const struct device_extent *area, size_t n_area);

/* Whether such starts are good enough: 0, -EDOM or -ERANGE as above. */
int place_judge(const struct place_disk *disk);
