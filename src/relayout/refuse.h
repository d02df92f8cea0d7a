/* SPDX-License-Identifier: MIT */
/* Files that could be relaid but should not be. */
#pragma once

#include <sys/stat.h>

#include "elf/view.h"

/*
 * Why the bytes of a file are no program or library although they have the headers of one, as a static text that follows
 * its name; or NULL. The file may be hostile.
 */
const char *refuse_kind(const uint8_t *data, uint64_t size);

/*
 * Why a file with that content must not be relaid, as a static text that follows its name; or NULL. The user cannot
 * override this.
 */
const char *refuse_content(const struct elf_view *view);

/*
 * The same for properties of the file, by its descriptor and status: it has seals, or gives more rights than its user
 * has. *ret_forcible says whether the user may override this. Returns 0 or negative errno.
 */
int refuse_file(int fd, const struct stat *st, const char **ret_reason, bool *ret_forcible);

/*
 * Whether a checksum of the whole file lies in another one: beside it, such as those of FIPS modules (libNAME.chk, .libNAME.so.hmac), or,
 * of OpenSSL's fips.so, in fipsmodule.cnf (fips_config(5)). `path` is absolute and canonical.
 */
bool refuse_checksum_beside(const char *path);
