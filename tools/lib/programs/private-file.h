/* SPDX-License-Identifier: MIT */
/* Finds files that are installed beside our programs: shims, scripts. */
#pragma once

/*
 * The path of HEADSTART_PRIVATE_DIR/NAME; or, for a program in a build folder, of NAME in that build's folder
 * `in_build` ("ldpreload"). *ret is the caller's. Returns 0, -ENOMEM, or negative errno if this user cannot read the
 * file.
 */
int private_file(const char *in_build, const char *name, char **ret);
