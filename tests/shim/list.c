/* SPDX-License-Identifier: MIT */
/* list: takes the prefetcher's place, waits for the end of the program, and prints the list of --fd N. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/object-list.h"

int main(int argc, char **argv)
{
	int fd = argc > 2 && strcmp(argv[1], "--fd") == 0 ? atoi(argv[2]) : -1;
	const struct object_list *list = mmap(NULL, sizeof(*list), PROT_READ, MAP_SHARED, fd, 0);
	struct pollfd program = {.events = POLLIN};
	char path[OBJECT_PATH_SIZE];

	if (list == MAP_FAILED)
		return 1;
	program.fd = (int)syscall(SYS_pidfd_open, list->pid, 0);
	if (program.fd >= 0)
		poll(&program, 1, -1);
	for (uint32_t i = 0; object_list_get(list, i, path) != OBJECT_NONE; i++)
		printf("%s\n", path);
	return fflush(stdout) == 0 ? 0 : 1;
}
