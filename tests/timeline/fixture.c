/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROOM  64
#define BEGAN (1000 * MS)

struct timeline_events start;
static struct timeline_moment moments[ROOM];
static struct timeline_request requests[ROOM];

static char deep_path[PATH_MAX + 1];

static void name(void *context, uint32_t device, uint64_t inode, struct timeline_named *ret)
{
	*ret = inode == LIBRARY   ? (struct timeline_named){TIMELINE_REGULAR, "/lib/library", 100}
		: inode == DATA   ? (struct timeline_named){TIMELINE_REGULAR, "/data", 10}
		: inode == DEEP   ? (struct timeline_named){TIMELINE_REGULAR, deep_path, 10}
		: inode == SYSTEM ? (struct timeline_named){TIMELINE_METADATA, "/dev/sda", 0}
				  : (struct timeline_named){TIMELINE_UNNAMED, "", 0};
}

void start_begin(void)
{
	memset(deep_path, '/', PATH_MAX);
	start = (struct timeline_events){
		.moments = moments,
		.requests = requests,
		.began = BEGAN,
		.first = MAIN,
		.page_size = PAGE,
		.name = name,
	};
}

void start_end(uint64_t at, struct timeline *ret)
{
	start.ended = BEGAN + at * MS;
	assert_int_equal(timeline_build(&start, ret), 0);
	assert_int_equal(timeline_check(ret), 0);
}

static struct timeline_moment *add(uint64_t at, int32_t who, enum timeline_moment_kind kind)
{
	assert_true(start.n_moments < ROOM);
	moments[start.n_moments] =
		(struct timeline_moment){.time = BEGAN + at * MS, .thread = who, .kind = kind};
	return &moments[start.n_moments++];
}

void switches(uint64_t at, int32_t from, uint32_t state, int32_t to)
{
	struct timeline_moment *moment = add(at, from, MOMENT_SWITCH);

	moment->other = to;
	moment->state = state;
	snprintf(moment->name, sizeof(moment->name), "thread %d", from);
}

void wakes(uint64_t at, int32_t who, int32_t whom, enum timeline_context context)
{
	struct timeline_moment *moment = add(at, who, MOMENT_WAKING);

	moment->other = whom;
	moment->context = context;
}

void makes(uint64_t at, int32_t who, int32_t whom, uint64_t flags)
{
	struct timeline_moment *moment = add(at, who, MOMENT_NEW);

	moment->other = whom;
	moment->flags = flags;
}

void calls(uint64_t at, int32_t who, int64_t number)
{
	add(at, who, MOMENT_CALL)->call = number;
}

void becomes(uint64_t at, int32_t who, uint64_t flags)
{
	add(at, who, MOMENT_EXEC)->flags = flags;
}

void touches(uint64_t at, int32_t who, uint64_t inode, uint32_t page)
{
	struct timeline_moment *moment = add(at, who, MOMENT_TOUCH);

	moment->inode = inode;
	moment->first = moment->last = page;
}

void adds(uint64_t at, int32_t who, uint64_t inode, uint32_t page, uint32_t last)
{
	struct timeline_moment *moment = add(at, who, MOMENT_ADDED);

	moment->inode = inode;
	moment->first = page;
	moment->last = last;
}

void adds_on(uint64_t at, int32_t who, uint32_t device, uint64_t inode, uint32_t page, uint32_t last)
{
	adds(at, who, inode, page, last);
	moments[start.n_moments - 1].device = device;
}

void maps(uint64_t at, int32_t who, uint64_t inode, uint32_t page, uint32_t last)
{
	adds(at, who, inode, page, last);
	moments[start.n_moments - 1].kind = MOMENT_MAPPED;
}

void asks(uint64_t at, int32_t who, uint64_t sector, uint32_t pages)
{
	struct timeline_moment *moment = add(at, who, MOMENT_ASKED);

	moment->sector = sector;
	moment->disk = DISK;
	moment->sectors = pages * PAGE / 512;
}

void serves(uint64_t from, uint64_t to, uint64_t sector, uint32_t pages)
{
	assert_true(start.n_requests < ROOM);
	requests[start.n_requests++] = (struct timeline_request){.issued = BEGAN + from * MS,
		.done = BEGAN + to * MS,
		.offset = sector * 512,
		.bytes = (uint64_t)pages * PAGE,
		.disk = DISK};
}
