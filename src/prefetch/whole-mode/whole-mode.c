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
 * processor time from the program. Once the first chunks have shown that a device is this fast, no more whole files are
 * read.
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
#include "base/open.h"
#include "base/residency.h"
#include "base/times.h"
#include "device/device.h"
#include "format/object-list.h"
#include "format/resident.h"
#include "prefetch/limits/budget.h"
#include "prefetch/whole-mode/hot-extent.h"
#include "prefetch/whole-mode/object-parts.h"
#include "prefetch/whole-mode/worth.h"

/* Bytes: the kernel silently cuts off a longer request, at read_ahead_kb. */
#define CHUNK (128u << 10)

/*
 * Chunks. Rotational: all of them go out before the program's next read. Solid: the device is never idle, and a read of
 * the program waits for two chunks at most.
 */
#define IN_FLIGHT_ROTATIONAL 256
#define IN_FLIGHT_SOLID      2

/*
 * A device is fast if each of its first FAST_CHUNKS cold chunks takes less than FAST_US. By its model, the quickest
 * device that whole mode was seen to help (cloud) takes 1800 microseconds for a chunk.
 */
#define FAST_CHUNKS 4
#define FAST_US     400
#define SLOW        UINT32_MAX

/*
 * A device is heavy if two of its first cold chunks take longer than HEAVY_US: a head that moves, or a card of 16 MB/s.
 * For others that were not measured LEAST_UNKNOWN is what worth_least() says of a cloud volume, for a card LEAST_HEAVY.
 */
#define HEAVY_US      6000
#define HEAVY_CHUNKS  2
#define LEAST_UNKNOWN 50
#define LEAST_HEAVY   91

/* Bytes: smaller objects are read whole on a rotational disk, because looking at their headers first costs a seek. */
#define LARGE (16u << 20)

/* Of a hard disk that was not measured: bench/slowdisk has the model. */
static const struct device_model hard_disk = {
	.latency_us = 100, .seek_us = 7600, .bytes_per_ms = 60000, .depth = 1};

#define HEADER_READ 16384    /* bytes that reading an ELF header brings into the page cache */
#define LOOK_US     1000     /* microseconds between looks at the list: a cold object takes longer to map */
#define IDLE_US     10000000 /* microseconds without a new object: the start is over */

#define PARTS_MAX (OBJECT_PARTS_MAX + 16)

struct object {
	int fd;
	bool relaid; /* the one part is its hot extent */
	struct object_part parts[PARTS_MAX];
	size_t count, part;
	uint64_t done; /* bytes of parts[part] */
};

/* The last byte of a chunk that is under way. */
struct flight {
	int fd; /* -1: none */
	off_t offset;
};

struct reader {
	const struct object_list *list;
	struct object objects[OBJECT_LIST_MAX]; /* in the order of mapping */
	uint32_t count, next; /* objects taken over; the first with something left to read */
	uint32_t looked;      /* entries of the list looked at */
	struct flight flights[IN_FLIGHT_ROTATIONAL];
	uint32_t in_flight, flight; /* of them in use; the oldest */
	bool device_known, rotational;
	bool measured, guessed; /* its model is known; that it rotates is only what a hypervisor says */
	unsigned least;         /* per cent: pieces that are needed with a smaller probability are not read */
	unsigned heavy_chunks;
	bool relaid;          /* some object of this start is relaid */
	uint32_t fast_chunks; /* how many of the first cold chunks were fast; SLOW: not all */
	uint64_t budget;      /* bytes */
	const struct whole_mode_options *options;
	struct whole_mode_result result;
};

static void become_rotational(struct reader *reader, const struct device_model *model)
{
	for (uint32_t i = reader->in_flight; i < IN_FLIGHT_ROTATIONAL; i++)
		reader->flights[i].fd = -1;
	reader->rotational = true;
	reader->in_flight = IN_FLIGHT_ROTATIONAL;
	reader->least = worth_least(model, true);
}

/*
 * What a disk was measured to be lies in a file, for which a head would have to move. So a disk that says that it rotates
 * is believed, unless it is virtual.
 */
static void learn_device(struct reader *reader, int fd)
{
	const struct whole_mode_options *options = reader->options;
	struct device device = {0};

	reader->in_flight = IN_FLIGHT_SOLID;
	reader->least = LEAST_UNKNOWN;
	if (device_of_by_rules(fd, options->rules, options->n_rules, &device) < 0)
		return;
	if (options->measured && (device.class != DEVICE_ROTATIONAL || device_is_guessed(&device)))
		options->measured(&device);
	reader->measured = device.measured && device.model.bytes_per_ms > 0;
	reader->guessed = device_is_guessed(&device);
	if (device.class == DEVICE_ROTATIONAL && !reader->guessed) {
		become_rotational(reader, reader->measured ? &device.model : &hard_disk);
	} else if (reader->measured) {
		reader->least = worth_least(&device.model, false);
		reader->in_flight = reader->least <= LEAST_UNKNOWN ? IN_FLIGHT_SOLID : 1;
	}
}

/* A start is taken to have one device: that of the first object. */
static bool is_rotational(struct reader *reader, int fd)
{
	if (!reader->device_known) {
		reader->device_known = true;
		learn_device(reader, fd);
	}
	return reader->rotational;
}

