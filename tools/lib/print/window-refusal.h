/* SPDX-License-Identifier: MIT */
/* Why no window can be seen here. */
#pragma once

/* Prints the sentence for an error of window_watch_new(), and what to use instead. Returns an exit status. */
int window_refusal(int err);
