/* SPDX-License-Identifier: MIT */
/*
 * What a start asks its program for, without a look at the disk. On a cold disk each folder on the way to a file that an argument names is
 * a read that waits for the one before it; once the plan is found they are read with everything else.
 */
#pragma once

#include "format/asked.h"

/*
 * As asked_by_arguments() in the current folder, as if no name were a link, and the working folder had the entry of near=. Returns false also
 * for paths with "..". If no plan has this key, ask again by a look at the disk. If one has, a link that was made since may
 * have led elsewhere: then it is another plan of the same program, and what its start does not need is read in vain.
 */
bool asked_guess(const char *rule, const char *const *argv, struct asked *ret);
