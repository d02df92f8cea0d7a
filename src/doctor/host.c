/* SPDX-License-Identifier: MIT */
/* This machine as the checks see it, and how they read its files. */
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "doctor/checks.h"
#include "format/on-this-machine.h"
#include "plan/store/disks.h"

bool host_path(const struct doctor_host *host, const char *path, char full[PATH_MAX])
{
	return (size_t)snprintf(full, PATH_MAX, "%s%s", host->root, path) < PATH_MAX;
}

int host_read(const struct doctor_host *host, const char *path, char **ret)
{
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];
	size_t size;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* does not wait for a FIFO */
	if (fd < 0)
		return -errno;
	return read_to_end(fd, HOST_TEXT_MAX, ret, &size);
}

bool host_exists(const struct doctor_host *host, const char *path)
{
	char full[PATH_MAX];

	return host_path(host, path, full) && access(full, F_OK) == 0;
}

bool host_number(const struct doctor_host *host, const char *path, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;

	return host_read(host, path, &text) == 0 && number_of_line(text, key, ret);
}

unsigned doctor_version(const char *text)
{
	unsigned major, minor;

	return sscanf(text, "%3u.%3u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

struct store host_store(const struct doctor_host *host)
{
	struct store store = {.root = host->root, .user = host->user};

	store.environment = (struct state_environment){
		.state = host->variable("HEADSTART_STATE"),
		.xdg_state_home = host->variable("XDG_STATE_HOME"),
		.home = host->variable("HOME"),
		.root = host->user == 0,
	};
	return store;
}

static const char *variable_here(const char *name)
{
	return getenv(name);
}

static int device_here(const struct doctor_host *host, const char *path, struct device *ret)
{
	const struct store store = host_store(host);
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];
	int r;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	fd = open(full, O_PATH | O_CLOEXEC);
	r = fd < 0 ? -errno : device_of_by_rules(fd, host->rules, host->n_rules, ret);
	if (r == 0)
		disks_apply_from(&store, ret);
	return r;
}

static bool is_served_here(const struct doctor_host *host, const char *path)
{
	char full[PATH_MAX];
	struct statx status;

	return host_path(host, path, full) &&
		statx(AT_FDCWD, full, AT_STATX_DONT_SYNC, STATX_UID, &status) == 0 &&
		!on_this_machine(status.stx_dev_major, status.stx_attributes_mask);
}

static int try_io_uring(void)
{
	struct io_uring_params params = {0};
	_cleanup_close_ int fd = (int)syscall(SYS_io_uring_setup, 1, &params);

	return fd < 0 ? -errno : 0;
}

static int try_fanotify(void)
{
	_cleanup_close_ int fd =
		fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

/* Asks as the shims do: by preadv2(RWF_NOWAIT), of a program that every root has. */
static int try_residency(void)
{
	_cleanup_close_ int fd = open_regular("/bin/sh", 0);
	char byte;
	const struct iovec to = {.iov_base = &byte, .iov_len = 1};

	if (fd < 0)
		return fd;
	return preadv2(fd, &to, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN ? 0 : -errno;
}

void doctor_host_init(struct doctor_host *ret)
{
	static struct utsname name;

	*ret = (struct doctor_host){
		.root = "",
		.variable = variable_here,
		.device = device_here,
		.is_served = is_served_here,
		.kernel = uname(&name) == 0 ? name.release : "",
		.glibc = gnu_get_libc_version(),
		.private = HEADSTART_PRIVATE_DIR,
		.user = geteuid(),
		.io_uring_built = HEADSTART_IO_URING,
		.io_uring = try_io_uring(),
		.residency = try_residency(),
		.fanotify = try_fanotify(),
	};
}
