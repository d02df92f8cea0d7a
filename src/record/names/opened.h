/* SPDX-License-Identifier: MIT */
/* Opened files, and their names; what opens.h says of single files is here, too. Internal to src/record/names. */
#pragma once

#include "record/names/opens.h"

/* Whether the process belongs to the command's tree, as far as that is known. */
bool opened_in_tree(const struct opens *opens, int32_t pid);
