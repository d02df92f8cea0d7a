/* SPDX-License-Identifier: MIT */
/*
 * Whole mode's reader. Problem: nothing is known of this start except the names of the files that the loader maps, each
 * a moment before it is needed.
 *
 * The files are read in the order of mapping, and of each what the disk makes cheaper than the faults that it saves
 * (worth.h). bench/coldstart, with LibreOffice and Firefox, led to the policies below. Ratios compare with a start
 * without us, and are of whole files:
 *
 * A rotational disk serves one request at a time, so what counts is that it does not move to and fro between this
 * reader and the program. Everything known is queued at once, and the program's own reads wait behind it: with two
 * chunks in flight LibreOffice took 1.7 times as long as without us, with 256 chunks 0.77.
 *
 * There a short gap is passed as quickly as it is read, so only large objects are looked into, whose constants are
 * megabytes that hardly any start touches.
 *
 * On other devices the program's reads must not wait, so little is in flight, and the parts that relocation is certain
 * to touch come first (object-parts.h). Two chunks: 0.90 and 0.80; one chunk: 0.87 and 0.85; without the rest of the
 * file: 0.95 and 1.00. What such a device is like says a recording that has measured it. If there is none, the first
 * chunks tell three kinds apart: so fast that there is nothing to gain, so slow that only what is certain is worth it,
 * and all others, which count as a cloud volume.
 *
 * On a device so fast that a cold chunk arrives in no time there is nothing to gain, and copying whole files takes
 * processor time from the program. Once it was measured, or the first chunks have shown, that a device is this fast, no more whole
 * files are read, and the disk is marked, so that the next starts do without a prefetcher (format/fast-disk.h).
 *
 * A relaid object says itself which part of it is needed (hot-extent.h). Only that part is read, from one end to the
 * other, on every device.
 *
 * If a page that an object's relocation must have touched is resident, other programs use the object, or it was in
 * memory all along. Such an object is left alone, since nobody needs its absent pages.
 */
#include "prefetch/whole-mode/whole-mode.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/times.h"
#include "prefetch/limits/budget.h"
#include "prefetch/whole-mode/reader.h"

#define SLOW UINT32_MAX /* of fast_chunks: not all were fast */

/*
 * A device is heavy if two of its first cold chunks take longer than HEAVY_US: a head that moves, or a card of 16 MB/s.
 * LEAST_HEAVY is what worth_least() says of such a card.
 */
#define HEAVY_US     6000
#define HEAVY_CHUNKS 2
#define LEAST_HEAVY  91

/*
 * Microseconds between looks at the list. A cold object takes longer than the first to map. The pause doubles as long as nothing is
 * mapped: a start that computes or waits is not woken a thousand times a second for us, and an object is at most as late as the
 * time since the last one.
 */
#define LOOK_US     1000
#define LOOK_MAX_US 16000

#define IDLE_US 10000000 /* microseconds without a new object: the start is over */

static bool is_fast(const struct reader *reader)
{
	return reader->fast_chunks == FAST_CHUNKS;
}

/*
 * Whether to time this chunk, to learn how fast the device is. Never on a rotational disk, and only until the answer is
 * known, since asking for residency starts a small read of its own.
 */
static bool is_trial(
	const struct reader *reader, const struct object *object, uint64_t offset, uint64_t length)
{
	return !reader->rotational && !object->relaid && reader->fast_chunks < FAST_CHUNKS &&
		length == CHUNK && !reader_is_resident(object->fd, offset);
}

static void await_byte(int fd, off_t offset)
{
	char byte;

	(void)!pread(fd, &byte, 1, offset);
}

/* Learns from the time of one of the first cold chunks what kind of device this is. */
static void judge_chunk(struct reader *reader, uint64_t us)
{
	if (us < FAST_US) {
		reader->fast_chunks++;
		return;
	}
	if (us > HEAVY_US && !reader->measured && ++reader->heavy_chunks < HEAVY_CHUNKS)
		return;
	reader->fast_chunks = SLOW;
	if (reader->heavy_chunks < HEAVY_CHUNKS)
		return;
	if (reader->guessed)
		reader_become_rotational(reader, NULL);
	else
		reader->least = LEAST_HEAVY;
}

