/* SPDX-License-Identifier: MIT */
/*
 * The command has the file open and writes wherever it likes, so the beginning cannot be cut off. It is made a hole, which takes no room.
 */
#include "verbs/watch/written.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "verb.h"

#define SHOWN (1 << 20) /* bytes; up to twice as much is on the disk */

void written_begin(struct written *written, bool aside)
{
	FILE *file = aside ? tmpfile() : NULL;
	int null;

	written->file = file;
	for (int fd = 0; fd < 3; fd++)
		written->kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (!file) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		return;
	}
	dup2(fileno(file), STDOUT_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
}

void written_shorten(const struct written *written)
{
	struct stat st;

	if (written->file && fstat(fileno(written->file), &st) == 0 && st.st_size > SHOWN &&
		st.st_blocks * 512 > 2 * SHOWN)
		(void)fallocate(fileno(written->file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			st.st_size - SHOWN);
}

static void show(FILE *file)
{
	char buffer[1 << 16];
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(fileno(file), &st) < 0)
		return;
	if (st.st_size > 2 * SHOWN) {
		at = st.st_size - SHOWN;
		verb_note("the command has written %.0f MB, of which this is the end:",
			(double)st.st_size / 1e6);
	}
	for (; (n = pread(fileno(file), buffer, sizeof(buffer), at)) > 0; at += n)
		if (write_full(STDOUT_FILENO, buffer, (size_t)n) < 0)
			return;
}

void written_end(struct written *written)
{
	for (int fd = 0; fd < 3; fd++)
		if (written->kept[fd] >= 0) {
			dup2(written->kept[fd], fd);
			close(written->kept[fd]);
		}
	if (written->file) {
		show(written->file);
		fclose(written->file);
	}
}
