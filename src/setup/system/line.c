/* SPDX-License-Identifier: MIT */
/* Writes the line, and examines it. */
#include "setup/system/line.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/texts/preload-text.h"
#include "setup/system/battery.h"

static bool is_there(const struct system_line *line)
{
	_cleanup_(preload_file_releasep) struct preload_file now = {0};

	return preload_file_read(line->path, &now) == 0 && preload_text_has(now.text, now.size, line->name);
}

static int take_back(const struct system_line *line, const char **ret_culprit)
{
	_cleanup_(preload_file_releasep) struct preload_file now = {0};
	int r = preload_file_read(line->path, &now);

	return r < 0 ? r : preload_file_remove(line->path, &now, line->name, line->record, ret_culprit);
}

/* A disk can fail when the new file has its name already: what everybody reads decides, not what the disk has said. */
static enum system_outcome after_failure(const struct system_line *line, int error)
{
	const char *unused;

	if (error == -ESTALE) /* somebody else's, whatever it says */
		return SYSTEM_TAKEN_BACK;
	if (is_there(line))
		(void)take_back(line, &unused);
	return is_there(line) ? SYSTEM_STUCK : SYSTEM_TAKEN_BACK;
}

int system_line_write(const struct system_line *line, const struct preload_file *before,
	const struct loader *loaders, size_t n_loaders, enum system_outcome *ret_outcome,
	const char **ret_culprit)
{
	int r = preload_file_add(line->path, before, line->name, line->record, ret_culprit);

	*ret_outcome = r < 0 ? after_failure(line, r) : SYSTEM_WRITTEN;
	if (r < 0 || battery_machine_works(loaders, n_loaders))
		return r;
	r = take_back(line, ret_culprit);
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
