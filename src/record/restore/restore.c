/* SPDX-License-Identifier: MIT */
/* Switches read-ahead off and on again, and runs the guard. */
#include "record/restore/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "record/events/tracer.h"
#include "record/restore/kernelfs.h"
#include "record/restore/left-note.h"

#define INSTANCE "headstart-" /* followed by the process number of the recorder */

#define REMOVE_TRIES    1000
#define REMOVE_PAUSE_NS 10000000 /* 10 s in all */
#define LOCK_TRIES      200      /* 2 s in all: on a busy machine that moment is long */
#define LOCK_PAUSE_NS   10000000

/*
 * We hold the lock, so there is no other recorder: an instance that exists was left by a recorder that was killed
 * together with its guard. It must go, because process numbers repeat, soon in a PID namespace, and its old events
 * would be taken for ours.
 */
static void remove_left_behind(const struct restore *restore)
{
	_cleanup_closedir_ DIR *instances = NULL;
	struct dirent *entry;

	if (opendir_at(restore->tracefs, "instances", &instances) < 0)
		return;
	while ((entry = readdir(instances)))
		if (after_prefix(entry->d_name, INSTANCE))
			unlinkat(dirfd(instances), entry->d_name, AT_REMOVEDIR);
}

static int read_text(int folder, const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -errno : read_full(fd, text, size - 1);

	if (n < 0)
		return (int)n;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

static int get_read_ahead(int sysfs, const char *bdi, unsigned *ret_kib)
{
	char path[128], text[16];
	int r;

	snprintf(path, sizeof(path), "class/bdi/%s/read_ahead_kb", bdi);
	r = read_text(sysfs, path, text, sizeof(text));
	if (r < 0)
		return r;
	*ret_kib = (unsigned)strtoul(text, NULL, 10);
	return 0;
}

static int set_read_ahead(int sysfs, const char *bdi, unsigned kib)
{
	char path[128], text[16];
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "class/bdi/%s/read_ahead_kb", bdi);
	fd = openat(sysfs, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write_full(fd, text, (size_t)snprintf(text, sizeof(text), "%u", kib));
}

/* "8:0" for 8:1: read-ahead belongs to the disk, not the partition. */
static void disk_of(int sysfs, const char *device, char *ret, size_t size)
{
	char path[64], disk[32];

	snprintf(ret, size, "%s", device);
	snprintf(path, sizeof(path), "dev/block/%s/partition", device);
	if (faccessat(sysfs, path, F_OK, 0) < 0)
		return;
	snprintf(path, sizeof(path), "dev/block/%s/../dev", device);
	if (read_text(sysfs, path, disk, sizeof(disk)) == 0)
		snprintf(ret, size, "%s", disk);
}

static bool begins_with(const char *bdi, const char *name)
{
	const char *rest = after_prefix(bdi, name);

	return rest && (*rest == 0 || *rest == '-');
}

/* Block devices are named "8:0"; file systems with a bdi of their own "btrfs-1", "0:51-fuse", or, on a partition, "8:1-fuseblk". */
static bool bdi_serves(int sysfs, const char *bdi, const struct mount *mount)
{
	char own[32], disk[32];

	if (streq(mount->type, "overlay"))
		return true;
	snprintf(own, sizeof(own), "%u:%u", mount->device >> 20, mount->device & 0xfffff);
	disk_of(sysfs, own, disk, sizeof(disk));
	return begins_with(bdi, own) || begins_with(bdi, disk) || begins_with(bdi, mount->type);
}

static int choose_device(struct restore *restore, const char *bdi)
{
	unsigned kib;
	int r = strlen(bdi) < sizeof(restore->devices->bdi) ? get_read_ahead(restore->sysfs, bdi, &kib)
							    : -ENAMETOOLONG;

	if (r < 0)
		return r;
	if (!kib)
		return 0;
	r = ARRAY_RESERVE(restore->devices, restore->devices_capacity, restore->n_devices + 1);
	if (r < 0)
		return r;
	restore->devices[restore->n_devices].kib = kib;
	strcpy(restore->devices[restore->n_devices++].bdi, bdi);
	return 0;
}

int restore_choose_devices(struct restore *restore, const struct mounts *mounts)
{
	_cleanup_closedir_ DIR *folder = NULL;
	struct dirent *entry;

	if (restore->sysfs < 0 || opendir_at(restore->sysfs, "class/bdi", &folder) < 0) {
		restore->read_ahead_on = true;
		return 0;
	}
	while ((entry = readdir(folder))) {
		bool chosen = false;

		for (size_t i = 0; i < mounts->count && entry->d_name[0] != '.'; i++)
			chosen |= bdi_serves(restore->sysfs, entry->d_name, &mounts->items[i]);
		if (chosen) {
			int r = choose_device(restore, entry->d_name);

			if (r == -ENOMEM)
				return r;
			restore->read_ahead_on |= r < 0;
		}
	}
	return 0;
}

/* Retries, because removal fails for a moment while a dying recorder still holds buffers of the instance open. */
static int remove_instance(const struct restore *restore, const char *suffix)
{
	const struct timespec pause = {.tv_nsec = REMOVE_PAUSE_NS};
	char path[128];

	snprintf(path, sizeof(path), "instances/%s%s", restore->instance, suffix);
	for (int tries = 0; tries < REMOVE_TRIES; tries++) {
		if (unlinkat(restore->tracefs, path, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return -errno;
}

/* Leaves a device alone that has gone, or that somebody else has set to another value meanwhile. */
static int put_read_ahead_back(const struct restore *restore)
{
	int result = 0;

	for (size_t i = 0; i < restore->n_devices; i++) {
		const struct read_ahead *device = &restore->devices[i];
		unsigned kib;
		int r = get_read_ahead(restore->sysfs, device->bdi, &kib);

		if (r == 0 && kib == 0)
			r = set_read_ahead(restore->sysfs, device->bdi, device->kib);
		if (r < 0 && r != -ENOENT)
			result = r;
	}
	if (result == 0)
		left_note_remove();
	return result;
}

static int put_back(const struct restore *restore)
{
	int result = put_read_ahead_back(restore);

	result = remove_instance(restore, TRACER_DISKS) ?: result;
	return remove_instance(restore, "") ?: result;
}

/* A note that is there although nobody records was left like the tracing instances. */
static void put_left_behind_back(const struct restore *restore)
{
	struct restore left = {.sysfs = restore->sysfs};

	if (left.sysfs < 0 || left_note_read(&left.devices, &left.n_devices) < 0)
		return;
	put_read_ahead_back(&left);
	free(left.devices);
}

/* The daemon has the lock for a moment, too, when it removes what a killed recorder has left (execs_recorder_runs()). */
static int lock_for_recording(int tracefs)
{
	for (unsigned tries = 0; flock(tracefs, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES)
			return errno == EWOULDBLOCK ? -EBUSY : -errno;
		nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
	}
	return 0;
}

int restore_init(struct restore *restore)
{
	int r;

	restore->tracefs = kernelfs_open_tracefs();
	if (restore->tracefs < 0)
		return restore->tracefs;
	r = lock_for_recording(restore->tracefs);
	if (r < 0)
		return r;
	restore->sysfs = kernelfs_open_sysfs();
	snprintf(restore->instance, sizeof(restore->instance), INSTANCE "%d", getpid());
	remove_left_behind(restore);
	put_left_behind_back(restore);
	return 0;
}

/* Closes every descriptor but these; -1 is ignored. */
static void keep_only(const int *kept, size_t n)
{
	for (unsigned from = 0;;) {
		unsigned next = ~0u;

		for (size_t i = 0; i < n; i++)
			if (kept[i] >= 0 && (unsigned)kept[i] >= from && (unsigned)kept[i] < next)
				next = (unsigned)kept[i];
		if (next > from)
			close_range(from, next == ~0u ? next : next - 1, 0);
		if (next == ~0u)
			return;
		from = next + 1;
	}
}

/*
 * Waits until the other end is closed, for whatever reason, restores everything, and sends the result in case the
 * recorder still listens.
 */
static _Noreturn void guard_main(const struct restore *restore, int socket)
{
	const int kept[] = {restore->tracefs, restore->sysfs, restore->note, socket};
	int result;
	char byte;

	setsid();
	prctl(PR_SET_NAME, "headstart-guard");
	keep_only(kept, sizeof(kept) / sizeof(*kept));
	while (read(socket, &byte, 1) < 0 && errno == EINTR)
		;
	result = put_back(restore);
	write_full(socket, &result, sizeof(result));
	_exit(0);
}

/*
 * The guard sends us no signal when it ends, and wait(2) ignores it without __WALL: code that waits for the command's
 * processes does not see it. Signals are blocked in it from its first moment on. This is clone(2), because clone3(2) does not work in
 * services with RestrictNamespaces=.
 */
static pid_t fork_guard(const struct restore *restore, const int sockets[2])
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = (pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		close(sockets[0]);
		guard_main(restore, sockets[1]);
	}
	if (pid < 0)
		pid = -errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int start_guard(struct restore *restore)
{
	int sockets[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return -errno;
	pid = fork_guard(restore, sockets);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return pid;
	}
	restore->guard = sockets[0];
	restore->guard_pid = pid;
	return 0;
}

/* Without a note, as where /run is missing, the recording works all the same. */
int restore_begin(struct restore *restore)
{
	int r;

	if (restore->n_devices > 0)
		restore->note = left_note_write(restore->devices, restore->n_devices);
	r = start_guard(restore);
	if (r < 0) {
		left_note_remove();
		return r;
	}
	for (size_t i = 0; i < restore->n_devices; i++)
		restore->read_ahead_on |= set_read_ahead(restore->sysfs, restore->devices[i].bdi, 0) != 0;
	return 0;
}

int restore_end(struct restore *restore)
{
	_cleanup_close_ int guard = TAKE_FD(restore->guard);
	bool answered;
	int result;

	if (guard < 0)
		return 0;
	shutdown(guard, SHUT_WR);
	answered = read_full(guard, &result, sizeof(result)) == sizeof(result);
	while (waitpid(restore->guard_pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	/* No answer means that somebody has killed the guard. */
	return answered ? result : put_back(restore);
}

void restore_release(struct restore *restore)
{
	restore_end(restore);
	if (restore->tracefs >= 0)
		close(restore->tracefs);
	if (restore->sysfs >= 0)
		close(restore->sysfs);
	if (restore->note >= 0)
		close(restore->note);
	free(restore->devices);
	*restore = (struct restore)RESTORE_INIT;
}
