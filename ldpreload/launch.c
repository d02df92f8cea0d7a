/* SPDX-License-Identifier: MIT */
/*
 * Most launches are of programs without a plan: they cost some opens and closes, which no seccomp filter
 * makes fatal. Everything else comes when a plan has been opened.
 *
 * What the caller passed may be a bad address, of which execve would make EFAULT: a path is read only after
 * the kernel has opened it, the environment through the kernel.
 */
#include "launch.h"

#include "carrier.h"
#include "environment.h"
#include "next.h"
#include "plan.h"
#include "share.h"

/* Of <sys/stat.h> and <sys/file.h>, which belong to libc. */
#define KIND    0170000 /* in st_mode */
#define REGULAR 0100000
#define SET_ID  0006000
#define LOCK_EX 2
#define LOCK_NB 4

#define SEARCH_DEFAULT "/bin:/usr/bin" /* as execvp(3) without $PATH */

/* Whether the file gives rights that its user does not have. */
static bool gives_rights(const struct plan_target *target)
{
	struct stat status;

	return sys_fstat(target->fd, &status) != 0 || (status.st_mode & KIND) != REGULAR ||
	       (status.st_mode & SET_ID) ||
	       raw_syscall(__NR_lgetxattr, (long)target->path, (long)"security.capability", 0, 0, 0, 0) > 0;
}

/* The lock goes with the descriptor to the prefetcher, which holds it until it ends. */
static bool claim(const struct plan *plan)
{
	return raw_syscall(__NR_flock, plan->fd, LOCK_EX | LOCK_NB, 0, 0, 0, 0) != -EWOULDBLOCK;
}

static const char *start(struct plan_target *target, const struct plan *plan)
{
	const char *const awaited[] = {"headstart-prefetch", "--awaited", "--fd", "3", NULL};
	const char *const alongside[] = {"headstart-prefetch", "--alongside", "--fd", "3", NULL};

	if (!plan->cold)
		return "plan=warm";
	if (!claim(plan))
		return "plan=running";
	if (!share_prefetcher(plan->fd, plan_waited_for(plan) && plan_found_as_given(target) ? awaited : alongside))
		return "plan=not-started";
	return "plan=started";
}

static void serve(struct plan_target *target, char *const *environment)
{
	struct plan plan;

	if (!plan_find(target, &plan))
		return;
	if (!gives_rights(target) && !environment_forbids(environment))
		shim_log(target->path, start(target, &plan));
	sys_close(plan.fd);
}

/* Returns whether there is anything at that path. */
static bool serve_path(const struct launch *launch, const char *path)
{
	struct plan_target target;
	int opened = -1;

	if (path) {
		opened = (int)raw_syscall(__NR_openat, launch->folder, (long)path,
			O_PATH | O_CLOEXEC | (launch->no_follow ? O_NOFOLLOW : 0), 0, 0, 0);
		if (opened == -ENOENT && launch->or_folder)
			path = NULL;
		else if (opened < 0)
			return false;
	}
	/* Of a relative path the descriptor tells the folder. */
	plan_target_init(&target, path && path[0] == '/' ? path : NULL, path ? opened : launch->folder);
	serve(&target, launch->environment);
	if (opened >= 0)
		sys_close(opened);
	return true;
}

/* What execvp would execute: the first of that name in $PATH, as libc sees it now. */
static __attribute__((noinline)) void serve_searched(const struct launch *launch)
{
	const char *(*libc_getenv)(const char *) = (const char *(*)(const char *))next_function("getenv", "");
	const char *folders = libc_getenv ? libc_getenv("PATH") : NULL;
	char path[SHIM_PATH_MAX];

	for (const char *at = folders ? folders : SEARCH_DEFAULT;; at++) {
		struct shim_text text = shim_text(path, sizeof(path));

		for (; *at && *at != ':'; at++)
			shim_text_add_character(&text, *at);
		if (path[0])
			shim_text_add(&text, "/");
		shim_text_add(&text, launch->path);
		if (!text.overflow && serve_path(launch, path))
			return;
		if (!*at)
			return;
	}
}

static bool plans_wanted(void)
{
	const char *mode;

	if (!shim_wanted())
		return false;
	mode = shim_environment("HEADSTART");
	return !(mode && shim_equal(mode, "whole"));
}

static bool has_slash(const char *path)
{
	while (*path && *path != '/')
		path++;
	return *path == '/';
}

void launch_anticipate(const struct launch *launch)
{
	if (!plans_wanted())
		return;
	if (launch->searched && launch->path && launch->path[0] && !has_slash(launch->path))
		serve_searched(launch);
	else
		serve_path(launch, launch->path);
}

void launch_own(void)
{
	struct plan_target target;
	struct plan plan;

	if (!plans_wanted())
		return;
	plan_target_init(&target, shim_start.program, -1);
	if (!plan_find_as_given(&target, &plan))
		return;
	shim_log(target.path, start(&target, &plan));
	if (plan.cold && plan_waited_for(&plan))
		carrier_wait(plan.fd, PLAN_WAIT_MS);
	sys_close(plan.fd);
}
