/* SPDX-License-Identifier: MIT */
#include "record/waits/name.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/paths/mountinfo.h"
#include "base/run/process-file.h"
#include "base/strings.h"
#include "record/follow/pages/page-tables.h"
#include "record/waits/descriptor.h"

#define CALL_MAX   256
#define POLLS_MAX  32  /* descriptors of one poll(2) that are looked at */
#define JOIN_WORDS 512 /* of 32 bits */
#define NAMED_MAX  3   /* of them, those that are named */

/* A system call that a thread is in: Documentation/filesystems/proc.rst, /proc/PID/syscall. */
struct call {
	char text[CALL_MAX];
	int64_t number;
	uint64_t args[6], stack;
};

/* What is being named. */
struct wait {
	FILE *out;
	int32_t tid;
	struct call call;
};

static bool read_call(int32_t tid, struct call *ret)
{
	_cleanup_free_ char *text = NULL;
	uint64_t *args = ret->args;
	size_t size;

	if (process_read(tid, CALL_MAX, &text, &size, "syscall") < 0 || size >= CALL_MAX)
		return false;
	memcpy(ret->text, text, size + 1);
	return sscanf(text,
		       "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		       " %" SCNx64,
		       &ret->number, &args[0], &args[1], &args[2], &args[3], &args[4], &args[5],
		       &ret->stack) == 8;
}

/* Only what its page tables have: another page may have to come from a file system that does not answer. */
static bool read_memory(int32_t tid, uint64_t address, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
	_cleanup_close_ int pagemap = page_tables_open(tid);

	return pagemap >= 0 && page_tables_have(pagemap, address, size) &&
		process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool is_thread_of(int32_t tid, uint32_t other)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRIu32, tid, other);
	return other > 0 && other != (uint32_t)tid && stat(path, &status) == 0;
}

/*
 * Since glibc 2.43, pthread_join(3) waits for a word of the thread's description (nptl/descr.h: joinstate), which has the thread's number
 * somewhat earlier. Nothing else of glibc waits in this way, unless other processes share it.
 */
static bool find_joined(const struct wait *wait, uint32_t *ret)
{
	uint32_t before[JOIN_WORDS];

	if ((int)wait->call.args[1] != (FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME) ||
		wait->call.args[2] != 2 ||
		!read_memory(wait->tid, wait->call.args[0] - sizeof(before), before, sizeof(before)))
		return false;
	for (size_t i = JOIN_WORDS; i-- > 0;)
		if (is_thread_of(wait->tid, before[i])) {
			*ret = before[i];
			return true;
		}
	return false;
}

/*
 * glibc's pthread_mutex_t begins with the word that is waited for, which is 2 then, and has its owner's number two words
 * later; pthread_join(3) waits for a word with the number of the thread before glibc 2.43.
 */
static bool name_futex(const struct wait *wait)
{
	int operation = (int)wait->call.args[1] & FUTEX_CMD_MASK;
	uint32_t words[3];

	if (!read_memory(wait->tid, wait->call.args[0], words, sizeof(words)))
		return false;
	if (operation == FUTEX_LOCK_PI && is_thread_of(wait->tid, words[0] & FUTEX_TID_MASK)) {
		words[0] &= FUTEX_TID_MASK;
	} else if (words[0] == 2 && words[0] == (uint32_t)wait->call.args[2] &&
		is_thread_of(wait->tid, words[2])) {
		words[0] = words[2];
	} else if ((words[0] == (uint32_t)wait->call.args[2] && is_thread_of(wait->tid, words[0])) ||
		find_joined(wait, &words[0])) {
		fputs("the end of ", wait->out);
		descriptor_put_process(wait->out, (int32_t)words[0]);
		return true;
	} else {
		return false;
	}
	fputs("a lock that ", wait->out);
	descriptor_put_process(wait->out, (int32_t)words[0]);
	fputs(" holds", wait->out);
	return true;
}

/* An inode, as /proc/locks has it. */
struct place {
	unsigned int major_number, minor_number;
	uint64_t inode;
};

