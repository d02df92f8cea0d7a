/* SPDX-License-Identifier: MIT */
/* The parts of 'headstart boot'. Each does its work and returns an exit status. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

/* Carries out the plan of a boot. The launcher has it built in, because it comes before everything else. */
int boot_prefetch(void);

/* Records what everybody reads, until 'headstart boot stop' or for so many seconds. `first`: machine_options.own. */
int boot_record(double timeout, bool first);

/* Draws timelines of boots, or without any that of this machine's last boot (n is 0). */
int boot_draw(char *const *paths, size_t n, const char *output, const char *format);

/* Says where the time of a boot went; NULL: of this machine's last one. */
int boot_print(const char *path, bool json, size_t rows);

/*
 * Compiles the recordings of the last boots anew if there is a plan of them; `older`: if an older headstart has made it, in a format that
 * this one cannot read. *ret_made: there is a new plan. Returns 0, or an exit status after printing the reason.
 */
int boot_make_anew(const struct config *config, bool older, bool *ret_made);

/* Whether something switches headstart off for this boot; then it says so. */
int boot_switched_off(void);
