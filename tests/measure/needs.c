/* SPDX-License-Identifier: MIT */
/*
 * A program whose start takes long if a file is not in memory, or, for tests of a loss, if it is.
 *
 * needs cold FILE: waits until the end of the file is resident, a second at most.
 * needs warm FILE: waits a fifth of a second until it is resident, and if it is, a second more.
 * Both then read it.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 5

static bool resident(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char page = 0;
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) < 0)
		_exit(3);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (st.st_size - 1) & ~4095l);
	if (at == MAP_FAILED || mincore(at, 4096, &page) < 0)
		_exit(3);
	munmap(at, 4096);
	close(fd);
	return page & 1;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool becomes_resident(const char *path, long ms)
{
	long deadline = now_ms() + ms;

	while (!resident(path) && now_ms() < deadline)
		sleep_ms(STEP_MS);
	return resident(path);
}

static void read_through(const char *path)
{
	static char buffer[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "cold") == 0)
		becomes_resident(argv[2], 1000);
	else if (becomes_resident(argv[2], 200))
		sleep_ms(1000);
	read_through(argv[2]);
	return 0;
}
