/* SPDX-License-Identifier: MIT */
/* A small start, as the kernel reports it: times in milliseconds. */
#pragma once

#include "timeline/build.h"

#define MS        1000000ull
#define PAGE      4096u
#define DISK      0x800000u
#define MAIN      100 /* threads */
#define WORKER    101
#define CHILD     200
#define LIBRARY   11 /* inodes */
#define DATA      12
#define SYSTEM    13 /* the file system's own blocks */
#define DEEP      14 /* its path is as long as PATH_MAX */
#define SLEEPS    1u /* states of sched_switch */
#define WAITS     2u
#define PREEMPTED 0x100u
#define DEAD      0x20u

extern struct timeline_events start;

void start_begin(void);
void start_end(uint64_t at, struct timeline *ret); /* builds and checks it */

void switches(uint64_t at, int32_t from, uint32_t state, int32_t to);
void wakes(uint64_t at, int32_t who, int32_t whom, enum timeline_context context);
void makes(uint64_t at, int32_t who, int32_t whom, uint64_t flags);
void calls(uint64_t at, int32_t who, int64_t number);
void becomes(uint64_t at, int32_t who, uint64_t flags);
void touches(uint64_t at, int32_t who, uint64_t inode, uint32_t page);
void adds(uint64_t at, int32_t who, uint64_t inode, uint32_t page, uint32_t last);
void adds_on(uint64_t at, int32_t who, uint32_t device, uint64_t inode, uint32_t page, uint32_t last);
void maps(uint64_t at, int32_t who, uint64_t inode, uint32_t page, uint32_t last);
void asks(uint64_t at, int32_t who, uint64_t sector, uint32_t pages);
void serves(uint64_t from, uint64_t to, uint64_t sector, uint32_t pages);
