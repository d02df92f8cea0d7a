/* SPDX-License-Identifier: MIT */
/* Numbers, times and enums in words. */
#include "report/words.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/times.h"
#include "format/plan-view.h"

_Static_assert((int)PLAN_REGULAR == (int)PROFILE_REGULAR && (int)PLAN_DIRECTORY == (int)PROFILE_DIRECTORY &&
		(int)PLAN_SYMLINK == (int)PROFILE_SYMLINK,
	"words_kind() serves both");

const char *words_bytes(uint64_t bytes, char buffer[WORDS_MAX])
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes / 1000;
	size_t unit = 0;

	if (bytes < 1000) {
		snprintf(buffer, WORDS_MAX, "%u B", (unsigned)bytes);
		return buffer;
	}
	for (; value >= 999.95 && unit < 5; unit++)
		value /= 1000;
	snprintf(buffer, WORDS_MAX, "%.1f %s", value, units[unit]);
	return buffer;
}

const char *words_count(uint64_t count, char buffer[WORDS_MAX])
{
	char *at = buffer + WORDS_MAX - 1;

	*at = '\0';
	for (int digits = 0; digits == 0 || count > 0; digits++, count /= 10) {
		if (digits > 0 && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + count % 10);
	}
	return at;
}

const char *words_time(int64_t seconds, char buffer[WORDS_MAX])
{
	time_t time = (time_t)seconds;
	struct tm broken;

	if (!localtime_r(&time, &broken) || strftime(buffer, WORDS_MAX, "%Y-%m-%d %H:%M:%S %z", &broken) == 0)
		snprintf(buffer, WORDS_MAX, "second %lld", (long long)seconds);
	return buffer;
}

const char *words_build_id(const struct profile_file *file, size_t bytes, char *buffer)
{
	if (file->build_id_size == 0)
		return "-";
	if (bytes > file->build_id_size)
		bytes = file->build_id_size;
	for (size_t i = 0; i < bytes; i++)
		snprintf(buffer + 2 * i, 3, "%02x", file->build_id[i]);
	return buffer;
}

const struct words_bias words_biases[] = {
	{PROFILE_BIAS_READAHEAD, "readahead", "read-ahead was on: its pages count as touched"},
	{PROFILE_BIAS_RESIDENT, "resident",
		"some pages were already in memory and are recorded less precisely"},
	{PROFILE_BIAS_LOST, "lost", "events or pages went by unseen: some touches are missing"},
	{PROFILE_BIAS_TIMEOUT, "timeout", "ended by the timeout, not by the milestone"},
	{PROFILE_BIAS_UNNAMED, "unnamed",
		"files of other mount namespaces are missing: they have no name outside"},
	{PROFILE_BIAS_LEARNT, "learnt",
		"headstartd learnt it from a start that it had not prepared: some pages may be missing or too many"},
	{PROFILE_BIAS_REFINED, "refined",
		"headstartd has added pages that came late, and removed pages that starts did not touch"},
	{PROFILE_BIAS_AROUND, "around", "pages that the kernel maps beside a needed one count as touched"},
	{PROFILE_BIAS_ORDER, "order",
		"the order of mapped pages is known only in steps of some milliseconds"},
	{PROFILE_BIAS_UNSEEN, "unseen", "some programs, or what they read, could not be seen"},
	{PROFILE_BIAS_CALLED, "called",
		"of code, the pages of called functions count as touched, and no other code"},
	{PROFILE_BIAS_SAMPLED, "sampled",
		"processes were looked at now and then: short ones, and files that were read and closed, are missing"},
	{0, NULL, NULL},
};

const char *words_backend_name(uint32_t backend)
{
	switch (backend) {
	case PROFILE_BACKEND_FILEMAP:
		return "filemap";
	case PROFILE_BACKEND_SYNTHETIC:
		return "synthetic";
	case PROFILE_BACKEND_PTRACE:
		return "ptrace";
	case PROFILE_BACKEND_CALLGRIND:
		return "callgrind";
	case PROFILE_BACKEND_PAGEMAP:
		return "pagemap";
	default:
		return "unknown";
	}
}

const char *words_backend_meaning(uint32_t backend)
{
	switch (backend) {
	case PROFILE_BACKEND_FILEMAP:
		return "filemap tracepoints";
	case PROFILE_BACKEND_SYNTHETIC:
		return "made by hand";
	case PROFILE_BACKEND_PTRACE:
		return "ptrace and page tables";
	case PROFILE_BACKEND_CALLGRIND:
		return "valgrind's callgrind, imported: functions alone";
	case PROFILE_BACKEND_PAGEMAP:
		return "page tables and open files, now and then";
	default:
		return "unknown";
	}
}

const char *words_kind(uint32_t kind)
{
	switch (kind) {
	case PROFILE_REGULAR:
		return "regular";
	case PROFILE_DIRECTORY:
		return "directory";
	case PROFILE_SYMLINK:
		return "symlink";
	default:
		return "unknown";
	}
}

enum words_state words_plan_file_state(const char *path, const struct plan_file *file)
{
	struct stat st;

	if (lstat(path, &st) < 0 || (st.st_mode & S_IFMT) != plan_file_type(file))
		return STATE_GONE;
	return plan_file_is_fresh(file, (uint64_t)st.st_size, nanoseconds(st.st_mtim)) ? STATE_FRESH
										       : STATE_CHANGED;
}

const char *words_state_name(enum words_state state)
{
	switch (state) {
	case STATE_FRESH:
		return "fresh";
	case STATE_CHANGED:
		return "changed";
	case STATE_GONE:
		return "gone";
	}
	return "gone";
}
