/* SPDX-License-Identifier: MIT */
/* What the files of a job share. Internal to src/place. */
#pragma once

#include "place/place.h"

/*
 * The dynamic loader of a program. The kernel opens it each time when it executes such a program, and that fails while
 * somebody has it open for writing (ETXTBSY): no program of the machine would start while it is moved.
 */
struct place_loader {
	uint64_t device, inode;
};
