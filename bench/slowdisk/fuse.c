/* SPDX-License-Identifier: MIT */
/*
 * FUSE glue: requests to the model, answers at the model's times.
 *
 * One thread takes requests from the kernel and never blocks on them: it asks the model when a read is complete and
 * queues it for the thread that answers. A thread for each request would give as much concurrency, but such threads
 * overtake each other between the kernel and the model, and a disk that gets two neighbouring reads in the wrong order
 * seeks twice.
 */
#define FUSE_USE_VERSION 312
#include "fuse.h"

#include <errno.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "completion.h"
#include "sectors.h"
#include "transport.h"

#define DISK_INODE      2
#define DISK_NAME       "disk.img"
#define XATTR_COUNTERS  "user.slowdisk.counters"
#define XATTR_RESET     "user.slowdisk.reset"
#define XATTR_DELAY     "user.slowdisk.delay"
#define MAX_TRANSFER    (1024 * 1024) /* bytes of one request */
#define MAX_BACKGROUND  512           /* asynchronous requests: the block layer sends 128 */
#define FOREVER_SECONDS 1e9

/* Unless a comment says otherwise, only the thread that takes requests uses a field; no field needs a lock. */
struct slowdisk {
	struct disk disk;
	struct store *store;
	struct sector_set seen; /* read since the counters were reset, and not written since */
	struct completion_queue queue;
	const char *mountpoint;
	FILE *log; /* only the answering thread uses it; or NULL */
	void (*ready)(void);
	_Atomic uint64_t transport_ns; /* set by prepare(): answers leave this much early, to arrive when they
					  are due */
	bool delay;
	struct {
		uint64_t reads, delayed, noncontiguous, bytes_read, bytes_reread, writes, bytes_written;
	} counters;
};

/* A read that has been accepted. */
struct pending_read {
	struct completion completion;
	fuse_req_t req;
	const uint8_t *data;
	uint64_t offset;
	size_t size; /* bytes */
	uint64_t came_ns, complete_ns;
};

static struct slowdisk *slowdisk_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static void answer_read(struct pending_read *read)
{
	fuse_reply_buf(read->req, (const char *)read->data, read->size);
	free(read);
}

static void answer_completed(struct completion *completion, void *data)
{
	struct pending_read *read = (struct pending_read *)completion;
	const struct slowdisk *slowdisk = data;

	if (slowdisk->log)
		fprintf(slowdisk->log, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu\n", read->came_ns,
			read->complete_ns, completion_now_ns(), read->offset, read->size);
	answer_read(read);
}

static struct stat attributes_of(const struct slowdisk *slowdisk, fuse_ino_t ino)
{
	if (ino == FUSE_ROOT_ID)
		return (struct stat){.st_ino = ino, .st_mode = S_IFDIR | 0700, .st_nlink = 2};
	return (struct stat){
		.st_ino = ino,
		.st_mode = S_IFREG | 0600,
		.st_nlink = 1,
		.st_size = (off_t)slowdisk->store->size,
		.st_blocks = (blkcnt_t)(slowdisk->store->size / 512),
	};
}

static void on_init(void *userdata, struct fuse_conn_info *conn)
{
	conn->max_write = MAX_TRANSFER; /* libfuse derives the size of requests from it, also of reads */
	conn->max_background = MAX_BACKGROUND;
	conn->congestion_threshold = MAX_BACKGROUND;
	if (conn->capable & FUSE_CAP_ASYNC_DIO)
		conn->want |= FUSE_CAP_ASYNC_DIO;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {
		.ino = DISK_INODE,
		.attr_timeout = FOREVER_SECONDS,
		.entry_timeout = FOREVER_SECONDS,
	};

	if (parent != FUSE_ROOT_ID || strcmp(name, DISK_NAME) != 0) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.attr = attributes_of(slowdisk_of(req), DISK_INODE);
	fuse_reply_entry(req, &entry);
}

static void on_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st = attributes_of(slowdisk_of(req), ino);

	fuse_reply_attr(req, &st, FOREVER_SECONDS);
}

static void on_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct stat st = attributes_of(slowdisk_of(req), DISK_INODE);
	char entry[256];
	size_t n;

	if (ino != FUSE_ROOT_ID) {
		fuse_reply_err(req, ENOTDIR);
		return;
	}
	n = fuse_add_direntry(req, entry, sizeof(entry), DISK_NAME, &st, 1);
	fuse_reply_buf(req, entry, off == 0 && n <= size ? n : 0);
}

static void on_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	fi->direct_io = 1;
	fuse_reply_open(req, fi);
}

static void on_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct slowdisk *slowdisk = slowdisk_of(req);
	uint64_t offset = (uint64_t)off;
	struct pending_read *read;

	if (offset >= slowdisk->store->size) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	if (size > slowdisk->store->size - offset)
		size = slowdisk->store->size - offset;
	slowdisk->counters.reads++;
	slowdisk->counters.bytes_read += size;
	slowdisk->counters.bytes_reread += sector_set_add(&slowdisk->seen, offset, size);
	slowdisk->counters.noncontiguous += !disk_is_contiguous(&slowdisk->disk, offset);

	read = malloc(sizeof(*read));
	if (!read) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	*read = (struct pending_read){
		.req = req, .data = slowdisk->store->data + offset, .offset = offset, .size = size};
	if (slowdisk->delay) {
		slowdisk->counters.delayed++;
		read->came_ns = completion_now_ns();
		read->complete_ns = disk_read(&slowdisk->disk, read->came_ns, offset, size);
		read->completion.due_ns = read->complete_ns - slowdisk->transport_ns;
		completion_queue_add(&slowdisk->queue, &read->completion);
	} else {
		disk_move(&slowdisk->disk, offset + size);
		answer_read(read);
	}
}

