/* SPDX-License-Identifier: MIT */
#include "lib/print/window-refusal.h"

#include <errno.h>

#include "verb.h"

int window_refusal(int err)
{
	switch (err) {
	case -ENOTCONN:
		return verb_fail(
			"cannot see windows: DISPLAY names no X11 display (in a Wayland session Xwayland "
			"is one); use --until idle:3");
	case -ENOSYS:
		return verb_fail("this build cannot see windows (it lacks libxcb): use --until idle:3");
	}
	return verb_fail_errno(err, "cannot see windows");
}
