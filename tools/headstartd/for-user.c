/* SPDX-License-Identifier: MIT */
#include "headstartd/for-user.h"

#include <signal.h>
#include <unistd.h>

#include "headstartd/child.h"
#include "headstartd/own.h"
#include "headstartd/owners.h"
#include "headstartd/process.h"

#define HELPER_S 120 /* longer than any process of the user's is waited for */

/* In a service no shim would use the plan. */
static _Noreturn void help(
	const struct carry *carry, const struct carry_helper *start, const struct process_owner *owner)
{
	struct carry_told told = {.outcome = N_CARRY, .user = owner->user};

	child_begin(carry->daemon, SIGTERM, HELPER_S);
	if (process_in_service(start->start) || !owners_has(owner->user, start->program))
		_exit(0);
	told.own = own_carry(owner, start->start, start->program, start->executed);
	if (told.own == OWN_ENDED)
		owners_drop(owner->user, start->program);
	carry_tell(carry->results, &told);
	_exit(0);
}

void for_user_begin(struct carry *carry, const struct late *late, int32_t start)
{
	const struct carry_helper *helper = carry_helper_of(carry, start);
	struct carry_helper *place;
	struct process_owner owner;
	pid_t pid;

	if (!helper || !helper->executed || !process_owner(start, &owner) || owner.user != helper->user ||
		!late_allows(late, owner.user))
		return;
	place = carry_find_place(carry, owner.user);
	if (!place)
		return;
	pid = fork();
	if (pid == 0)
		help(carry, helper, &owner);
	if (pid > 0)
		*place = (struct carry_helper){.pid = pid, .user = owner.user};
}
