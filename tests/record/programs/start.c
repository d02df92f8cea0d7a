/* SPDX-License-Identifier: MIT */
/*
 * A program to be recorded: start DATA PLUGIN. It links two libraries, loads a third by dlopen, maps one half of DATA and
 * touches every third page of it, and reads pieces of the other half.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int one(void);
int two(void);

static int touch_mapped(const char *map, long pages, long page_size)
{
	int sum = 0;

	for (long page = 0; page < pages; page += 3)
		sum += map[page * page_size];
	return sum;
}

static int read_pieces(int fd, off_t from, off_t end)
{
	static char buffer[20000];
	int sum = 0;

	for (; from < end; from += 100000)
		if (pread(fd, buffer, sizeof(buffer), from) > 0)
			sum += buffer[0];
	/* One read that goes far past the end of the file. */
	lseek(fd, -3000, SEEK_END);
	while (read(fd, buffer, sizeof(buffer)) > 0)
		sum += buffer[0];
	return sum;
}

int main(int argc, char **argv)
{
	const long page_size = sysconf(_SC_PAGESIZE);
	int fd = open(argv[1], O_RDONLY | O_CLOEXEC), (*three)(void);
	struct stat status;
	void *plugin, *map;
	int sum = one() + two();

	if (fd < 0 || fstat(fd, &status) < 0)
		return 1;
	map = mmap(NULL, (size_t)status.st_size / 2, PROT_READ, MAP_PRIVATE, fd, 0);
	plugin = dlopen(argv[2], RTLD_NOW);
	if (map == MAP_FAILED || !plugin || !(three = (int (*)(void))dlsym(plugin, "three")))
		return 2;
	sum += touch_mapped(map, status.st_size / 2 / page_size, page_size);
	sum += read_pieces(fd, status.st_size / 2, status.st_size);
	printf("%d\n", sum + three());
	return 0;
}
