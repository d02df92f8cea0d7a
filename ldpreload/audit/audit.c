/* SPDX-License-Identifier: MIT */
/*
 * libheadstart-audit.so: the hooks of rtld-audit(7). ld.so calls la_version before it opens the first library of the
 * program, early enough for a prefetcher.
 *
 * If nothing is left to do, la_version returns 0, and ld.so unloads us. There is no la_symbind or la_pltenter: their
 * mere presence slows every call through the PLT.
 */
#include <link.h>

#include "audit/whole.h"
#include "plan/plan.h"
#include "prefetcher/serve.h"

#define HOOK __attribute__((visibility("default")))

const char shim_name[] = "audit";

/* The path of the program and its arguments, until its own code runs. */
static const char *program;
static struct start_arguments arguments;

/* Carries out the program's plan; false if it has none. */
static bool plan_serve(struct plan_target *target)
{
	struct plan plan;

	if (!plan_find(target, &plan))
		return false;
	serve_own(target->path, &plan);
	sys_close(plan.fd);
	return true;
}

/* ld.so runs this before la_version. */
__attribute__((constructor)) static void audit_begin(int argc, char **argv, char **envp)
{
	program = shim_begin(argc, argv, envp);
	if (program)
		arguments = arguments_of_start(argv, program);
}

HOOK unsigned int la_version(unsigned int version)
{
	struct plan_target target;

	if (!shim_wanted())
		return 0;
	plan_target_init(&target, program, -1, &arguments);
	if (shim_start.mode != SHIM_MODE_WHOLE)
		if (plan_serve(&target) || shim_start.mode == SHIM_MODE_PLAN)
			return 0;
	whole_begin(program, target.may_act);
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
