/* SPDX-License-Identifier: MIT */
/*
 * coverage FOLDER TOOL: touches known pages of the files of FOLDER in every way, some of which last until its end and some of
 * which do not. Then it runs 'TOOL mark', and waits to be killed.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page_size;
static char buffer[1 << 16];
static volatile char sink;

static int open_file(const char *name)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0) {
		perror(name);
		exit(10);
	}
	return fd;
}

static volatile char *map(const char *name)
{
	int fd = open_file(name);
	volatile char *at = mmap(NULL, 256 * page_size, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	if (at == MAP_FAILED)
		exit(11);
	return at;
}

static void read_page(int fd, size_t page)
{
	if (pread(fd, buffer, page_size, (off_t)(page * page_size)) != (ssize_t)page_size)
		exit(12);
}

/* What is mapped, or was read from the beginning of a file that is open, until the end. */
static void touch_and_keep(void)
{
	volatile char *at = map("mapped");

	sink = at[3 * page_size];
	sink = at[40 * page_size];
	sink = at[100 * page_size];
	if (read(open_file("open"), buffer, 5 * page_size) != (ssize_t)(5 * page_size))
		exit(13);
}

static void touch_and_leave(void)
{
	volatile char *at = map("unmapped");
	int fd = open_file("closed");
	void *library;

	sink = at[20 * page_size];
	munmap((void *)at, 256 * page_size);
	read_page(fd, 10);
	close(fd);
	library = dlopen("./libone.so.1", RTLD_NOW);
	if (!library || dlclose(library) != 0)
		exit(14);
}

static int told[2];

static void tell(void)
{
	if (write(told[1], "", 1) != 1)
		exit(15);
}

static void *in_thread(void *unused)
{
	sink = map("thread")[9 * page_size];
	tell();
	for (;;)
		pause();
	return unused;
}

static void touch_elsewhere(void)
{
	pthread_t thread;
	char byte;

	if (pipe(told) < 0 || pthread_create(&thread, NULL, in_thread, NULL) != 0)
		exit(16);
	if (fork() == 0) {
		sink = map("child")[7 * page_size];
		tell();
		for (;;)
			pause();
	}
	if (read(told[0], &byte, 1) != 1 || read(told[0], &byte, 1) != 1)
		exit(17);
}

static void execute(char *const *command)
{
	int status;
	pid_t child = vfork();

	if (child == 0) {
		execv(command[0], command);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(18);
}

int main(int argc, char **argv)
{
	char *const helper[] = {"./helper", "-n", "", "/dev/null", NULL};
	char *const mark[] = {argv[2], "mark", NULL};

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (argc != 3 || chdir(argv[1]) < 0)
		return 2;
	touch_and_keep();
	touch_and_leave();
	touch_elsewhere();
	execute(helper);
	execute(mark);
	for (;;)
		pause();
}
