/* SPDX-License-Identifier: MIT */
/*
 * slow ARGUMENT…: a prefetcher, which is known by its executable, and so is no script. Beside that there are two FIFOs and a
 * file: it writes to `begun`, reads `go`, and appends to `order` what its arguments were. A test that failed leaves it behind:
 * after a minute it ends by itself.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char folder[PATH_MAX], byte;
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	FILE *order;

	alarm(60);
	if (length <= 0)
		return 1;
	folder[length] = '\0';
	*strrchr(folder, '/') = '\0';
	if (chdir(folder) < 0 || write(open("begun", O_WRONLY | O_CLOEXEC), "\n", 1) != 1 ||
		read(open("go", O_RDONLY | O_CLOEXEC), &byte, 1) < 0)
		return 1;
	order = fopen("order", "ae");
	if (!order)
		return 1;
	fputs("prefetched", order);
	for (int i = 1; i < argc; i++)
		fprintf(order, " %s", argv[i]);
	fputc('\n', order);
	return fclose(order) == 0 ? 0 : 1;
}
