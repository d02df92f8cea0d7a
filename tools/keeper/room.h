/* SPDX-License-Identifier: MIT */
/* How much of what was learnt a user's folder has, and for how long. */
#pragma once

/* Removes what was learnt and has not been used for 60 days, and beyond 64 MB what was not used for the longest time. */
void room_make(void);
