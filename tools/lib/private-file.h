/* SPDX-License-Identifier: MIT */
/* The files beside which our programs are installed: shims, scripts. */
#pragma once

/*
 * The path of HEADSTART_PRIVATE_DIR/NAME; or, for a program in a build folder, of NAME in the folder `in_build` of that
 * ("ldpreload"). *ret is the caller's. Returns 0, -ENOMEM, or negative errno where this user cannot read it.
 */
int private_file(const char *in_build, const char *name, char **ret);