/* Starts reading a chunk, once the oldest of those in flight has arrived. */
static void read_chunk(struct reader *reader, const struct object *object, uint64_t offset, uint64_t length)
{
	struct flight *flight = &reader->flights[reader->flight];
	bool trial = is_trial(reader, object, offset, length);
	int fd = object->fd;
	uint64_t start_us;

	if (flight->fd >= 0)
		await_byte(flight->fd, flight->offset);
	start_us = monotonic_us();
	readahead(fd, (off_t)offset, length);
	*flight = (struct flight){.fd = fd, .offset = (off_t)(offset + length - 1)};
	reader->flight = (reader->flight + 1) % reader->in_flight;
	reader->result.bytes += length;
	if (!trial)
		return;
	await_byte(fd, (off_t)(offset + length - 1));
	judge_chunk(reader, monotonic_us() - start_us);
}

/* Reads the next chunk of the first object that is not finished. Returns false if there is none. */
static bool read_on(struct reader *reader)
{
	const struct object_part *part;
	struct object *object;
	uint64_t length;

	while (is_fast(reader) && reader->next < reader->count && !reader->objects[reader->next].relaid)
		reader->next++;
	if (reader->next == reader->count || reader->result.bytes >= reader->budget)
		return false;
	object = &reader->objects[reader->next];
	part = &object->parts[object->part];
	length = part->length - object->done < CHUNK ? part->length - object->done : CHUNK;
	read_chunk(reader, object, part->offset + object->done, length);
	object->done += length;
	if (object->done == part->length) {
		object->done = 0;
		object->part++;
	}
	if (object->part == object->count)
		reader->next++;
	return true;
}

/* Whether this device has nothing to gain, judging by the program's libraries so far. */
static bool is_over(const struct reader *reader)
{
	return is_fast(reader) && reader->result.relaid == 0;
}

static void follow(struct reader *reader, int program, uint64_t deadline_us)
{
	struct timespec pause = {.tv_nsec = LOOK_US * 1000};
	struct pollfd gone = {.fd = program, .events = POLLIN};
	uint64_t idle_us = monotonic_us() + IDLE_US;

	for (;;) {
		uint64_t now_us = monotonic_us();

		if (reader_look(reader)) {
			idle_us = now_us + IDLE_US;
			pause.tv_nsec = LOOK_US * 1000;
		}
		if (is_over(reader) || now_us >= idle_us || now_us >= deadline_us || poll(&gone, 1, 0) > 0)
			return;
		if (read_on(reader))
			continue;
		if (reader->list->taken & OBJECT_LIST_CLOSED)
			return;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LOOK_MAX_US * 1000)
			pause.tv_nsec *= 2;
	}
}

static void tell(const struct object *object, whole_mode_told *told)
{
	for (size_t i = 0; i < object->part; i++)
		told(object->fd, object->parts[i].offset, object->parts[i].length);
	if (object->done > 0)
		told(object->fd, object->parts[object->part].offset, object->done);
}

int whole_mode_run(int list_fd, const struct whole_mode_options *options, whole_mode_told *told,
	struct whole_mode_result *ret)
{
	_cleanup_free_ struct reader *reader = calloc(1, sizeof(*reader));
	_cleanup_close_ int program = -1;
	struct stat st;
	void *list;

	if (!reader)
		return -ENOMEM;
	if (fstat(list_fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size != sizeof(struct object_list))
		return -EINVAL;
	list = mmap(NULL, sizeof(struct object_list), PROT_READ, MAP_SHARED, list_fd, 0);
	if (list == MAP_FAILED)
		return -errno;
	reader->list = list;
	reader->options = options;
	reader->budget = memory_budget("");
	if (options->memory_limit && options->memory_limit < reader->budget)
		reader->budget = options->memory_limit;
	for (int i = 0; i < IN_FLIGHT_ROTATIONAL; i++)
		reader->flights[i].fd = -1;
	program = (int)syscall(SYS_pidfd_open, (pid_t)reader->list->pid, 0);
	if (program >= 0 || errno == ENOSYS)
		follow(reader, program,
			options->time_budget_ms ? monotonic_us() + (uint64_t)options->time_budget_ms * 1000
						: UINT64_MAX);
	reader->result.fast = is_over(reader);
	*ret = reader->result;
	for (uint32_t i = 0; i < reader->count; i++) {
		if (told)
			tell(&reader->objects[i], told);
		close(reader->objects[i].fd);
	}
	munmap(list, sizeof(struct object_list));
	return 0;
}
