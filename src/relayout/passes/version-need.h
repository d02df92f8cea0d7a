/* SPDX-License-Identifier: MIT */
/* The version requirement that makes a loader without DT_RELR say so instead of leaving pointers unrelocated.
 */
#pragma once

#include "relayout/passes/image.h"

/*
 * Makes the object require version GLIBC_ABI_DT_RELR of libc (glibc 2.36, elf/dl-version.c), with DT_VERNEED and the
 * name in the tables. Returns 0; -ENOMEM; -EOPNOTSUPP if the object has no requirement to add this to, with the reason
 * (a static string) in *ret_refusal; or -EFBIG, -ENOSPC, which leave some of it done.
 */
int version_need_relr(struct relayout_image *image, const char **ret_refusal);
