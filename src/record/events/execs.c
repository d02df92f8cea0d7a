/* SPDX-License-Identifier: MIT */
/* Each CPU's buffer is read raw, a sub-buffer at a time, as in tracer.c; an epoll descriptor waits for all of them. */
#include "record/events/execs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <tracefs.h>
#include <unistd.h>

#include <kbuffer.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "record/events/buffers.h"
#include "record/events/formats.h"

#define RECORDERS  "headstart-" /* the names of their instances begin so */
#define BUFFER_KIB "256"        /* of each CPU: some 2,000 execs */

/* Programs may be executed faster than we look at them; signals and what is learnt must get their turn. */
#define READS_AT_ONCE 16

struct execs {
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct tep_event *event;
	struct tep_format_field *filename, *pid;
	struct kbuffer *kbuffer;
	void *sub_buffer;
	size_t sub_buffer_size; /* bytes */
	struct buffers buffers;
	int epoll;
	uint64_t lost;
	struct exec_seen *read; /* owned, and their paths: not told yet */
	size_t n_read, read_capacity;
};

void execs_free(struct execs *execs)
{
	if (!execs)
		return;
	buffers_release(&execs->buffers);
	if (execs->epoll >= 0)
		close(execs->epoll);
	if (execs->instance) {
		tracefs_instance_destroy(execs->instance);
		tracefs_instance_free(execs->instance);
	}
	free(execs->sub_buffer);
	free(execs->read);
	if (execs->kbuffer)
		kbuffer_free(execs->kbuffer);
	if (execs->tep)
		tep_free(execs->tep);
	free(execs);
}

static void execs_freep(struct execs **execs)
{
	execs_free(*execs);
}

static int find_event(struct execs *execs, const char *root)
{
	static const struct format_name names[] = {{"sched", "sched_process_exec"}, {NULL, NULL}};
	int r = formats_read(root, names, &execs->tep);

	if (r < 0)
		return r;
	execs->event = tep_find_event_by_name(execs->tep, "sched", "sched_process_exec");
	if (!execs->event)
		return -ENOENT;
	execs->filename = tep_find_field(execs->event, "filename");
	execs->pid = tep_find_field(execs->event, "pid");
	return execs->filename && execs->pid ? 0 : -ENOENT;
}

static int write_option(const struct execs *execs, const char *file, const char *value)
{
	errno = 0;
	if (tracefs_instance_file_write(execs->instance, file, value) >= 0)
		return 0;
	return errno ? -errno : -EIO;
}

static int set_up_instance(struct execs *execs, const char *name)
{
	int r;

	execs->instance = tracefs_instance_create(name);
	if (!execs->instance)
		return errno ? -errno : -EIO;
	r = write_option(execs, "buffer_size_kb", BUFFER_KIB);
	if (r == 0)
		r = write_option(execs, "trace_clock", "mono");
	/* Readers wake at every event. Kernels before 5.0 have no such file, and do so anyway. */
	(void)write_option(execs, "buffer_percent", "0");
	return r;
}

static int open_buffers(struct execs *execs)
{
	int r = buffers_open(execs->instance, &execs->buffers);

	execs->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (execs->epoll < 0)
		return -errno;
	return r < 0 ? r : buffers_watch(&execs->buffers, execs->epoll);
}

