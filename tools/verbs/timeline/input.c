/* SPDX-License-Identifier: MIT */
#include "verbs/timeline/input.h"

#include <errno.h>

#include "timeline/timeline-file.h"
#include "verb.h"

int timeline_input(const char *path, bool boots, struct timeline *ret)
{
	enum timeline_fault fault = TIMELINE_GOOD;
	int r = timeline_load(path, ret, &fault);

	if (r == -EBADMSG && fault == TIMELINE_FOREIGN)
		return verb_fail("'%s' %s: %s", path, timeline_fault_text(fault),
			boots ? "that of the last boot is below /var/lib/headstart/boot"
			      : "'headstart trace' writes one");
	if (r == -EBADMSG)
		return verb_fail("'%s' %s", path, timeline_fault_text(fault));
	if (r == -EINVAL)
		return verb_fail("'%s' is not a regular file", path);
	if (r < 0)
		return verb_fail_errno(r, "cannot read '%s'", path);
	if (!boots || timeline_is_boot(ret))
		return 0;
	timeline_release(ret);
	return verb_fail(
		"'%s' is the timeline of a start, not of a boot: use 'headstart report' or 'headstart timeline'",
		path);
}
