/* SPDX-License-Identifier: MIT */
/* The instruction by which a thread stops, on each processor that is known: what it is, and where the thread stands then. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__aarch64__)
/*
 * BRK #0 (Arm Architecture Reference Manual, C6.2), as memory has it on a little-endian machine. Functions of 32-bit programs have
 * other instructions. BRK is also allowed where a branch must land (BTI).
 */
typedef uint32_t breakpoint_code;
#define BREAKPOINT     UINT32_C(0xd4200000)
#define BREAKPOINT_ELF ELFCLASS64
#else
/* INT3 (Intel SDM, volume 2). */
typedef uint8_t breakpoint_code;
#define BREAKPOINT     0xcc
#define BREAKPOINT_ELF ELFCLASSNONE /* both */
#endif

/* Whether breakpoints are known for this processor. */
bool breakpoint_possible(void);

/* Whether they are known for the code of an open ELF file. */
bool breakpoint_fits(int fd);

/* Whether a thread that has stopped by SIGTRAP met a breakpoint, anybody's, and the address where that lies. */
bool breakpoint_met(pid_t tid, uint64_t *ret_address);

/* Lets the thread go on at this address, where it met a breakpoint. */
bool breakpoint_go_back(pid_t tid, uint64_t address);
