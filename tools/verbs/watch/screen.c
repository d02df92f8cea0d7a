/* SPDX-License-Identifier: MIT */
/*
 * ECMA-48, and the alternate screen of xterm. What a signal handler writes is one write(2) of a constant, so that it may
 * come at any moment.
 */
#include "verbs/watch/screen.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"

#define ENTER "\033[?1049h\033[?25l\033[2J" /* the alternate screen, no cursor, empty */
#define LEAVE "\033[0m\033[?25h\033[?1049l" /* no colours, the cursor, the screen of before */

static volatile sig_atomic_t terminal = -1;
static struct sigaction before; /* of SIGTSTP */

static void tell(const char *sequence)
{
	ssize_t written = write((int)terminal, sequence, strlen(sequence));

	(void)written; /* a terminal that has gone needs nothing */
}

static void suspend(int signal_number)
{
	(void)signal_number;
	tell(LEAVE);
	kill(getpid(), SIGSTOP);
	tell(ENTER); /* after SIGCONT */
}

void screen_begin(int fd)
{
	const struct sigaction action = {.sa_handler = suspend, .sa_flags = SA_RESTART};

	terminal = fd;
	sigaction(SIGTSTP, &action, &before);
	tell(ENTER);
}

void screen_end(void)
{
	if (terminal < 0)
		return;
	tell(LEAVE);
	sigaction(SIGTSTP, &before, NULL);
	terminal = -1;
}

bool screen_size(int fd, size_t *ret_columns, size_t *ret_lines)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		return false;
	*ret_columns = size.ws_col;
	*ret_lines = size.ws_row;
	return true;
}

void screen_draw(const char *lines)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_fclose_ FILE *out = NULL;
	size_t size = 0;
	bool first = true;

	if (terminal < 0)
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	fputs("\033[H", out);
	for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		/* No newline after the last line: it would move everything up. */
		fputs(first ? "" : "\r\n", out);
		first = false;
		fwrite(lines, 1, length, out);
		fputs("\033[K", out); /* the rest of the line */
	}
	fputs("\033[J", out); /* the rest of the screen */
	if (fflush(out) == 0)
		write_full((int)terminal, text, size);
}
