/* SPDX-License-Identifier: MIT */
/* target [ARGUMENT]…: prints its arguments and its environment, without what belongs to the test. Exits with 7. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		printf("argument: %s\n", argv[i]);
	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "HEADSTART_", 10) != 0 && strncmp(*entry, "LD_PRELOAD=", 11) != 0)
			printf("environment: %s\n", *entry);
	return fflush(stdout) == 0 ? 7 : 1;
}