static bool is_resident(int fd, uint64_t offset)
{
	return residency_of_page(fd, offset, RESIDENT_US) == 1;
}

/*
 * Whether the middle of the largest part has been read before. That must lie beyond what reading the headers brings in.
 */
static bool is_warm(int fd, const struct object *object)
{
	const struct object_part *largest = &object->parts[0];

	for (size_t i = 1; i < object->count; i++)
		if (object->parts[i].length > largest->length)
			largest = &object->parts[i];
	if (object->count == 0 || largest->offset + largest->length / 2 < HEADER_READ)
		return false;
	return is_resident(fd, largest->offset + largest->length / 2);
}

/*
 * Whether the object before this one, which the loader has mapped by now, is relaid. Its header could not be read
 * earlier without waiting: see may_look().
 */
static bool was_relaid(const struct reader *reader)
{
	const struct object *before = &reader->objects[reader->count - 1];
	struct object_part extent;

	return hot_extent(before->fd, before->parts[before->count - 1].length, &extent);
}

/*
 * Whether to look for a note before anything is read. On a rotational disk, waiting for the header of an ordinary
 * object lets the loader's first fault in before the rest is queued, which costs two seeks for each object: LibreOffice
 * took 0.70 of its time without us instead of 0.63. So there a header is waited for only once this start has shown a
 * relaid object. The first object never waits: it is in the list because the loader has mapped it.
 */
static bool may_look(struct reader *reader, int fd, bool header_resident)
{
	if (!is_rotational(reader, fd) || header_resident)
		return true;
	reader->relaid = reader->relaid || (reader->count > 0 && was_relaid(reader));
	return reader->relaid;
}

/*
 * If the end of the hot extent is resident, somebody has read this relaid object before: the loader's own first faults
 * are at the other end.
 */
static bool choose_hot_extent(int fd, uint64_t size, bool cold, struct object *object)
{
	const struct object_part *extent = &object->parts[0];

	object->relaid = hot_extent(fd, size, &object->parts[0]);
	object->count = object->relaid && (cold || !is_resident(fd, extent->offset + extent->length - 1));
	return object->relaid;
}

/* Chooses the parts of an ordinary object to read: none if it is warm. */
static void choose_parts(const struct reader *reader, int fd, uint64_t size, bool cold, struct object *object)
{
	/* On a rotational disk, reading a cold file's dynamic section first would only cost a seek. */
	if (!cold || !reader->rotational)
		object->count = object_parts(fd, size, object->parts);
	if (!cold && is_warm(fd, object)) {
		object->count = 0;
		return;
	}
	if (reader->rotational)
		object->count =
			size < LARGE ? 0 : worth_pass(fd, size, reader->least, object->parts, PARTS_MAX);
	else
		object->count += worth_parts(
			fd, size, reader->least, object->parts + object->count, PARTS_MAX - object->count);
	if (object->count == 0) /* small, or we do not understand it */
		object->parts[object->count++] = (struct object_part){.offset = 0, .length = size};
}

/* Takes one object over, unless it is warm or not a regular file. */
static void take_object(struct reader *reader, const char *path, enum object_state state)
{
	/* The path is the loader's own name of the object, which may lead over links, such as /lib. */
	_cleanup_close_ int fd = open_regular(path, 0);
	struct object *object = &reader->objects[reader->count];
	struct stat st;
	bool here, cold;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return;
	reader->result.seen++;
	*object = (struct object){.fd = -1};
	here = is_resident(fd, 0);
	cold = state == OBJECT_COLD || !here;
	if (!may_look(reader, fd, here) || !choose_hot_extent(fd, (uint64_t)st.st_size, cold, object))
		choose_parts(reader, fd, (uint64_t)st.st_size, cold, object);
	reader->relaid = reader->relaid || object->relaid;
	if (object->count == 0)
		return;
	object->fd = TAKE_FD(fd);
	reader->count++;
	reader->result.read++;
	reader->result.relaid += object->relaid;
}

/* Takes over new entries of the list. Returns whether there were any. */
static bool look(struct reader *reader)
{
	char path[OBJECT_PATH_SIZE];
	enum object_state state;
	uint32_t before = reader->looked;

	while ((state = object_list_get(reader->list, reader->looked, path)) != OBJECT_NONE) {
		reader->looked++;
		take_object(reader, path, state);
	}
	return reader->looked != before;
}

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
		length == CHUNK && !is_resident(object->fd, offset);
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
		become_rotational(reader, &hard_disk);
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
	const struct timespec pause = {.tv_nsec = LOOK_US * 1000};
	struct pollfd gone = {.fd = program, .events = POLLIN};
	uint64_t idle_us = monotonic_us() + IDLE_US;

	for (;;) {
		uint64_t now_us = monotonic_us();

		if (look(reader))
			idle_us = now_us + IDLE_US;
		if (is_over(reader) || now_us >= idle_us || now_us >= deadline_us || poll(&gone, 1, 0) > 0)
			return;
		if (read_on(reader))
			continue;
		if (reader->list->taken & OBJECT_LIST_CLOSED)
			return;
		nanosleep(&pause, NULL);
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
	*ret = reader->result;
	for (uint32_t i = 0; i < reader->count; i++) {
		if (told)
			tell(&reader->objects[i], told);
		close(reader->objects[i].fd);
	}
	munmap(list, sizeof(struct object_list));
	return 0;
}
