/* SPDX-License-Identifier: MIT */
/* What a thread waits for at this moment, in words. */
#pragma once

#include <stdint.h>

/*
 * "'sh' (123)", "a lock that 'worker' (124) holds", "/run/dbus/system_bus_socket, of 'dbus-daemon' (812)": as far as its
 * system call, its arguments and /proc say. Reads its memory, and changes nothing. The caller frees it. NULL if there is
 * nothing to say, if we may not look, or if the thread has gone on meanwhile.
 */
char *wait_name(int32_t tid);
