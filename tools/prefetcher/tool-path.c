/* SPDX-License-Identifier: MIT */
/* Finds headstart-tool, and starts it for a verb, or to compile a plan in the background. */
#include "prefetcher/tool-path.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int exec_tool(char **argv)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("headstart-tool"));
	char *slash = NULL;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
	}
	if (slash) {
		strcpy(slash + 1, "headstart-tool");
		execv(path, argv);
	}
	execv(HEADSTART_PRIVATE_DIR "/headstart-tool", argv);
	return -errno;
}

void exec_planner(const char *program)
{
	char *argv[] = {(char *)"headstart-tool", (char *)"plan", (char *)"--program", (char *)program, NULL};

	/* ioprio_set(IOPRIO_WHO_PROCESS, self, IOPRIO_CLASS_IDLE): the program is starting at this moment. */
	syscall(SYS_ioprio_set, 1, 0, 3 << 13);
	exec_tool(argv);
}
