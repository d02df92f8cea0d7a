/* SPDX-License-Identifier: MIT */
#include "learn/late.h"

#include <stddef.h>

/* Where the user is, or can be put; LATE_USERS: there is no more room. */
static size_t place_of(const struct late *late, uid_t user)
{
	size_t i = 0;

	while (i < LATE_USERS && late->users[i].user != user && late->users[i].user != 0)
		i++;
	return i;
}

bool late_allows(const struct late *late, uid_t user)
{
	size_t place = place_of(late, user);

	return user != 0 && place < LATE_USERS && late->users[place].times < LATE_TIMES;
}

void late_note(struct late *late, uid_t user, bool stuck)
{
	size_t place = place_of(late, user);

	if (user == 0 || place == LATE_USERS)
		return;
	late->users[place].user = user;
	late->users[place].times = stuck ? LATE_TIMES : late->users[place].times + 1;
}
