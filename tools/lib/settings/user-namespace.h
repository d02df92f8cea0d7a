/* SPDX-License-Identifier: MIT */
/* Whether root here is root of the machine: user_namespaces(7). */
#pragma once

#include <stdbool.h>

/* Whether user ids mean something else here than on the machine. */
bool in_user_namespace(void);
