/* SPDX-License-Identifier: MIT */
/* Becomes a user as login(1) does, and chooses which variables of the environment stay. */
#include "record/command/user.h"

#include <errno.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "record/command/caller.h"

/* "NAME=value", all owned. */
struct environment {
	char **entries;
	size_t n, capacity;
	const struct caller *caller; /* borrowed: what the user had */
};

static void environment_release(struct environment *environment)
{
	for (size_t i = 0; i < environment->n; i++)
		free(environment->entries[i]);
	free(environment->entries);
}

static int add(struct environment *environment, const char *name, const char *value)
{
	char *entry;

	if (ARRAY_RESERVE(environment->entries, environment->capacity, environment->n + 1) < 0 ||
		asprintf(&entry, "%s=%s", name, value) < 0)
		return -ENOMEM;
	environment->entries[environment->n++] = entry;
	return 0;
}

/* Ours comes first, because root may have chosen it: sudo WAYLAND_DISPLAY=… headstart record … */
static const char *value_of(const struct environment *environment, const char *name)
{
	const char *value = getenv(name);

	return value ? value : caller_value(environment->caller, name);
}

static int keep(struct environment *environment, const char *name)
{
	const char *value = value_of(environment, name);

	return value ? add(environment, name, value) : 0;
}

/* sudo gives us a PATH that suits root (secure_path). */
static int keep_path(struct environment *environment)
{
	const char *path = caller_value(environment->caller, "PATH");

	return path ? add(environment, "PATH", path) : keep(environment, "PATH");
}

static int keep_locale(struct environment *environment)
{
	int r = 0;

	for (char **entry = environ; r == 0 && *entry; entry++) {
		_cleanup_free_ char *name = strndup(*entry, strcspn(*entry, "="));

		if (!name)
			return -ENOMEM;
		if (after_prefix(name, "LC_"))
			r = keep(environment, name);
	}
	return r;
}

/* Whether FOLDER/NAME, or FOLDER alone, exists and is ours. Called when we are the user already. */
static bool is_own(const char *folder, const char *name)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (!folder || asprintf(&path, "%s%s%s", folder, name ? "/" : "", name ? name : "") < 0) {
		path = NULL;
		return false;
	}
	return path[0] == '/' && stat(path, &st) == 0 && st.st_uid == geteuid();
}

/* A display belongs to the user who owns its socket or its file of cookies. */
static bool is_own_display(const struct environment *environment, const char *home)
{
	const char *display = value_of(environment, "DISPLAY"),
		   *cookies = value_of(environment, "XAUTHORITY");
	char socket[32];

	if (!display)
		return false;
	snprintf(socket, sizeof(socket), "X%.*s", (int)strspn(display + (*display == ':'), "0123456789"),
		display + (*display == ':'));
	return (*display == ':' && is_own("/tmp/.X11-unix", socket)) ||
		(cookies ? is_own(cookies, NULL) : is_own(home, ".Xauthority"));
}

/* "unix:path=/run/user/1000/bus", perhaps with ",guid=…": only a socket of the user's, and only one address. */
static bool is_own_bus(const char *address)
{
	const char *path = address ? after_prefix(address, "unix:path=") : NULL;
	_cleanup_free_ char *socket = path ? strndup(path, strcspn(path, ",;")) : NULL;

	return socket && !strchr(address, ';') && is_own(socket, NULL);
}

static int keep_session(struct environment *environment, const char *home)
{
	const char *runtime = value_of(environment, "XDG_RUNTIME_DIR"),
		   *wayland = value_of(environment, "WAYLAND_DISPLAY");
	bool own_runtime = is_own(runtime, NULL);
	int r = own_runtime ? keep(environment, "XDG_RUNTIME_DIR") : 0;

	if (r == 0 && wayland &&
		(wayland[0] == '/' ? is_own(wayland, NULL) : own_runtime && is_own(runtime, wayland)))
		r = keep(environment, "WAYLAND_DISPLAY");
	if (r == 0 && is_own_display(environment, home))
		r = keep(environment, "DISPLAY");
	if (r == 0 && is_own(value_of(environment, "XAUTHORITY"), NULL))
		r = keep(environment, "XAUTHORITY");
	if (r == 0 && is_own_bus(value_of(environment, "DBUS_SESSION_BUS_ADDRESS")))
		r = keep(environment, "DBUS_SESSION_BUS_ADDRESS");
	return r;
}

static int make_environment(struct environment *environment, const struct passwd *user)
{
	static const char *const kept[] = {
		"LANG", "LANGUAGE", "TERM", "TZ", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE"};
	int r = add(environment, "HOME", user->pw_dir);

	if (r == 0)
		r = add(environment, "USER", user->pw_name);
	if (r == 0)
		r = add(environment, "LOGNAME", user->pw_name);
	if (r == 0)
		r = add(environment, "SHELL", user->pw_shell[0] ? user->pw_shell : "/bin/sh");
	if (r == 0)
		r = keep_path(environment);
	for (size_t i = 0; r == 0 && i < sizeof(kept) / sizeof(*kept); i++)
		r = keep(environment, kept[i]);
	if (r == 0)
		r = keep_locale(environment);
	return r ? r : keep_session(environment, user->pw_dir);
}

/* putenv() keeps what it is given, so this is never freed; the process soon becomes another program. */
static int replace_environment(const struct passwd *user, const struct caller *caller)
{
	struct environment environment = {.caller = caller};
	int r = make_environment(&environment, user);

	if (r < 0) {
		environment_release(&environment);
		return r;
	}
	clearenv();
	for (size_t i = 0; i < environment.n; i++)
		if (putenv(environment.entries[i]) != 0)
			return -ENOMEM;
	free(environment.entries);
	return 0;
}

int user_become(const char *name)
{
	_cleanup_(caller_releasep) struct caller caller = {0};
	const struct passwd *user;

	errno = 0;
	user = getpwnam(name);
	if (!user)
		return errno ? -errno : -ENOENT;
	/* As root, since sudo's own environment is readable only for root. Without it ours is used. */
	(void)caller_find(user->pw_uid, &caller);
	/* Otherwise root's session keyring would stay. An old kernel, or one without keys, has none. */
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	if (setsid() < 0 || syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return -errno;
	if (initgroups(user->pw_name, user->pw_gid) < 0 ||
		setresgid(user->pw_gid, user->pw_gid, user->pw_gid) < 0 ||
		setresuid(user->pw_uid, user->pw_uid, user->pw_uid) < 0)
		return -errno;
	return replace_environment(user, &caller);
}
