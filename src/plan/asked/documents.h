/* SPDX-License-Identifier: MIT */
/* Documents: files that a start was given to work on, and that the next one will not be given. */
#pragma once

#include "format/asked.h"
#include "profile/profile.h"

/*
 * Takes the documents that the recording's arguments name out of it. What the start asked its host for is none
 * (`asked`), nor is anything that can be executed. Relative paths begin in `folder`, an open folder. With `of_root`, files that others
 * than root can change are not looked at, and stay in it: a plan for everybody names none of them anyway.
 */
void documents_leave_out(struct profile *recording, const struct asked *asked, int folder, bool of_root);
