/* SPDX-License-Identifier: MIT */
/* Takes over the objects that the loader has mapped: learns what their disk is like, and chooses which parts to read. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "base/paths/stranger.h"
#include "device/device.h"
#include "format/on-this-machine.h"
#include "format/resident.h"
#include "prefetch/whole-mode/hot-extent.h"
#include "prefetch/whole-mode/reader.h"
#include "prefetch/whole-mode/worth.h"

/* Bytes: smaller objects are read whole on a rotational disk, because looking at their headers first costs a seek. */
#define LARGE (16u << 20)

/* Of a hard disk that was not measured: bench/slowdisk has the model. */
static const struct device_model hard_disk = {
	.latency_us = 100, .seek_us = 7600, .bytes_per_ms = 60000, .depth = 1};

#define HEADER_READ 16384 /* bytes that reading an ELF header brings into the page cache */

void reader_become_rotational(struct reader *reader, const struct device_model *model)
{
	for (uint32_t i = reader->in_flight; i < IN_FLIGHT_ROTATIONAL; i++)
		reader->flights[i].fd = -1;
	reader->rotational = true;
	reader->in_flight = IN_FLIGHT_ROTATIONAL;
	reader->least = worth_least(model ? model : &hard_disk, true);
}

static bool is_fast(const struct device_model *model)
{
	return model->latency_us + (uint64_t)CHUNK * 1000 / model->bytes_per_ms < FAST_US;
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
		reader_become_rotational(reader, reader->measured ? &device.model : NULL);
	} else if (reader->measured) {
		reader->least = worth_least(&device.model, false);
		reader->in_flight = reader->least <= LEAST_UNKNOWN ? IN_FLIGHT_SOLID : 1;
		if (is_fast(&device.model))
			reader->fast_chunks = FAST_CHUNKS;
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

bool reader_is_resident(int fd, uint64_t offset)
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
	return reader_is_resident(fd, largest->offset + largest->length / 2);
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
 * If the end and the middle of the hot extent are resident, somebody has read this relaid object before. Of only one of
 * them, the loader's fault in the dynamic section has brought what lies beside that.
 */
static bool is_hot_extent_warm(int fd, const struct object_part *extent)
{
	return reader_is_resident(fd, extent->offset + extent->length - 1) &&
		reader_is_resident(fd, extent->offset + extent->length / 2);
}

static bool choose_hot_extent(int fd, uint64_t size, bool cold, struct object *object)
{
	object->relaid = hot_extent(fd, size, &object->parts[0]);
	object->count = object->relaid && (cold || !is_hot_extent_warm(fd, &object->parts[0]));
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

/* Neither of /proc or /sys, where reading has effects, nor of a server. */
static bool is_on_this_machine(int fd)
{
	struct statx status;

	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0 &&
		on_this_machine(status.stx_dev_major, status.stx_attributes_mask);
}

/*
 * The path is the loader's own name of the object, which may lead over links, such as /lib. But the list is memory of the program, which may
 * have given up root's rights since, and been taken over.
 */
static int open_object(const char *path)
{
	bool of_root = geteuid() == 0;
	_cleanup_close_ int fd = -1;
	struct stranger stranger;

	if (of_root && stranger_find_unasked(path, &stranger) < 0)
		return -EPERM;
	fd = open_regular(path, 0);
	if (of_root && fd >= 0 && !is_on_this_machine(fd))
		return -EPERM;
	return TAKE_FD(fd);
}

/* Takes one object over, unless it is warm or not a regular file. */
static void take_object(struct reader *reader, const char *path, enum object_state state)
{
	_cleanup_close_ int fd = open_object(path);
	struct object *object = &reader->objects[reader->count];
	struct stat st;
	bool here, cold;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return;
	if (reader->result.seen++ == 0)
		reader->result.device = st.st_dev;
	*object = (struct object){.fd = -1};
	here = reader_is_resident(fd, 0);
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

bool reader_look(struct reader *reader)
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
