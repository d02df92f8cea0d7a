/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's baseline "files": starts the readahead of every file of a list, whole and in that order, then
 * executes a command. `vmtouch -t` in front of a program does the same, but stops for every single page.
 *
 *     read-files LIST COMMAND [ARGUMENT…]        LIST: one path a line
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel silently truncates a request for readahead to the device's limits; this is below them. */
#define CHUNK (128 * 1024) /* bytes */

static void read_ahead(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		for (off_t at = 0; at < st.st_size; at += CHUNK)
			(void)posix_fadvise(fd, at, CHUNK, POSIX_FADV_WILLNEED);
	close(fd);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	FILE *list;

	if (argc < 3) {
		fprintf(stderr, "read-files: usage: read-files LIST COMMAND [ARGUMENT...]\n");
		return 2;
	}
	list = fopen(argv[1], "re");
	if (!list) {
		fprintf(stderr, "read-files: cannot read '%s': %s\n", argv[1], strerror(errno));
		return 1;
	}
	while ((length = getline(&line, &size, list)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		read_ahead(line);
	}
	free(line);
	fclose(list);
	execvp(argv[2], argv + 2);
	fprintf(stderr, "read-files: cannot execute '%s': %s\n", argv[2], strerror(errno));
	return 127;
}
