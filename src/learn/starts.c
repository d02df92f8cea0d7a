/* SPDX-License-Identifier: MIT */
/* A table that is searched from end to end: it has few entries, and every exec looks at each only once. */
#include "learn/starts.h"

#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

/* Milliseconds after the beginning. Within a factor of three of its end every start of 20 ms is looked at. */
static const uint64_t looks[] = {20, 60, 200, 600, 2000, STARTS_WINDOW_MS};

#define N_LOOKS (sizeof(looks) / sizeof(*looks))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What these execute is what somebody wanted to start. */
static bool only_executes_others(const char *program)
{
	static const char *const names[] = {"ash", "bash", "busybox", "bwrap", "catatonit", "chroot",
		"conmon", "crun", "dash", "docker-init", "dumb-init", "env", "fish", "flatpak", "headstart",
		"headstart-keep", "headstart-prefetch", "headstart-tool", "headstartd", "ionice", "ksh",
		"login", "mksh", "nice", "nohup", "nsenter", "runc", "runuser", "screen", "setpriv", "setsid",
		"sh", "snap-confine", "snap-exec", "sshd", "stdbuf", "su", "sudo", "systemd",
		"systemd-executor", "systemd-nspawn", "systemd-run", "time", "timeout", "tini", "unshare",
		"xargs", "zsh", "zsh5"};
	const char *name = base_name(program);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (streq(name, names[i]))
			return true;
	return false;
}

static void end(struct start *start)
{
	free(start->program);
	*start = (struct start){0};
}

static bool has_member(const struct start *start, int32_t pid)
{
	for (size_t i = 0; i < start->n_members; i++)
		if (start->members[i].pid == pid)
			return true;
	return false;
}

static struct start *find_member(struct starts *starts, int32_t pid, bool elsewhere, uint64_t now_ms)
{
	for (size_t i = 0; i < STARTS_MAX; i++) {
		struct start *start = &starts->items[i];

		if (start->program && start->elsewhere == elsewhere &&
			now_ms - start->began_ms < STARTS_WINDOW_MS && has_member(start, pid))
			return start;
	}
	return NULL;
}

static void add_member(struct start *start, int32_t pid)
{
	if (start->n_members < STARTS_MEMBERS_MAX)
		start->members[start->n_members++].pid = pid;
}

/* A free place for a start of that user; NULL: there are too many. */
static struct start *find_free(struct starts *starts, uid_t user)
{
	struct start *place = NULL;
	size_t n = 0;

	for (size_t i = 0; i < STARTS_MAX; i++) {
		if (!starts->items[i].program)
			place = &starts->items[i];
		else
			n += starts->items[i].user == user;
	}
	return n < STARTS_OF_USER ? place : NULL;
}

enum starts_role starts_exec(
	struct starts *starts, const struct starts_process *process, const char *program, uint64_t now_ms)
{
	struct start *start = find_member(starts, process->pid, process->elsewhere, now_ms);

	if (start)
		return STARTS_BELONGS;
	start = find_member(starts, process->parent, process->elsewhere, now_ms);
	if (start) {
		add_member(start, process->pid);
		return STARTS_BELONGS;
	}
	start = only_executes_others(program) ? NULL : find_free(starts, process->user);
	if (!start)
		return STARTS_IGNORED;
	*start = (struct start){.program = strdup(program),
		.user = process->user,
		.exec = process->exec,
		.elsewhere = process->elsewhere,
		.began_ms = now_ms};
	if (!start->program)
		return STARTS_IGNORED;
	add_member(start, process->pid);
	return STARTS_BEGINS;
}

const struct start *starts_of(const struct starts *starts, uint64_t exec)
{
	for (size_t i = 0; i < STARTS_MAX; i++)
		if (starts->items[i].program && starts->items[i].exec == exec)
			return &starts->items[i];
	return NULL;
}

static struct start *find_exec(struct starts *starts, uint64_t exec)
{
	const struct start *start = starts_of(starts, exec);

	return start ? &starts->items[start - starts->items] : NULL;
}

void starts_planned(struct starts *starts, uint64_t exec)
{
	struct start *start = find_exec(starts, exec);

	if (start)
		start->planned = true;
}

void starts_asked(struct starts *starts, uint64_t exec, uint64_t key)
{
	struct start *start = find_exec(starts, exec);

	if (start && start->planned && !start->key)
		start->key = key;
}

static uint64_t next_look(const struct start *start)
{
	return start->began_ms + looks[start->looks];
}

uint64_t starts_next_ms(const struct starts *starts)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < STARTS_MAX; i++)
		if (starts->items[i].program && next_look(&starts->items[i]) < next)
			next = next_look(&starts->items[i]);
	return next;
}

/*
 * A parent counts what its children had read when it waits for them. So if a process has ended, what it read counts by
 * itself only if the process that began the start has ended as well. Returns whether any process is left.
 */
static bool look(struct start *start, const struct starts_eyes *eyes)
{
	size_t kept = 0;
	bool first_lives = false;

	for (size_t i = 0; i < start->n_members; i++) {
		uint64_t bytes;
		bool lives = eyes->bytes_of(eyes->context, start->members[i].pid, &bytes);

		first_lives |= i == 0 && lives;
		if (!lives && !first_lives)
			start->passed += start->members[i].bytes;
		if (!lives)
			continue;
		start->members[kept] = start->members[i];
		start->members[kept++].bytes = bytes;
	}
	start->n_members = kept;
	return kept > 0;
}

static uint64_t total(const struct start *start)
{
	uint64_t bytes = start->passed;

	for (size_t i = 0; i < start->n_members; i++)
		bytes += start->members[i].bytes;
	return bytes;
}

void starts_look(struct starts *starts, uint64_t now_ms, const struct starts_eyes *eyes)
{
	for (size_t i = 0; i < STARTS_MAX; i++) {
		struct start *start = &starts->items[i];
		bool lives;

		if (!start->program || next_look(start) > now_ms)
			continue;
		lives = look(start, eyes);
		while (start->looks < N_LOOKS && looks[start->looks] + start->began_ms <= now_ms)
			start->looks++;
		if (lives && start->looks < N_LOOKS)
			continue;
		if (!start->planned || start->key)
			eyes->judge(eyes->context, start, total(start));
		end(start);
	}
}

void starts_release(struct starts *starts)
{
	for (size_t i = 0; i < STARTS_MAX; i++)
		end(&starts->items[i]);
}
