/* SPDX-License-Identifier: MIT */
/* The version requirement that makes a loader without DT_RELR say so instead of leaving pointers unrelocated.
 */
#pragma once

#include "relayout/passes/image.h"

/*
 * Has the object require version GLIBC_ABI_DT_RELR of libc (glibc 2.36, elf/dl-version.c), with DT_VERNEED
 * and the name in the tables. Returns 0; -ENOMEM; -EOPNOTSUPP where the object has no requirement that it
 * could be added to, with the reason (a static string) in *ret_refusal; or -EFBIG, -ENOSPC; then some of it
 * may be done.
 */
int version_need_relr(struct relayout_image *image, const char **ret_refusal);
