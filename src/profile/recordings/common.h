/* SPDX-License-Identifier: MIT */
/* What two recordings of a program have in common. */
#pragma once

#include "profile/profile.h"

/*
 * Leaves of `into` what `with`, another profile of this program, has as well: the pages that both touched, in the order of
 * `into`, and the files that both looked at. A file whose build-id or kind differs is left out, and so are functions. Returns 0, or negative
 * errno with `into` as it was.
 */
int profile_keep_common(struct profile *into, const struct profile *with);
