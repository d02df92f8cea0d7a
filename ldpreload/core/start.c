/* SPDX-License-Identifier: MIT */
/*
 * What the first stack frame says of the program's start: the auxiliary vector, and our variables in the environment.
 * All of it is read here, before the program's own code runs, and copied as far as it is needed later.
 */
#include "core/start.h"

#include <link.h>
#include <linux/auxvec.h>

#include "core/text.h"

#include "format/recording.h"

struct shim_start shim_start = {.secure = true};

/* Bytes for everything kept of the environment; a value that does not fit counts as not set. */
#define STORAGE_SIZE 2048

static char storage[STORAGE_SIZE];
static size_t stored;

/* A copy that is valid for as long as we are loaded; NULL if it does not fit. */
static const char *keep(const char *string)
{
	struct shim_text text;
	const char *copy = storage + stored;

	if (!string || stored >= sizeof(storage))
		return NULL;
	text = shim_text(storage + stored, sizeof(storage) - stored);
	shim_text_add(&text, string);
	if (text.overflow)
		return NULL;
	stored = (size_t)(text.at + 1 - storage);
	return copy;
}

/* The value, if the entry is NAME=VALUE; `name` ends with '='. */
static const char *value_of(const char *entry, const char *name)
{
	return shim_begins(entry, name) ? entry + shim_length(name) : NULL;
}

/* Whether the list in LD_PRELOAD or LD_AUDIT has an object with our file name. */
static bool list_names_us(const char *list)
{
	char name[48];
	struct shim_text text = shim_text(name, sizeof(name));
	const char *base = list;

	shim_text_add(&text, "libheadstart-");
	shim_text_add(&text, shim_name);
	shim_text_add(&text, ".so");
	for (const char *at = list; *at; at++) {
		if (*at == ':' || *at == ' ' || *at == '/')
			base = at + 1;
		else if (at == base && shim_begins(at, name) &&
			(!at[shim_length(name)] || at[shim_length(name)] == ':' ||
				at[shim_length(name)] == ' '))
			return true;
	}
	return false;
}

static enum shim_mode mode_of(const char *value)
{
	if (shim_equal(value, "off"))
		return SHIM_MODE_OFF;
	if (shim_equal(value, "plan"))
		return SHIM_MODE_PLAN;
	return shim_equal(value, "whole") ? SHIM_MODE_WHOLE : SHIM_MODE_USUAL;
}

/* What the environment says, before any of it is copied. */
struct found {
	const char *log, *prefetcher, *state, *xdg_state_home, *home;
	bool names_us;
};

static void look_at(const char *entry, struct shim_start *start, struct found *found)
{
	const char *value;

	if ((value = value_of(entry, "HEADSTART=")))
		start->mode = mode_of(value);
	else if ((value = value_of(entry, SHIM_RECORDING "=")))
		start->recording_end = recording_end(value);
	else if ((value = value_of(entry, "HEADSTART_WAIT=")))
		start->no_wait = shim_equal(value, "0");
	else if (value_of(entry, "HEADSTART_LOG="))
		found->log = entry;
	else if ((value = value_of(entry, "HEADSTART_PREFETCH=")))
		found->prefetcher = value;
	else if ((value = value_of(entry, "HEADSTART_STATE=")))
		found->state = value;
	else if ((value = value_of(entry, "XDG_STATE_HOME=")))
		found->xdg_state_home = value;
	else if ((value = value_of(entry, "HOME=")))
		found->home = value;
	else if ((value = value_of(entry, "LD_PRELOAD=")) || (value = value_of(entry, "LD_AUDIT=")))
		found->names_us |= list_names_us(value);
}

static void read_environment(char *const *environment, struct shim_start *start)
{
	struct found found = {0};

	for (; *environment; environment++)
		look_at(*environment, start, &found);
	start->folders.root = start->uid == 0;
	if (found.names_us) {
		start->log = keep(found.log);
		start->prefetcher = keep(found.prefetcher);
		start->folders.state = keep(found.state);
	}
	if (start->folders.root || state_variable_set(start->folders.state))
		return; /* plans in the home folder do not count */
	start->folders.xdg_state_home = keep(found.xdg_state_home);
	if (!state_variable_set(start->folders.xdg_state_home))
		start->folders.home = keep(found.home);
}

const char *shim_begin(int argc, char **argv, char **envp)
{
	struct shim_start start = {.secure = true};
	const uintptr_t *auxv = (const uintptr_t *)envp;
	const char *program = NULL;
	bool understood = false;

	if (envp != argv + argc + 1)
		return NULL;
	while (*auxv)
		auxv++;
	while (!*auxv)
		auxv++;
	for (; auxv[0] != AT_NULL; auxv += 2) {
		switch (auxv[0]) {
		case AT_EXECFN:
			program = (const char *)auxv[1];
			break;
		case AT_PHDR:
			start.headers = (const void *)auxv[1];
			break;
		case AT_PHENT:
			understood = auxv[1] == sizeof(ElfW(Phdr));
			break;
		case AT_PHNUM:
			start.header_count = auxv[1];
			break;
		case AT_ENTRY:
			start.entry = auxv[1];
			break;
		case AT_BASE:
			start.loader = auxv[1];
			break;
		case AT_EUID:
			start.uid = (uint32_t)auxv[1];
			break;
		case AT_SECURE:
			start.secure = auxv[1] != 0;
			break;
		}
	}
	if (!understood)
		return NULL;
	if (!program)
		start.secure = true;
	if (!start.secure)
		read_environment(envp, &start);
	shim_start = start;
	return program;
}