/* Where the file of this descriptor lies, without asking its file system, which may not answer. */
static bool find_place(int32_t tid, int fd, struct place *ret)
{
	_cleanup_free_ char *info = NULL, *mounts = NULL;
	char *rest;
	struct mountinfo mount;
	uint64_t id;

	if (process_read(tid, 1 << 20, &info, NULL, "fdinfo/%d", fd) < 0 ||
		!number_of_line(info, "mnt_id:", &id) ||
		!number_of_line(info, "ino:", &ret->inode)) /* since Linux 5.14 */
		return false;
	if (process_read(tid, MOUNTINFO_MAX, &mounts, NULL, "mountinfo") < 0)
		return false;
	rest = mounts;
	for (int r; (r = mountinfo_next(&rest, &mount)) != 0;) {
		if (r < 0 || mount.id != id)
			continue;
		ret->major_number = mount.device_major;
		ret->minor_number = mount.device_minor;
		return true;
	}
	return false;
}

/* The process that has a lock on the file; 0 if none is listed. Documentation/filesystems/locks.rst. */
static int32_t holder_of(const struct place *place)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (read_pseudo_file("/proc/locks", 4 << 20, &text, &size) < 0)
		return 0;
	for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		struct place other;
		int32_t pid;

		/* Those who wait have "->" after the number. */
		if (sscanf(line, "%*d: %*[A-Z] %*s %*s %" SCNd32 " %x:%x:%" SCNu64, &pid, &other.major_number,
			    &other.minor_number, &other.inode) == 4 &&
			other.inode == place->inode && other.major_number == place->major_number &&
			other.minor_number == place->minor_number)
			return pid;
	}
	return 0;
}

static bool name_file_lock(const struct wait *wait)
{
	int fd = (int)wait->call.args[0];
	struct place place;
	int32_t holder;

	fputs("a lock on ", wait->out);
	if (!descriptor_put(wait->out, wait->tid, fd))
		return false;
	holder = find_place(wait->tid, fd, &place) ? holder_of(&place) : 0;
	if (holder > 0) {
		fputs(" that ", wait->out);
		descriptor_put_process(wait->out, holder);
		fputs(" holds", wait->out);
	}
	return true;
}

static bool name_children(const struct wait *wait)
{
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	char *at;

	if (process_read(wait->tid, 1 << 16, &text, NULL, "task/%" PRId32 "/children", wait->tid) < 0)
		return false;
	at = text;
	for (char *end; n <= NAMED_MAX; n++, at = end) {
		int32_t pid = (int32_t)strtol(at, &end, 10);

		if (end == at)
			break;
		if (n == NAMED_MAX) {
			fputs(" and others", wait->out);
			break;
		}
		fputs(n ? ", " : "", wait->out);
		descriptor_put_process(wait->out, pid);
	}
	return n > 0;
}

static bool name_child(const struct wait *wait)
{
	const uint64_t *args = wait->call.args;
	int32_t pid = wait->call.number == __NR_wait4                  ? (int32_t)args[0]
		: wait->call.number == __NR_waitid && args[0] == P_PID ? (int32_t)args[1]
								       : 0;

	if (pid <= 0)
		return name_children(wait);
	descriptor_put_process(wait->out, pid);
	return true;
}

static bool name_connect(const struct wait *wait)
{
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
	} address = {0};
	uint64_t size = wait->call.args[2];

	if (size < sizeof(address.any.sa_family) || size > sizeof(address) ||
		!read_memory(wait->tid, wait->call.args[1], &address, size))
		return false;
	return descriptor_put_address(wait->out, &address.any, (socklen_t)size);
}

