/* SPDX-License-Identifier: MIT */
/* The scripts that `headstart install --app` puts before a program in a user's PATH. */
#pragma once

#include <stdbool.h>

/* What every wrapper begins with; the name of the app follows, quoted for a shell. */
#define WRAPPER_HEAD "#!/bin/sh\n# Written by headstart, and taken back by: headstart uninstall --app "

#define WRAPPER_MAX 65536 /* bytes: it names paths of PATH_MAX, quoted */

/* Whether there is a wrapper at that path. Opens only regular files. */
bool is_wrapper(const char *path);

/* A search_check (base/run/search.h) without context: as search_check_executable, but -ENOENT for a wrapper. */
int wrapper_check_program(void *context, const char *path);
