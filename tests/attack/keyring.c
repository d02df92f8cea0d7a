/* SPDX-License-Identifier: MIT */
/*
 * keyring hold COMMAND…: executes COMMAND with a new session keyring, which has a secret in it.
 * keyring find: prints the secret that the session keyring of this process has, or "none".
 *
 * Exits with 77 where there are no keyrings, and with 2 for any other failure.
 */
#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TYPE   "user"
#define NAME   "headstart-test"
#define SECRET "roots-secret"

static int hold(char **command)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
		syscall(SYS_add_key, TYPE, NAME, SECRET, sizeof(SECRET) - 1, KEY_SPEC_SESSION_KEYRING) < 0) {
		perror("no keyring");
		return 77;
	}
	execvp(command[0], command);
	perror(command[0]);
	return 2;
}

static int find(void)
{
	char secret[64];
	long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, TYPE, NAME, 0);
	long size = key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, secret, sizeof(secret));

	if (size < 0 && errno != ENOKEY && errno != EACCES) {
		perror("cannot search");
		return 2;
	}
	printf("%.*s\n", size < 0 ? 4 : (int)size, size < 0 ? "none" : secret);
	return fflush(stdout) == 0 ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "hold") == 0)
		return hold(argv + 2);
	return argc == 2 && strcmp(argv[1], "find") == 0 ? find() : 2;
}
