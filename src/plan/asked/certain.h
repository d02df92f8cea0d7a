/* SPDX-License-Identifier: MIT */
/* What the recordings of a program say about a start that was not recorded. */
#pragma once

#include "profile/recordings/recordings.h"

/*
 * What any start of the program touches, as far as the recordings show. Of several recordings: what all of them touched,
 * but for what one of them was asked for. Of one recording of a host: the executable and its libraries, the folder that
 * the rule (format/asked.h) says is its own, and what was touched before the file that it was asked for. `of_root`: only what nobody but root
 * can change is looked at; the server of another may never answer. *ret is the caller's to release. Returns 0 or negative errno.
 */
int certain_of(const struct recordings *recordings, const char *rule, bool of_root, struct profile *ret);
