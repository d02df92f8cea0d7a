/* SPDX-License-Identifier: MIT */
/*
 * look [LIBRARY]: a program with libraries of its own that prints all it can see of its process: descriptors,
 * threads, children, environment, signals, limits. Opens LIBRARY at run time. If $HEADSTART_TEST_LINGER is a FIFO and
 * the shim has written a line to $HEADSTART_LOG, it stays until somebody has written to the FIFO. If the shim has
 * logged nothing, it has started no process that could write there. Exits with 7.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int zero(int at);
int one(int at);
int two(int at);

static void look_at_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		char link[32], target[4096];
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target));
		if (n > 0)
			printf("descriptor %d: %.*s\n", fd, (int)n, target);
	}
}

static void look_at_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = 0;

	while (tasks && readdir(tasks))
		count++;
	printf("threads: %d\n", count - 2);
	if (tasks)
		closedir(tasks);
}

static void look_at_status(void)
{
	static const char *const fields[] = {"Name:", "Umask:", "Threads:", "ShdPnd:", "SigPnd:", "SigBlk:",
		"SigIgn:", "SigCgt:", "NoNewPrivs:", "Seccomp:", "CapEff:"};
	FILE *status = fopen("/proc/self/status", "re");
	char line[4096];

	while (status && fgets(line, sizeof(line), status))
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (strncmp(line, fields[i], strlen(fields[i])) == 0)
				fputs(line, stdout);
	if (status)
		fclose(status);
}

static void look_at_children(void)
{
	pid_t child = waitpid(-1, NULL, __WALL);

	printf("children: %s\n", child < 0 && errno == ECHILD ? "none" : "one");
}

static void look_at_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (getrlimit(i, &limit) == 0)
			printf("limit %d: %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
}

static void linger(const char *fifo, const char *log)
{
	char told;
	int fd = fifo && log && access(log, F_OK) == 0 ? open(fifo, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		(void)!read(fd, &told, 1);
}

int main(int argc, char **argv)
{
	char folder[4096];
	void *late = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*three)(int) = late ? (int (*)(int))dlsym(late, "three") : NULL;

	printf("sum: %d %d %d %d\n", zero(0), one(1), two(2), three ? three(3) : 0);
	look_at_descriptors();
	look_at_threads();
	look_at_status();
	look_at_children();
	look_at_limits();
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "HEADSTART", 9) != 0)
			printf("environment: %s\n", *entry);
	printf("folder: %s\n", getcwd(folder, sizeof(folder)));
	printf("session of its parent: %d\n", getsid(0) == getsid(getppid()));
	linger(getenv("HEADSTART_TEST_LINGER"), getenv("HEADSTART_LOG"));
	return fflush(stdout) == 0 ? 7 : 1;
}