static void on_write(
	fuse_req_t req, fuse_ino_t ino, const char *data, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct slowdisk *slowdisk = slowdisk_of(req);
	uint64_t offset = (uint64_t)off;

	if (offset > slowdisk->store->size || size > slowdisk->store->size - offset) {
		fuse_reply_err(req, ENOSPC);
		return;
	}
	memcpy(slowdisk->store->data + offset, data, size);
	sector_set_remove(&slowdisk->seen, offset, size);
	slowdisk->counters.writes++;
	slowdisk->counters.bytes_written += size;
	fuse_reply_write(req, size);
}

static void on_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	fuse_reply_err(req, 0);
}

static void on_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	const struct slowdisk *slowdisk = slowdisk_of(req);
	char text[320];
	size_t n;

	if (ino != DISK_INODE || strcmp(name, XATTR_COUNTERS) != 0) {
		fuse_reply_err(req, ENODATA);
		return;
	}
	n = (size_t)snprintf(text, sizeof(text),
		"{\"reads\": %" PRIu64 ", \"delayed\": %" PRIu64 ", \"noncontiguous\": %" PRIu64
		", \"bytes_read\": %" PRIu64 ", \"bytes_reread\": %" PRIu64 ", \"writes\": %" PRIu64
		", \"bytes_written\": %" PRIu64 "}",
		slowdisk->counters.reads, slowdisk->counters.delayed, slowdisk->counters.noncontiguous,
		slowdisk->counters.bytes_read, slowdisk->counters.bytes_reread, slowdisk->counters.writes,
		slowdisk->counters.bytes_written);
	if (size == 0)
		fuse_reply_xattr(req, n);
	else if (size < n)
		fuse_reply_err(req, ERANGE);
	else
		fuse_reply_buf(req, text, n);
}

static void reset_counters(struct slowdisk *slowdisk)
{
	memset(&slowdisk->counters, 0, sizeof(slowdisk->counters));
	sector_set_clear(&slowdisk->seen);
	disk_forget(&slowdisk->disk);
}

static void on_setxattr(
	fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size, int flags)
{
	struct slowdisk *slowdisk = slowdisk_of(req);
	bool is_switch = size == 1 && (value[0] == '0' || value[0] == '1');
	int error = 0;

	if (ino == DISK_INODE && strcmp(name, XATTR_RESET) == 0)
		reset_counters(slowdisk);
	else if (ino == DISK_INODE && strcmp(name, XATTR_DELAY) == 0 && is_switch)
		slowdisk->delay = value[0] == '1';
	else
		error = EINVAL;
	fuse_reply_err(req, error);
}

static const struct fuse_lowlevel_ops operations = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.readdir = on_readdir,
	.open = on_open,
	.read = on_read,
	.write = on_write,
	.fsync = on_fsync,
	.getxattr = on_getxattr,
	.setxattr = on_setxattr,
};

/* Gives this process real-time priority: a device does not wait for a CPU. */
static void run_ahead(void)
{
	struct sched_param priority = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &priority);
}

/* Runs beside the serving thread: measures the way to the file from outside, then switches the delay on. */
static void *prepare(void *arg)
{
	struct slowdisk *slowdisk = arg;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" DISK_NAME, slowdisk->mountpoint) >= (int)sizeof(path))
		return NULL;
	slowdisk->transport_ns = transport_measure_ns(path);
	if (setxattr(path, XATTR_RESET, "1", 1, 0) == 0 && setxattr(path, XATTR_DELAY, "1", 1, 0) == 0)
		slowdisk->ready();
	return NULL;
}

/* Returns when a signal or an unmount has ended the session: 0 or negative errno. */
static int serve_mounted(struct slowdisk *slowdisk, struct fuse_session *session)
{
	pthread_t preparation;
	int r;

	r = -pthread_create(&preparation, NULL, prepare, slowdisk);
	if (r < 0) {
		fuse_session_unmount(session);
		return r;
	}
	run_ahead();
	r = completion_queue_start(&slowdisk->queue, answer_completed, slowdisk);
	if (r == 0) {
		r = fuse_session_loop(session);
		completion_queue_stop(&slowdisk->queue);
	}
	fuse_session_unmount(session); /* releases a preparation that waits for an answer */
	pthread_join(preparation, NULL);
	return r < 0 ? r : 0; /* a positive result is the signal that ended it */
}

/* Mounts and serves. Returns 0 or negative errno. */
static int serve(struct slowdisk *slowdisk)
{
	char *argv[] = {(char *)"slowdisk", (char *)"-ofsname=slowdisk,subtype=slowdisk,default_permissions"};
	struct fuse_args args = FUSE_ARGS_INIT(2, argv);
	struct fuse_session *session;
	int r = -EIO;

	session = fuse_session_new(&args, &operations, sizeof(operations), slowdisk);
	fuse_opt_free_args(&args);
	if (!session)
		return -EIO;
	if (fuse_set_signal_handlers(session) == 0) {
		if (fuse_session_mount(session, slowdisk->mountpoint) == 0)
			r = serve_mounted(slowdisk, session);
		fuse_remove_signal_handlers(session);
	}
	fuse_session_destroy(session);
	return r;
}

int slowdisk_serve(const struct model *model, struct store *store, uint64_t seed, const char *mountpoint,
	FILE *log, void (*ready)(void))
{
	struct slowdisk slowdisk = {.store = store, .mountpoint = mountpoint, .log = log, .ready = ready};
	int r;

	r = disk_init(&slowdisk.disk, model, store->size, seed);
	if (r == 0)
		r = sector_set_init(&slowdisk.seen, store->size);
	if (r == 0) {
		r = serve(&slowdisk);
		sector_set_release(&slowdisk.seen);
	}
	disk_release(&slowdisk.disk);
	return r;
}
