/* SPDX-License-Identifier: MIT */
/*
 * all-root: a set-user-ID program that makes all its user ids the effective one, as some do before they ask for
 * something. Then it says so, and stays.
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	uid_t user = geteuid();

	if (setresuid(user, user, user) < 0 || getuid() != user)
		return 1;
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
