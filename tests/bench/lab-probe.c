/* SPDX-License-Identifier: MIT */
/*
 * The program that the lab's tests run inside an image. It is static, so that an image needs nothing else. Each
 * argument is one action; they are done in order.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* Reads a file whole and prints its length. */
static void read_whole(const char *path)
{
	static char buffer[65536];
	long total = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		perror(path);
		exit(1);
	}
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		total += n;
	close(fd);
	printf("%ld\n", total);
}

/* Drops a file's pages from the page cache. */
static void forget(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void write_file(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs("written", file) < 0 || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

/* Prints the numbers of all open descriptors. */
static void print_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d ", fd);
	puts("");
}

static void print_environment(void)
{
	for (char **entry = environ; *entry; entry++)
		puts(*entry);
}

static void do_one(const char *what)
{
	const char *rest;

	if ((rest = after(what, "read=")))
		read_whole(rest);
	else if ((rest = after(what, "forget=")))
		forget(rest);
	else if ((rest = after(what, "write=")))
		write_file(rest);
	else if ((rest = after(what, "exists=")))
		puts(access(rest, F_OK) == 0 ? "yes" : "no");
	else if ((rest = after(what, "env=")))
		puts(getenv(rest) ? getenv(rest) : "unset");
	else if ((rest = after(what, "complain=")))
		fputs(rest, stderr);
	else if ((rest = after(what, "exit=")))
		exit(atoi(rest));
	else if (strcmp(what, "environment") == 0)
		print_environment();
	else if (strcmp(what, "descriptors") == 0)
		print_descriptors();
	else if (strcmp(what, "pid") == 0)
		printf("%ld\n", (long)getpid());
	else if (strcmp(what, "abort") == 0)
		raise(SIGKILL);
	else if (strcmp(what, "spawn") == 0 && fork() == 0)
		pause();
	else if (strcmp(what, "hang") == 0)
		pause();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 1; i < argc; i++)
		do_one(argv[i]);
	return 0;
}
