/* SPDX-License-Identifier: MIT */
/*
 * The library for programs of the other kind. headstart is built for one kind of program; for 32-bit x86
 * programs there is a stub that does nothing, beside its shims. Where their loader looks for it differs
 * between systems ($LIB is "lib/i386-linux-gnu" or "lib32"), so it is linked there when it is needed.
 */
#pragma once

#include <stdbool.h>

#include "setup/system/loaders.h"

/*
 * Links the stub to `path`, where programs of that loader look for the library, if nothing is there and the
 * stub is of that kind. *ret_placed is whether it was. Returns 0 or negative errno.
 */
int stub_place(const struct loader *loader, const char *path, bool *ret_placed);

/* Removes the link, if it is one that stub_place() made, and its folder if that is empty. As far as it can.
 */
void stub_remove(const char *path);
