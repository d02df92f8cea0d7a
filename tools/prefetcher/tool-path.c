/* SPDX-License-Identifier: MIT */
/* Finds headstart-tool, and starts it for a verb, or to compile a plan in the background. */
#include "prefetcher/tool-path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/stranger.h"

#define INSTALLED HEADSTART_PRIVATE_DIR "/headstart-tool"

/* Where headstart-tool is if this program was not installed. */
static bool beside_us(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof("headstart-tool"));
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		strcpy(slash + 1, "headstart-tool");
	return slash != NULL;
}

int exec_tool(char **argv)
{
	char path[PATH_MAX];

	if (beside_us(path))
		execv(path, argv);
	execv(INSTALLED, argv);
	return -errno;
}

/* Nobody has asked root for this, so root executes only what no other user can have put there. */
static void exec_unasked(const char *path, char **argv)
{
	struct stranger stranger;

	if (stranger_to_us(path, &stranger) == 0)
		execv(path, argv);
}

void exec_planner(const char *program)
{
	char *argv[] = {(char *)"headstart-tool", (char *)"plan", (char *)"--program", (char *)program, NULL};
	char path[PATH_MAX];

	/* ioprio_set(IOPRIO_WHO_PROCESS, self, IOPRIO_CLASS_IDLE): the program is starting at this moment. */
	syscall(SYS_ioprio_set, 1, 0, 3 << 13);
	setpriority(PRIO_PROCESS, 0, 19);
	if (beside_us(path))
		exec_unasked(path, argv);
	exec_unasked(INSTALLED, argv);
}
