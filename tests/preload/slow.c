/* SPDX-License-Identifier: MIT */
/*
 * slow ARGUMENT…: stands in for the prefetcher. It is no script, because the shim knows a prefetcher by its
 * executable. Two FIFOs and a file lie beside it: it writes its process id to `begun`, reads `go`, and appends its arguments to
 * `order`. If a test failed and left it behind, it ends after a minute.
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
	if (chdir(folder) < 0 || dprintf(open("begun", O_WRONLY | O_CLOEXEC), "%ld\n", (long)getpid()) < 0 ||
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
