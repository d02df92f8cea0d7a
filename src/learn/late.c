/* SPDX-License-Identifier: MIT */
#include "learn/late.h"

#include <stddef.h>

/* Where the user is, or can be put, in place of one who gets processes still; LATE_USERS: there is no more room. */
static size_t place_of(const struct late *late, uid_t user)
{
	size_t room = LATE_USERS;

	for (size_t i = LATE_USERS; i-- > 0;) {
		if (late->users[i].user == user)
			return i;
		if (late->users[i].times < LATE_TIMES && (room == LATE_USERS || late->users[room].user != 0))
			room = i;
	}
	return room;
}

bool late_allows(const struct late *late, uid_t user)
{
	size_t place = place_of(late, user);

	return user != 0 && place < LATE_USERS &&
		(late->users[place].user != user || late->users[place].times < LATE_TIMES);
}

void late_note(struct late *late, uid_t user, bool stuck)
{
	size_t place = place_of(late, user);

	if (user == 0 || place == LATE_USERS)
		return;
	if (late->users[place].user != user)
		late->users[place].times = 0;
	late->users[place].user = user;
	late->users[place].times = stuck ? LATE_TIMES : late->users[place].times + 1;
}
