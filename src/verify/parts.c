/* SPDX-License-Identifier: MIT */
/* Helpers of all parts of verify: reading memory, and reporting what is wrong. */
#include "verify/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void verify_report_note(struct verify_report *report, const struct note_relaid *note)
{
	report->profile = note->profile;
	report->passes = note->passes;
	report->granule = note->granule;
	report->original_size = note->original_size;
	memcpy(report->tool, note->tool, sizeof(note->tool));
}

int verify_wrong(struct verify *verify, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(verify->report->problem, sizeof(verify->report->problem), format, args);
	va_end(args);
	return -EBADMSG;
}

int verify_read_alloc(const struct elf_view *view, uint64_t address, uint64_t size, void **ret)
{
	_cleanup_free_ void *copy = NULL;

	/* No more bytes can come from the file than it has, so do not allocate more either. */
	if (size > view->size)
		return -ENODATA;
	copy = malloc(size ? size : 1);
	if (!copy)
		return -ENOMEM;
	if (!elf_view_read(view, address, copy, size))
		return -ENODATA;
	*ret = TAKE_PTR(copy);
	return 0;
}
