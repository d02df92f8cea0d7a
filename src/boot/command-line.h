/* SPDX-License-Identifier: MIT */
/* What the kernel's command line says of headstart. */
#pragma once

#include <stdbool.h>

#define BOOT_COMMAND_LINE "/proc/cmdline"

enum boot_mode {
	BOOT_USUAL,  /* the plan is carried out, and what is read is recorded */
	BOOT_OFF,    /* headstart=off: neither */
	BOOT_RECORD, /* headstart=record: nothing is carried out, and recording begins anew */
};

/*
 * By the last `headstart=` among the words of the text, which blanks separate; what follows the word `--` is for init, and
 * does not count. Any other value is as none.
 */
enum boot_mode boot_mode_of(const char *text);

/* The same for a file: BOOT_USUAL if it cannot be read. */
enum boot_mode boot_mode_read(const char *path);

/* Whether the machine boots to be repaired (rescue, emergency), which is no boot like others. A file that cannot be read says no. */
bool boot_repairs(const char *text);
bool boot_repairs_read(const char *path);

/*
 * The value of the last word NAME=VALUE of such a file, as above, without the quotes around VALUE. Returns NULL if there is none, or it cannot be
 * read. The caller frees it.
 */
char *boot_value_read(const char *path, const char *name);
