/* SPDX-License-Identifier: MIT */
/* How many descriptors this process may have open: usually 1,024, of which the buffers of some hundred CPUs take most. */
#pragma once

/* Lets this process, and what it executes, have as many as it may. */
void descriptors_allow_all(void);

/* In a child, before it executes what the caller wants: as it was before the first call. */
void descriptors_put_back(void);
