/* SPDX-License-Identifier: MIT */
/*
 * uprobe-hits FILE OFFSET COMMAND [ARGUMENT…]: runs the command, and prints how often it executed the instruction at
 * that offset of the file. The uprobe is one of perf_event_open(2), as bpftrace(8) and libbpf set it, and is gone with
 * this process. Exits 77 where there can be none.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Counts hits by that process from its next exec on. Returns a descriptor, or a negative number. */
static int set_probe(pid_t pid, const char *file, uint64_t offset)
{
	_cleanup_fclose_ FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.uprobe_path = (uintptr_t)file,
		.probe_offset = offset,
		.disabled = 1,
		.enable_on_exec = 1,
	};

	if (!type || fscanf(type, "%" SCNu32, &attr.type) != 1)
		return -1;
	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Returns the child, stopped before it executes the command, or a negative number. */
static pid_t start(char **command)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		raise(SIGSTOP);
		execvp(command[0], command);
		_exit(127);
	}
	return child < 0 || waitpid(child, &status, WUNTRACED) < 0 ? -1 : child;
}

int main(int argc, char **argv)
{
	int probe, status;
	uint64_t hits;
	pid_t child;

	if (argc < 4)
		return 2;
	child = start(argv + 3);
	if (child < 0)
		return 1;
	probe = set_probe(child, argv[1], strtoull(argv[2], NULL, 0));
	kill(child, probe < 0 ? SIGKILL : SIGCONT);
	if (waitpid(child, &status, 0) < 0)
		return 1;
	if (probe < 0)
		return 77;
	if (status != 0 || read(probe, &hits, sizeof(hits)) != sizeof(hits))
		return 1;
	printf("%" PRIu64 "\n", hits);
	return 0;
}
