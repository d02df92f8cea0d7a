/* SPDX-License-Identifier: MIT */
#include "headstartd/users/for-user.h"

#include <signal.h>
#include <unistd.h>

#include "headstartd/helpers/child.h"
#include "headstartd/look/process.h"
#include "headstartd/users/own.h"
#include "headstartd/users/owners.h"

#define HELPER_S 120 /* longer than any process of the user's is waited for */

/* In a service no shim would use the plan. */
static _Noreturn void help(const struct carry *carry, const struct carry_helper *start)
{
	struct carry_told told = {.outcome = N_CARRY, .user = start->user};
	struct process_owner owner;

	child_begin(carry->daemon, SIGTERM, HELPER_S);
	child_keep_only(carry->results);
	if (!process_owner(start->start, &owner) || owner.user != start->user ||
		process_in_service(start->start) || !owners_has(owner.user, start->program))
		_exit(0);
	told.own = own_carry(&owner, start->start, start->program, start->executed);
	if (told.own == OWN_WITHOUT)
		owners_drop(owner.user, start->program);
	carry_tell(carry->results, &told);
	_exit(0);
}

void for_user_begin(struct carry *carry, const struct late *late, uint64_t exec)
{
	const struct carry_helper *helper = carry_helper_of(carry, exec);
	struct carry_helper *place;
	pid_t pid;

	if (!helper || !helper->executed || !late_allows(late, helper->user))
		return;
	place = carry_find_place(carry, helper->user);
	if (!place)
		return;
	pid = fork();
	if (pid == 0)
		help(carry, helper);
	if (pid > 0)
		*place = (struct carry_helper){.pid = pid, .user = helper->user};
}
