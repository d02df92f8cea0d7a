/* SPDX-License-Identifier: MIT */
/* Writes the line, and examines it. */
#include "setup/system/line.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/texts/preload-text.h"
#include "setup/system/battery.h"

int system_line_write(const struct system_line *line, const struct preload_file *before,
	const struct loader *loaders, size_t n_loaders, enum system_outcome *ret_outcome,
	const char **ret_culprit)
{
	_cleanup_(preload_file_releasep) struct preload_file after = {0};
	int r = preload_file_add(line->path, before, line->name, line->record, ret_culprit);

	*ret_outcome = SYSTEM_TAKEN_BACK;
	if (r < 0)
		return r;
	*ret_outcome = SYSTEM_WRITTEN;
	if (battery_machine_works(loaders, n_loaders))
		return 0;
	r = preload_file_read(line->path, &after);
	if (r == 0)
		r = preload_file_remove(line->path, &after, line->name, line->record, ret_culprit);
	*ret_outcome = r < 0 ? SYSTEM_STUCK : SYSTEM_TAKEN_BACK;
	return r;
}

enum system_state system_state_of(const struct system_line *line, const char *library)
{
	_cleanup_(preload_file_releasep) struct preload_file file = {0};
	int r = preload_file_read(line->path, &file);
	mode_t mode;

	if (r == -EACCES)
		return SYSTEM_UNREADABLE;
	if (r < 0 || !preload_text_has(file.text, file.size, line->name))
		return SYSTEM_NOTHING;
	if (access(library, R_OK) < 0)
		return SYSTEM_MISSING_LIBRARY;
	return preload_file_for_all(line->path, &mode) ? SYSTEM_INSTALLED : SYSTEM_NOT_FOR_ALL;
}
