/* SPDX-License-Identifier: MIT */
/* The reads of a start in a picture: time to the right, each file in a lane of its own. Internal to src/report/pictures. */
#pragma once

#include "report/pictures/svg-parts.h"
#include "timeline/sums.h"

/* What the colours of its reads mean; moves svg->y. */
void svg_reads_legend(struct svg *svg, const struct timeline *timeline);

/* Draws them below svg->y, which moves on. Returns 0 or -ENOMEM. */
int svg_reads(struct svg *svg, const struct timeline *timeline, const struct sums *sums);
