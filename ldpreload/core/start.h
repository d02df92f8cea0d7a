/* SPDX-License-Identifier: MIT */
/* The start of the program that the shim is loaded into. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/state-folder.h"

/* The variable that is in the environment of a program whose start is being recorded. */
#define SHIM_RECORDING "HEADSTART_RECORDING"

/* Which of the shim's libraries this is: "audit", "preload". */
extern const char shim_name[];

/* What $HEADSTART says. */
enum shim_mode {
	SHIM_MODE_USUAL, /* not set, or nothing that we know */
	SHIM_MODE_OFF,
	SHIM_MODE_PLAN,
	SHIM_MODE_WHOLE,
};

/*
 * The start of the program, from its first stack frame. The program may overwrite its arguments and environment
 * (setproctitle) or free them (putenv), so shim_begin() copies what we need, and nothing reads them again. Only our
 * constructors write to this struct: a hook may run in a child of vfork(2), which shares its parent's memory.
 */
struct shim_start {
	const void *headers; /* AT_PHDR: the program headers of the main executable */
	uintptr_t header_count;
	uintptr_t entry;  /* AT_ENTRY: address of the first instruction */
	uintptr_t loader; /* AT_BASE: where ld.so is mapped */
	uint32_t uid;     /* AT_EUID */
	bool secure;      /* AT_SECURE, or not known: the shim does nothing */

	enum shim_mode mode;
	uint64_t recording_end; /* the program's start is recorded, until then (format/recording.h); or 0 */
	bool no_wait;           /* HEADSTART_WAIT=0 */
	struct state_environment folders; /* where plans are */
	/* NULL unless LD_PRELOAD or LD_AUDIT names us: whoever sets those could load any library here anyway. An
	 * environment that has passed through a set-user-ID program still has our variables, but not those of ld.so. */
	const char *log;        /* HEADSTART_LOG=PATH, the whole entry */
	const char *prefetcher; /* HEADSTART_PREFETCH: the prefetcher's executable */
};

extern struct shim_start shim_start;

/*
 * Call it once, with what ld.so passes to a constructor: the arguments of main. Returns AT_EXECFN, the program's path
 * as the kernel got it (a script's own, not its interpreter's), which is valid until the program's own code runs; or
 * NULL. The auxiliary vector follows the environment. Where ld.so has removed variables (AT_SECURE), more than one NULL
 * lies between the two. musl's loader passes nothing, so the registers hold anything: `envp` then does not follow
 * `argv`, nothing is known of the start, and `secure` stays set.
 */
const char *shim_begin(int argc, char **argv, char **envp);
