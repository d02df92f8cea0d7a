/* SPDX-License-Identifier: MIT */
/* Finds headstart-tool, and starts it for a verb, or to compile a plan in the background. */
#include "prefetcher/tool-path.h"

#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files/links.h"
#include "base/paths/stranger.h"

#define NAME      "headstart-tool" /* beside us if this program was not installed */
#define INSTALLED HEADSTART_PRIVATE_DIR "/" NAME

int exec_tool(char **argv)
{
	char path[PATH_MAX];

	if (path_beside_us(NAME, path) == 0)
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
	char *argv[] = {(char *)NAME, (char *)"plan", (char *)"--program", (char *)program, NULL};
	char path[PATH_MAX];

	/* ioprio_set(IOPRIO_WHO_PROCESS, self, IOPRIO_CLASS_IDLE): the program is starting at this moment. */
	syscall(SYS_ioprio_set, 1, 0, 3 << 13);
	setpriority(PRIO_PROCESS, 0, 19);
	if (path_beside_us(NAME, path) == 0)
		exec_unasked(path, argv);
	exec_unasked(INSTALLED, argv);
}