int execs_open(int tracefs, const char *name, struct execs **ret)
{
	_cleanup_(execs_freep) struct execs *execs = calloc(1, sizeof(*execs));
	char root[64];
	int r;

	if (!execs)
		return -ENOMEM;
	execs->epoll = -1;
	snprintf(root, sizeof(root), "/proc/self/fd/%d", tracefs);
	r = find_event(execs, root);
	if (r == 0 && tracefs_set_tracing_dir(root) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = set_up_instance(execs, name);
	if (r == 0)
		r = open_buffers(execs);
	if (r < 0)
		return r;
	execs->sub_buffer_size = (size_t)tep_get_sub_buffer_size(execs->tep);
	execs->sub_buffer = malloc(execs->sub_buffer_size);
	execs->kbuffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	if (!execs->sub_buffer || !execs->kbuffer)
		return -ENOMEM;
	r = write_option(execs, "events/sched/sched_process_exec/enable", "1"); /* as tracer.c does */
	if (r < 0)
		return r;
	*ret = TAKE_PTR(execs);
	return 0;
}

int execs_fd(const struct execs *execs)
{
	return execs->epoll;
}

uint64_t execs_lost(const struct execs *execs)
{
	return execs->lost;
}

/* A __data_loc field holds the offset of the string in the event, and its length with its NUL. */
static void take_event(struct execs *execs, const void *data, unsigned size, uint64_t time)
{
	struct tep_record record = {.data = (void *)data, .size = (int)size, .ts = time};
	unsigned long long location = 0, pid = 0;
	unsigned offset, length;
	char *path;

	if (tep_data_type(execs->tep, &record) != execs->event->id ||
		tep_read_number_field(execs->filename, data, &location) < 0 ||
		tep_read_number_field(execs->pid, data, &pid) < 0)
		return;
	offset = location & 0xffff;
	length = (unsigned)(location >> 16 & 0xffff);
	if (offset > size || length > size - offset || !memchr((const char *)data + offset, 0, length))
		return;
	path = ARRAY_RESERVE(execs->read, execs->read_capacity, execs->n_read + 1) < 0
		? NULL
		: strdup((const char *)data + offset);
	if (path)
		execs->read[execs->n_read++] =
			(struct exec_seen){.time = time, .pid = (int32_t)pid, .path = path};
	else
		execs->lost++;
}

static int take_sub_buffer(struct execs *execs)
{
	unsigned long long time;
	void *data;

	if (kbuffer_load_subbuffer(execs->kbuffer, execs->sub_buffer) < 0)
		return -EIO;
	execs->lost += kbuffer_missed_events(execs->kbuffer) != 0;
	while ((data = kbuffer_read_event(execs->kbuffer, &time))) {
		take_event(execs, data, (unsigned)kbuffer_event_size(execs->kbuffer), time);
		kbuffer_next_event(execs->kbuffer, NULL);
	}
	return 0;
}

static int read_buffers(struct execs *execs)
{
	for (int cpu = 0; cpu < execs->buffers.n; cpu++) {
		for (int i = 0; i < READS_AT_ONCE && execs->buffers.cpus[cpu] >= 0 &&
			read(execs->buffers.cpus[cpu], execs->sub_buffer, execs->sub_buffer_size) > 0;
			i++) {
			int r = take_sub_buffer(execs);

			if (r == 0 && !execs->buffers.watched[cpu])
				r = buffers_watch(&execs->buffers, execs->epoll);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int first_comes_first(const void *a, const void *b)
{
	const struct exec_seen *one = a, *other = b;

	return one->time < other->time ? -1 : one->time > other->time;
}

int execs_read(struct execs *execs, exec_seen_fn *seen, void *context)
{
	int r = read_buffers(execs);

	if (execs->n_read > 0)
		qsort(execs->read, execs->n_read, sizeof(*execs->read), first_comes_first);
	for (size_t i = 0; i < execs->n_read; i++) {
		seen(context, &execs->read[i]);
		free((char *)execs->read[i].path);
	}
	execs->n_read = 0;
	return r;
}

int execs_lock(int tracefs)
{
	_cleanup_close_ int fd = openat(tracefs, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return flock(fd, LOCK_EX) < 0 ? -errno : TAKE_FD(fd);
}

void execs_sweep(int tracefs, const char *prefix)
{
	_cleanup_closedir_ DIR *instances = NULL;
	struct dirent *entry;

	if (opendir_at(tracefs, "instances", &instances) < 0)
		return;
	while ((entry = readdir(instances)))
		if (after_prefix(entry->d_name, prefix))
			unlinkat(dirfd(instances), entry->d_name, AT_REMOVEDIR);
}

/*
 * Removes the instance of a recorder that was killed, as no process has it open. A recorder makes its own while it has a lock: with a
 * number that of all recordings (restore.c), otherwise that of the instances (execs_lock()).
 */
static bool was_left_behind(int tracefs, int instances, const char *name)
{
	bool numbered = isdigit((unsigned char)*after_prefix(name, RECORDERS)), removed;
	int locked = numbered ? tracefs : instances;

	if (flock(locked, LOCK_EX | LOCK_NB) < 0)
		return false;
	removed = unlinkat(instances, name, AT_REMOVEDIR) == 0;
	flock(locked, LOCK_UN);
	return removed;
}

bool execs_recorder_runs(int tracefs)
{
	_cleanup_closedir_ DIR *instances = NULL;
	struct dirent *entry;

	if (opendir_at(tracefs, "instances", &instances) < 0)
		return false;
	while ((entry = readdir(instances)))
		if (after_prefix(entry->d_name, RECORDERS) &&
			!was_left_behind(tracefs, dirfd(instances), entry->d_name))
			return true;
	return false;
}
