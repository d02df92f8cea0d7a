/* SPDX-License-Identifier: MIT */
/* Values that options of several verbs have. */
#pragma once

#include "lib/options/options.h"

/* --device CLASS, into an enum device_class. */
option_fn option_take_class;

/* --until MILESTONE, of any kind, into a struct milestone; --timeout SECONDS, into a double. */
option_fn option_take_milestone, option_take_seconds;

/* The path of a folder, which must be absolute, into a const char *. */
option_fn option_take_absolute;

/* How many rows to print, into a size_t. */
option_fn option_take_rows;
