/* SPDX-License-Identifier: MIT */
/* What systemd says of its units: when it began to start each in this boot, when it was active, and its main process. */
#pragma once

#include "timeline/units.h"

#define BOOT_UNITS_MAX (16u << 20) /* bytes of what systemctl prints; some 200 for each unit */

struct boot_units {
	char *text;                 /* owned; what the others point to */
	struct timeline_said *said; /* owned */
	size_t n_said, said_capacity;
	struct timeline_member *members; /* owned; main processes */
	size_t n_members, members_capacity;
};

/*
 * Parses what 'systemctl show' prints: blocks of KEY=VALUE lines, a block for each unit, an empty line between two. What cannot be
 * understood is left out. `text` is changed; it is taken over, also after a failure. *ret, all zero, is the caller's to release
 * in any case. Returns 0 or -ENOMEM.
 */
int boot_units_parse(char *text, struct boot_units *ret);

/* Asks systemctl. Returns 0; -ENOENT if systemd does not run here; or negative errno. */
int boot_units_ask(struct boot_units *ret);
void boot_units_release(struct boot_units *units);

static inline void boot_units_releasep(struct boot_units *units)
{
	boot_units_release(units);
}
