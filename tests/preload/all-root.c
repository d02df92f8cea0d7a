/* SPDX-License-Identifier: MIT */
/* all-root: set-user-ID, makes all its user ids the effective one, as some such programs do before they ask for something,
 * says so, and stays. */
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
