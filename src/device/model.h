/* SPDX-License-Identifier: MIT */
/*
 * What a disk was measured to be, fitted from reads of which the kernel told place and times.
 *
 * A read that no other read or write overlaps takes
 *
 *     latency_us + (far from the one before: seek_us + stroke_us * sqrt(distance / size of the disk))
 *
 * for a page, and larger reads bytes_per_ms. "Far" is DEVICE_FAR or more, in either direction. This is the form that
 * seek times of hard disks have (C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3),
 * 1994); what the platter's turning adds is part of seek_us. For a disk without a head the last two are about 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_FAR (512u << 10) /* bytes */

/* One request as the disk saw it. */
struct device_read {
	uint64_t issued, done; /* nanoseconds, of one clock */
	uint64_t offset;       /* bytes on the disk */
	uint32_t bytes;
	bool other; /* a write or the like: it keeps the disk busy and moves its head */
};

struct device_model {
	uint32_t latency_us;   /* of a page, right behind the read before */
	uint32_t seek_us;      /* more, far from the read before */
	uint32_t stroke_us;    /* still more, across the whole disk */
	uint32_t bytes_per_ms; /* that many reads at once deliver; 0: not measured */
	uint32_t depth;        /* reads of a page at once that the disk can use; 0: not measured */
	uint32_t samples;      /* single reads behind the first three */
	int64_t measured;      /* seconds since the epoch */
};

/*
 * Fits a model by medians, so that a few reads that took long for another reason do not count. The reads may come in
 * any order. *ret gets no time. Returns 0; -ENODATA if there are too few single reads, or too few far ones, to believe
 * the result; or -ENOMEM.
 */
int device_fit(const struct device_read *reads, size_t n, uint64_t disk_size, struct device_model *ret);

/* Whether reads are best made in the order of their places: the way there costs, and reads at once do not share it. */
bool device_model_seeks(const struct device_model *model);

/* What it is like, in words: "0.1 ms a page, no seeks, 520 MB/s, 13 reads at once". */
#define DEVICE_MODEL_TEXT 160
void device_model_text(const struct device_model *model, char text[DEVICE_MODEL_TEXT]);

/* What a read costs beyond its latency and its bytes if it begins `distance` bytes from the end of the one before. */
uint64_t device_model_way_us(const struct device_model *model, uint64_t distance, uint64_t disk_size);
