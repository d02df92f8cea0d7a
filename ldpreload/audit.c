/* SPDX-License-Identifier: MIT */
/*
 * libheadstart-audit.so: the hooks of rtld-audit(7). ld.so calls la_version before it opens the first library
 * of the program, which is when a prefetcher is of use.
 *
 * Where nothing more is to be done la_version returns 0, and ld.so unloads us.
 * Never la_symbind or la_pltenter: their mere presence slows every call through the PLT.
 */
#include <link.h>

#include "plan.h"
#include "shim.h"
#include "whole.h"

#define HOOK __attribute__((visibility("default")))

HOOK unsigned int la_version(unsigned int version)
{
	const char *mode;

	if (!shim_wanted())
		return 0;
	mode = shim_environment("HEADSTART");
	if (!mode || !shim_equal(mode, "whole"))
		if (plan_serve() || (mode && shim_equal(mode, "plan")))
			return 0;
	whole_begin();
	return version;
}

HOOK unsigned int la_objopen(struct link_map *object, Lmid_t namespace, uintptr_t *cookie)
{
	if (namespace == LM_ID_BASE)
		whole_object(object);
	return 0;
}

HOOK char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	whole_search(name);
	return (char *)name;
}

HOOK void la_activity(uintptr_t *cookie, unsigned int activity)
{
	if (activity == LA_ACT_CONSISTENT)
		whole_start_mapped();
}
