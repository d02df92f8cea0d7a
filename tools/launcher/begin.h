/* SPDX-License-Identifier: MIT */
/* What happens before the real init: helpers, each a process of its own, so that whatever goes wrong in one does not end pid 1. */
#pragma once

/*
 * Makes a process that calls `helper`, and waits until it says that it is ready (lib/programs/notify.h) or has ended, but no longer than
 * so many milliseconds. It may go on after that: then whoever is pid 1 has one more child. What it prints goes to the kernel's log, or in
 * a container to the console. If no process can be made, nothing happens.
 */
void begin_and_await(int (*helper)(void), int milliseconds);