/* The first few of these descriptors of which something can be said. */
static bool name_any(const struct wait *wait, const int *fds, size_t n)
{
	char *said[NAMED_MAX] = {NULL};
	size_t n_said = 0;

	for (size_t i = 0; i < n && n_said < NAMED_MAX; i++) {
		size_t size, same = 0;
		FILE *out = open_memstream(&said[n_said], &size);
		bool any = out && descriptor_put(out, wait->tid, fds[i]);

		if (!out || fclose(out) != 0)
			break;
		while (same < n_said && !streq(said[same], said[n_said]))
			same++;
		if (any && same == n_said)
			n_said++;
		else
			free(TAKE_PTR(said[n_said]));
	}
	fputs(n_said > 1 ? "any of: " : "", wait->out);
	for (size_t i = 0; i < n_said; i++) {
		fprintf(wait->out, "%s%s", i ? "; " : "", said[i]);
		free(said[i]);
	}
	return n_said > 0;
}

static bool name_poll(const struct wait *wait)
{
	struct pollfd polls[POLLS_MAX];
	uint64_t n = wait->call.args[1] < POLLS_MAX ? wait->call.args[1] : POLLS_MAX;
	int fds[POLLS_MAX];
	size_t n_fds = 0;

	if (n == 0 || !read_memory(wait->tid, wait->call.args[0], polls, n * sizeof(*polls)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (polls[i].fd >= 0 && polls[i].events)
			fds[n_fds++] = polls[i].fd;
	return name_any(wait, fds, n_fds);
}

static bool name_epoll(const struct wait *wait)
{
	_cleanup_free_ char *text = NULL;
	int fds[POLLS_MAX];
	size_t n = 0;

	if (process_read(wait->tid, 1 << 20, &text, NULL, "fdinfo/%d", (int)wait->call.args[0]) < 0)
		return false;
	for (const char *line = text; line && n < POLLS_MAX;
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		n += sscanf(line, "tfd: %d", &fds[n]) == 1;
	return name_any(wait, fds, n);
}

static bool name_descriptor(const struct wait *wait)
{
	return descriptor_put(wait->out, wait->tid, (int)wait->call.args[0]);
}

static const struct {
	int64_t number;
	bool (*name)(const struct wait *wait);
} calls[] = {
	{__NR_futex, name_futex},
	{__NR_flock, name_file_lock},
	{__NR_fcntl, name_file_lock},
	{__NR_wait4, name_child},
	{__NR_waitid, name_child},
	{__NR_clone, name_children}, /* vfork */
	{__NR_recvfrom, name_descriptor},
	{__NR_recvmsg, name_descriptor},
	{__NR_recvmmsg, name_descriptor},
	{__NR_sendto, name_descriptor},
	{__NR_sendmsg, name_descriptor},
	{__NR_accept, name_descriptor},
	{__NR_accept4, name_descriptor},
	{__NR_connect, name_connect},
	{__NR_read, name_descriptor},
	{__NR_readv, name_descriptor},
	{__NR_write, name_descriptor},
	{__NR_writev, name_descriptor},
	{__NR_ppoll, name_poll},
	{__NR_epoll_pwait, name_epoll},
#ifdef __NR_poll /* architectures older than the common table */
	{__NR_poll, name_poll},
	{__NR_epoll_wait, name_epoll},
	{__NR_vfork, name_children},
#endif
#ifdef __NR_clone3
	{__NR_clone3, name_children},
#endif
};

/* The calls of a 32-bit program, which has its stack in the first 4 GiB, have other numbers. */
static bool put_name(const struct wait *wait)
{
	if (wait->call.stack <= UINT32_MAX)
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == wait->call.number)
			return calls[i].name(wait);
	return false;
}

char *wait_name(int32_t tid)
{
	struct wait wait = {.tid = tid};
	struct call after;
	_cleanup_free_ char *text = NULL;
	size_t size;
	bool named;

	if (!read_call(tid, &wait.call))
		return NULL;
	wait.out = open_memstream(&text, &size);
	if (!wait.out)
		return NULL;
	named = put_name(&wait);
	if (fclose(wait.out) != 0 || !named || !read_call(tid, &after) || !streq(after.text, wait.call.text))
		return NULL;
	return TAKE_PTR(text);
}
