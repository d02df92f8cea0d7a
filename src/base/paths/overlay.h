/* SPDX-License-Identifier: MIT */
/* The layers of an overlayfs (Documentation/filesystems/overlayfs.rst). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The n-th layer that the options of the superblock name, with the escapes of mountinfo: the lower ones from top to bottom; `with_upper`: the
 * upper one before these, if there is one. The caller frees *ret. Returns 0, -ENOENT (no more), or -ENOMEM.
 */
int overlay_layer(const char *options, bool with_upper, size_t n, char **ret);
