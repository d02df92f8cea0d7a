/* SPDX-License-Identifier: MIT */
/* Preloaded into the recorder: the key for interrupt comes at the moment when the terminal's modes have been changed to pass on keys. */
#include <dlfcn.h>
#include <signal.h>
#include <termios.h>

int tcsetattr(int fd, int action, const struct termios *modes)
{
	int (*real)(int, int, const struct termios *) = dlsym(RTLD_NEXT, "tcsetattr");
	int r = real(fd, action, modes);

	if (fd == 0 && !(modes->c_lflag & ICANON))
		raise(SIGINT);
	return r;
}
