/* SPDX-License-Identifier: MIT */
/*
 * Which segments of an object are worth reading before anybody knows whether they are needed.
 *
 * A piece that is needed with probability p saves the wait for a read of the program's own, and costs the time that its
 * bytes take on the disk. It is worth reading if p is at least
 *
 *     transfer / (transfer + saved wait)
 *
 * The probabilities are shares that were measured in recorded starts; worth.c has them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/model.h"
#include "prefetch/whole-mode/object-parts.h"

#define WORTH_PIECE   (128u << 10) /* bytes: what the kernel reads around a fault, and we at a time */
#define WORTH_NOTHING 101u         /* per cent: only what is certain */

/* Per cent: the least probability at which reading a piece ahead gains on this disk, which may have a head that moves. */
unsigned worth_least(const struct device_model *model, bool seeks);

/*
 * The loaded segments of the ELF file whose pieces are needed with a probability of `least` per cent or more, those
 * that are likeliest first, without the writable ones, which object_parts() has. Returns their number, at most `room`.
 */
size_t worth_parts(int fd, uint64_t file_size, unsigned least, struct object_part parts[], size_t room);

/*
 * The same with the writable ones, by their place in the file, joined over gaps that a head passes in less time than it
 * takes to move. Returns 0 if the file is no ELF file, or has more parts than there is room for.
 */
size_t worth_pass(int fd, uint64_t file_size, unsigned least, struct object_part parts[], size_t room);
