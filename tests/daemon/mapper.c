/* SPDX-License-Identifier: MIT */
/*
 * Waits until the file GO exists, a minute at most, then touches the first half of each 64 KiB of DATA, which it has
 * mapped. Stays while there is a file GO.stay.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	volatile const char *map;
	struct stat st;
	volatile char sum = 0;
	int fd;

	for (int i = 0; i < 6000 && access(GO, F_OK) < 0; i++)
		usleep(10000);
	fd = open(DATA, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 2;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return 2;
	for (off_t page = 0; page < st.st_size / 4096; page++)
		if (page % 16 < 8)
			sum = (char)(sum + map[page * 4096]);
	usleep(300000); /* so that somebody can look at what was touched */
	for (int i = 0; i < 6000 && access(GO ".stay", F_OK) == 0; i++)
		usleep(10000);
	return 0;
}
