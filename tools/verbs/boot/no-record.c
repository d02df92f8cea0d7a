/* SPDX-License-Identifier: MIT */
/* headstart boot record, where headstart was built without libtracefs. */
#include "verb.h"
#include "verbs/boot/boot.h"

int boot_record(double timeout, bool first)
{
	return verb_fail("this headstart was built without libtracefs, and cannot record a boot");
}
