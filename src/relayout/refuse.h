/* SPDX-License-Identifier: MIT */
/* Files that could be relaid and had better not be. */
#pragma once

#include <sys/stat.h>

#include "elf/view.h"

/*
 * Why a file of that content should not be relaid, as a text that follows its name; or NULL. Static text.
 * These stand whatever the user says.
 */
const char *refuse_content(const struct elf_view *view);

/*
 * The same of what the file is, by its descriptor and status: sealed by somebody, of more rights than its
 * user. *ret_forcible says whether the user may insist. Returns 0 or negative errno.
 */
int refuse_file(int fd, const struct stat *st, const char **ret_reason, bool *ret_forcible);

/*
 * Whether a checksum of the whole file lies beside it, such as those of FIPS modules (libNAME.chk,
 * .libNAME.so.hmac). `path` is absolute and canonical.
 */
bool refuse_checksum_beside(const char *path);
