/* SPDX-License-Identifier: MIT */
/*
 * Counts the libraries that ld.so maps before the program runs the shim's constructor, as a measure of how long that
 * takes: the prefetcher of a rotational disk awaits the constructor only if there are few libraries. Those of an image
 * (options.root) are not counted.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "elf/closure.h"
#include "elf/script.h"
#include "plan/build/draft.h"

int draft_libraries(struct plan_draft *draft)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {0};
	_cleanup_free_ char *executed = NULL;
	const struct profile_file program = {.kind = PROFILE_REGULAR};
	int r;

	if (draft->root || draft_is_others(draft, &program, draft->profile->program))
		return 0;
	r = script_executed(draft->profile->program, &executed);
	if (r == 0)
		r = elf_closure_add(&closure, executed);
	if (r == 0)
		draft->libraries = (uint32_t)closure.n - 1;
	return r == -ENOMEM ? r : 0;
}
