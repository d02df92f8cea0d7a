/* SPDX-License-Identifier: MIT */
/*
 * What the machine does besides: pressure, disks, power. Everything comes from /proc and /sys, so no disk is woken. What the kernel
 * does not report counts as none. `root` is put before /proc and /sys, for tests; else "".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Pressure of "io", "cpu" or "memory": percent of the last ten seconds in which some task waited for it. */
unsigned pressure_of(const char *root, const char *resource);

/*
 * How long the disks had something to do since booting: the sum of them, in milliseconds. Loop and memory devices and
 * optical drives are no disks.
 */
uint64_t disks_busy_ms(const char *root);

/*
 * Whether a rotational disk is suspended (runtime power management). A disk that its own timer has stopped (hdparm -S) does not
 * say so.
 */
bool rotational_disk_asleep(const char *root);

/* Whether the machine runs on a battery: no mains supply is on line, and there is one, or a battery discharges. */
bool on_battery(const char *root);
