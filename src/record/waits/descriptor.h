/* SPDX-License-Identifier: MIT */
/* What another process has open, in words. Internal to record/waits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

/* Writes "'name' (pid)", or "process PID" if it has ended. */
void descriptor_put_process(FILE *out, int32_t pid);

/* Writes "127.0.0.1:631", "/run/user/1000/bus". Returns whether the address says anything. */
bool descriptor_put_address(FILE *out, const struct sockaddr *address, socklen_t size);

/*
 * Writes what descriptor `fd` of the thread is: "/run/dbus/system_bus_socket, of 'dbus-daemon' (812)", "a pipe". A socket is
 * looked at through a copy of the descriptor, which we have for some microseconds. Returns whether there is anything to say.
 */
bool descriptor_put(FILE *out, int32_t tid, int fd);
