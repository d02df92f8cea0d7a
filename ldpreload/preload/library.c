/* SPDX-License-Identifier: MIT */
/* A list of one object, in the form that the audit shim writes, for headstart-prefetch --objects. */
#include "preload/library.h"

#include "core/shim.h"
#include "plan/resident.h"
#include "prefetcher/spawn.h"

#include <linux/memfd.h>
#include <stddef.h>

#include "format/object-list.h"

/* Writes a list that is closed already, so the prefetcher does not wait for more. Returns its descriptor or -errno. */
static int list_of(const char *path)
{
	struct object_entry entry = {.state = OBJECT_COLD};
	const uint32_t head[] = {(uint32_t)sys_getpid(), OBJECT_LIST_CLOSED + 1};
	struct shim_text text = shim_text(entry.path, sizeof(entry.path));
	long fd;

	shim_text_add(&text, path);
	if (text.overflow)
		return -ENAMETOOLONG;
	if (!shim_may_grow_files())
		return -EFBIG;
	fd = raw_syscall(__NR_memfd_create, (long)"headstart", MFD_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0)
		return (int)fd;
	if (raw_syscall(__NR_ftruncate, fd, sizeof(struct object_list), 0, 0, 0, 0) == 0 &&
		sys_pwrite((int)fd, head, sizeof(head), 0) == sizeof(head) &&
		sys_pwrite((int)fd, &entry, sizeof(entry), offsetof(struct object_list, entries)) ==
			sizeof(entry))
		return (int)fd;
	sys_close((int)fd);
	return -EIO;
}

static __attribute__((noinline)) void library_start(const char *path)
{
	int fd = list_of(path);

	if (fd < 0)
		return;
	shim_log(path, spawn_prefetcher(fd, "--objects") ? "library=started" : "library=not-started");
	sys_close(fd);
}

void library_anticipate(const char *path)
{
	enum shim_answer may_act = SHIM_NOT_ASKED;

	/* Cheap first: this is every dlopen of every program. */
	if (shim_start.mode != SHIM_MODE_WHOLE || !path || path[0] != '/' || !shim_wanted())
		return;
	if (shim_may_act(&may_act) && resident_at(path, 0) == RESIDENT_NO)
		library_start(path);
}
