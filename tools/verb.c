/* SPDX-License-Identifier: MIT */
/* What verbs say on stderr. */
#include "verb.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* One line, whatever the names in it contain, and nothing that a terminal would act on. The caller frees it; NULL if there is no memory. */
static char *line_of(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return NULL;
	for (char *at = text; *at; at++) {
		if (iscntrl((unsigned char)*at))
			*at = '?';
		/* U+0080 to U+009F are control characters, too. */
		if (at[0] == '\xc2' && (at[1] & 0xe0) == 0x80)
			at[0] = at[1] = '?';
	}
	return text;
}

void verb_print(const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = line_of(format, args);
	va_end(args);
	if (text)
		fputs(text, stderr);
}

/* In one call of write(2): others may print meanwhile, and the kernel's log makes an entry of each. */
static void say(const char *format, va_list args, int error)
{
	_cleanup_free_ char *text = line_of(format, args);

	fprintf(stderr, "headstart: %s%s%s\n", text ? text : "out of memory", error ? ": " : "",
		error ? strerror(error < 0 ? -error : error) : "");
}

int verb_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, 0);
	va_end(args);
	return VERB_FAILED;
}

int verb_fail_errno(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, error);
	va_end(args);
	return VERB_FAILED;
}

int verb_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* If a write before this one failed, its reason is not known any more. */
	return verb_fail_errno(errno, "cannot write to standard output");
}

int verb_flush_report(int r)
{
	return r < 0 ? verb_fail_errno(r, "cannot print everything") : verb_flush();
}

void verb_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args, 0);
	va_end(args);
}

int verb_usage(const char *verb, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, format);
	text = line_of(format, args);
	va_end(args);
	fprintf(stderr, "headstart %s: %s; see 'headstart %s --help'\n", verb, text ? text : "out of memory",
		verb);
	return VERB_USAGE;
}

/* optind does not help within a cluster of short options: only the last of them advances it. */
int verb_getopt(
	int argc, char **argv, const char *shorts, const struct option *longs, const char **ret_culprit)
{
	static char letter[] = "-?";
	int before = optind, option;

	opterr = 0;
	option = getopt_long(argc, argv, shorts, longs, NULL);
	if (option != '?' && option != ':')
		return option;
	if (optind > before && strncmp(argv[optind - 1], "--", 2) == 0) {
		*ret_culprit = argv[optind - 1];
		return option;
	}
	letter[1] = (char)optopt;
	*ret_culprit = letter;
	return option;
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
