/* SPDX-License-Identifier: MIT */
/* Several recordings as one, which counts how many of them touched each page. */
#pragma once

#include "profile/profile.h"

/*
 * Merges `from` into `into`. Counts add up for each page. Pages keep the order of `into`; pages that only `from` has
 * come after. Both must have the same page size and program (else -EINVAL). The description of the recording comes from
 * the later one, and so do the pages of a file whose build-id or kind differs. Functions that only `from` has come last.
 * `from` is untouched; on failure so is `into`.
 */
int profile_merge(struct profile *into, const struct profile *from);
