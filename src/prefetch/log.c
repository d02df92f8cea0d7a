/* SPDX-License-Identifier: MIT */
/* Writes the lines of the log. */
#include "prefetch/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/paths/stranger.h"

/* A name may contain a newline, which would begin another line. */
static void mask_controls(char *line)
{
	for (; *line; line++)
		if (iscntrl((unsigned char)*line))
			*line = '?';
}

/*
 * Appends a line to $HEADSTART_LOG. Ignores a relative path, because the prefetcher works in another folder than the
 * process that set it. For root, also ignores a path that others can change.
 */
static void __attribute__((format(printf, 1, 2))) append_line(const char *format, ...)
{
	const char *path = getenv("HEADSTART_LOG");
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *line = NULL;
	struct stranger stranger;
	va_list arguments;
	int n;

	if (!path || path[0] != '/' || stranger_to_us(path, &stranger) == -EPERM)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
	if (fd < 0)
		return;
	va_start(arguments, format);
	n = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (n <= 0)
		return;
	mask_controls(line);
	line[n] = '\n'; /* in place of the NUL: one write, so that lines of several prefetchers do not mix */
	(void)write_full(fd, line, (size_t)n + 1);
}

void prefetch_log(const struct plan_view *plan, const struct prefetch_options *options,
	const struct prefetch_result *result)
{
	char read[32] = "unknown";

	if (result->read_known)
		snprintf(read, sizeof(read), "%" PRIu64, result->bytes_read);
	append_line("prefetch program=%s engine=%s opened=%u stale=%u missing=%u refused=%u asked=%" PRIu64
		    " skipped=%" PRIu64 " opened_us=%" PRIu64 " elapsed_us=%" PRIu64
		    " alongside=%d read=%s swept=%" PRIu64,
		plan->strings + LE32(plan->header->program), prefetch_engine_name(result->engine),
		result->opened, result->stale, result->missing, result->refused, result->bytes_asked,
		result->bytes_skipped_budget, result->opened_us, result->elapsed_us, options->alongside, read,
		result->bytes_swept);
}

void object_range_log(int fd, uint64_t offset, uint64_t length)
{
	char path[PATH_MAX];

	if (getenv("HEADSTART_LOG") && path_of_fd(fd, path) == 0)
		append_line("object offset=%" PRIu64 " length=%" PRIu64 " path=%s", offset, length, path);
}

void whole_mode_log(const struct whole_mode_result *result)
{
	append_line("objects seen=%u read=%u relaid=%u asked=%" PRIu64, result->seen, result->read,
		result->relaid, result->bytes);
}
