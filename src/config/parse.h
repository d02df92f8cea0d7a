/* SPDX-License-Identifier: MIT */
/* The text of one file of settings. Internal to src/config and its tests. */
#pragma once

#include "config/config.h"

/*
 * Adds the settings of a text of `size` bytes that ends with a NUL besides, as the last of config->files.
 * Returns how many problems it has.
 */
unsigned config_parse(struct config *config, char *text, size_t size, config_problem *tell, void *context);
