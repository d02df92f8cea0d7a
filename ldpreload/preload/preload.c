/* SPDX-License-Identifier: MIT */
/*
 * libheadstart-preload.so: for /etc/ld.so.preload and LD_PRELOAD. A preloaded object runs only once the libraries of
 * its own program are mapped and relocated, too late to speed those up. So it hooks the functions that start the next
 * program (exec*, posix_spawn*), and has that program's plan carried out before the program exists. It also hooks the
 * functions that load further libraries (dlopen, dlmopen).
 *
 * A hook never calls the function that it hooks: it returns the address, and its entry (arch/) jumps there.
 */
#include "core/caller.h"
#include "core/shim.h"
#include "entry.h"
#include "plan/asked.h"
#include "preload/hooks.h"
#include "preload/launch.h"
#include "preload/library.h"
#include "preload/next.h"

const char shim_name[] = "preload";

#define HOOK_TABLE(number, name, at, version, ...)  [number] = {#name, version, __VA_ARGS__},
#define HOOK_EXPORT(number, name, at, version, ...) HOOK_ENTRY(number, name, at version)

static const struct hook hooks[] = {HOOKS(HOOK_TABLE)};
HOOKS(HOOK_EXPORT)
HOOK_COMMON

/* The link option -z initfirst lets this run before every other constructor, which might start programs. */
__attribute__((constructor)) static void preload_begin(int argc, char **argv, char **envp)
{
	const char *program = shim_begin(argc, argv, envp);

	next_begin();
	if (program)
		launch_own(program, argv);
}

/* What a hook jumps to where libc has no such function: it fails as if there were none. */
static long no_exec(void)
{
	int *(*errno_location)(void) = (int *(*)(void))next_function("__errno_location", NULL);

	if (errno_location)
		*errno_location() = ENOSYS;
	return -1;
}

static long no_spawn(void)
{
	return ENOSYS;
}

static void *no_library(void)
{
	return NULL;
}

static uintptr_t substitute(const struct hook *hook)
{
	if (hook->kind == HOOK_LIBRARY)
		return (uintptr_t)no_library;
	return hook->kind == HOOK_SPAWN ? (uintptr_t)no_spawn : (uintptr_t)no_exec;
}

/* Where the arguments of the next program are. */
static struct start_arguments arguments_of(const struct hook *hook, const uintptr_t *arguments)
{
	if (hook->listed)
		return (struct start_arguments){.words = arguments, .first = hook->arguments};
	return (struct start_arguments){
		.list = (const char *const *)caller_argument(arguments, hook->arguments)};
}

static char *const *environment_of(const struct hook *hook, const uintptr_t *arguments)
{
	unsigned int number = hook->environment;

	if (number == ENVIRONMENT_LISTED) {
		number = 1;
		while (caller_argument(arguments, number))
			number++;
		number++;
	}
	return number ? (char *const *)caller_argument(arguments, number) : NULL;
}

static void anticipate(const struct hook *hook, const uintptr_t *arguments)
{
	const struct start_arguments next = arguments_of(hook, arguments);
	struct launch launch = {
		.folder = AT_FDCWD,
		.path = (const char *)caller_argument(arguments, hook->path),
		.searched = hook->searched,
		.arguments = &next,
		.environment = environment_of(hook, arguments),
	};

	if (hook->kind == HOOK_DESCRIPTOR) {
		launch.folder = (int)arguments[hook->path];
		launch.path = NULL;
	} else if (hook->kind == HOOK_EXEC_AT) {
		launch.folder = (int)arguments[hook->path];
		launch.path = (const char *)arguments[hook->path + 1];
		launch.no_follow = arguments[hook->path + 4] & AT_SYMLINK_NOFOLLOW;
		launch.or_folder = arguments[hook->path + 4] & AT_EMPTY_PATH;
	}
	launch_anticipate(&launch);
}

/*
 * The entry of each hook calls this with the words that hold the caller's arguments, and jumps to the address returned.
 */
uintptr_t hook_enter(const uintptr_t *arguments, unsigned int number) __attribute__((visibility("hidden")));

uintptr_t hook_enter(const uintptr_t *arguments, unsigned int number)
{
	const struct hook *hook = &hooks[number];
	uintptr_t next;

	if (hook->kind == HOOK_LIBRARY)
		library_anticipate((const char *)caller_argument(arguments, hook->path));
	else
		anticipate(hook, arguments);
	next = next_function(hook->name, hook->version);
	if (!next && hook->kind == HOOK_LIBRARY)
		next = next_function_later(hook->name, hook->version);
	return next ? next : substitute(hook);
}
