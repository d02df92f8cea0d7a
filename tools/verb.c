/* SPDX-License-Identifier: MIT */
/* What verbs say on stderr. */
#include "verb.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int verb_fail(const char *format, ...)
{
	va_list args;

	fputs("headstart: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return VERB_FAILED;
}

int verb_fail_errno(int error, const char *format, ...)
{
	va_list args;

	fputs("headstart: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(error < 0 ? -error : error));
	return VERB_FAILED;
}

void verb_note(const char *format, ...)
{
	va_list args;

	fputs("headstart: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int verb_usage(const char *verb, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "headstart %s: ", verb);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; see 'headstart %s --help'\n", verb);
	return VERB_USAGE;
}

bool verb_parse_u64(const char *text, unsigned long long *ret)
{
	char *end;
	unsigned long long value;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}
