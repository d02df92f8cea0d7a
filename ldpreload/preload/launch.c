/* SPDX-License-Identifier: MIT */
/*
 * Most programs that are launched have no plan: those cost some opens and closes, which no seccomp filter makes fatal.
 * Everything else happens once a plan is open.
 *
 * The caller may have passed a bad address, which execve answers with EFAULT. So a path is read only after the kernel
 * has opened it, and the environment is read through the kernel.
 */
#include "preload/launch.h"

#include "plan/plan.h"
#include "prefetcher/serve.h"
#include "preload/environment.h"
#include "preload/next.h"

#define SEARCH_DEFAULT "/bin:/usr/bin" /* what execvp(3) uses without $PATH */

/* Whether the file gives rights that its user does not have. */
static bool gives_rights(const struct plan_target *target)
{
	char path[SHIM_FD_PATH_SIZE];
	struct stat status;

	if (sys_fstat(target->fd, &status) != 0 || (status.st_mode & MODE_KIND) != MODE_REGULAR ||
		(status.st_mode & MODE_SET_ID))
		return true;
	shim_fd_path(target->fd, path);
	return raw_syscall(__NR_getxattr, (long)path, (long)"security.capability", 0, 0, 0, 0) > 0;
}

static void serve(struct plan_target *target, char *const *environment)
{
	struct plan plan;

	if (!plan_find(target, &plan))
		return;
	/* A warm start is at most logged, and not worth a look at each variable. */
	if ((plan.cold || shim_start.log) && !gives_rights(target) && !environment_forbids(environment))
		serve_next(target->path, &plan);
	sys_close(plan.fd);
}

/* Opens the program of that path with O_PATH. Returns a descriptor or -errno. */
static int open_program(const struct launch *launch, const char *path)
{
	return (int)raw_syscall(__NR_openat, launch->folder, (long)path,
		O_PATH | O_CLOEXEC | (launch->no_follow ? O_NOFOLLOW : 0), 0, 0, 0);
}

static void serve_path(const struct launch *launch)
{
	struct plan_target target;
	int opened = -1;

	if (launch->path) {
		opened = open_program(launch, launch->path);
		if (opened < 0 && !(opened == -ENOENT && launch->or_folder))
			return;
	}
	if (opened >= 0)
		plan_target_init(&target, launch->path, opened, launch->arguments);
	else
		plan_target_init(&target, NULL, launch->folder, launch->arguments);
	serve(&target, launch->environment);
	if (opened >= 0)
		sys_close(opened);
}

/* Serves what execvp would execute: the first of that name in $PATH, as libc sees it now. */
static void serve_searched(const struct launch *launch)
{
	const char *(*libc_getenv)(const char *) =
		(const char *(*)(const char *))next_function("getenv", NULL);
	const char *folders = libc_getenv ? libc_getenv("PATH") : NULL;
	struct plan_target target;

	for (const char *at = folders ? folders : SEARCH_DEFAULT;; at++) {
		struct shim_text text;
		int opened;

		plan_target_init(&target, NULL, -1, launch->arguments);
		text = shim_text(target.path, sizeof(target.path));
		for (; *at && *at != ':'; at++)
			shim_text_add_character(&text, *at);
		if (target.path[0])
			shim_text_add_character(&text, '/');
		shim_text_add(&text, launch->path);
		opened = text.overflow ? -1 : open_program(launch, target.path);
		if (opened >= 0) {
			target.fd = opened;
			serve(&target, launch->environment);
			sys_close(opened);
			return;
		}
		if (!*at)
			return;
	}
}

static bool plans_wanted(void)
{
	return shim_start.mode != SHIM_MODE_WHOLE && shim_wanted();
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
		serve_path(launch);
}

void launch_own(const char *program, char **argv)
{
	struct start_arguments arguments;
	struct plan_target target;
	struct plan plan;

	if (!plans_wanted())
		return;
	arguments = arguments_of_start(argv, program);
	plan_target_init(&target, program, -1, &arguments);
	if (!plan_find_by_given(&target, &plan))
		return;
	serve_own(target.path, &plan);
	sys_close(plan.fd);
}
