/* SPDX-License-Identifier: MIT */
/*
 * The library for programs of the other kind. headstart is built for one kind of program; for 32-bit x86 programs a
 * stub that does nothing lies beside its shims. The place where their loader looks for it differs between systems ($LIB
 * is "lib/i386-linux-gnu" or "lib32"), so we link it there when it is needed.
 */
#pragma once

#include <stdbool.h>

#include "setup/system/loaders.h"

/*
 * Links the stub to `path`, where programs of that loader look for the library, unless something is there or the stub
 * is of another kind. *ret_placed says whether it did. Returns 0 or negative errno.
 */
int stub_place(const struct loader *loader, const char *path, bool *ret_placed);

/* Removes the link if stub_place() made it, and its folder if that is empty. Ignores errors. */
void stub_remove(const char *path);
