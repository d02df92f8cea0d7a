/* SPDX-License-Identifier: MIT */
#include "learn/debts.h"

#include <stddef.h>

#define LEAST_MS 10000

/* Who has to pay longer owes too much. */
static uint64_t limit(const struct debts *debts, uint64_t now_ms)
{
	return now_ms + debts->credit_ms * debts->price;
}

bool debts_owes(const struct debts *debts, uid_t user, uint64_t now_ms)
{
	if (debts->last_ms <= limit(debts, now_ms))
		return false;
	for (size_t i = 0; i < DEBTS_USERS; i++)
		if (debts->items[i].user == user && debts->items[i].until_ms > limit(debts, now_ms))
			return true;
	return false;
}

/* Where the user is, or else the one who owes least. */
static struct debt *place_of(struct debts *debts, uid_t user)
{
	struct debt *place = debts->items;

	for (size_t i = 0; i < DEBTS_USERS; i++) {
		if (debts->items[i].user == user && debts->items[i].until_ms > 0)
			return &debts->items[i];
		if (debts->items[i].until_ms < place->until_ms)
			place = &debts->items[i];
	}
	*place = (struct debt){.user = user};
	return place;
}

bool debts_take(struct debts *debts, uid_t user, uint64_t taken_ms, uint64_t now_ms)
{
	struct debt *debt = place_of(debts, user);
	uint64_t until_ms = (debt->until_ms > now_ms ? debt->until_ms : now_ms) + taken_ms * debts->price;

	if (until_ms > limit(debts, now_ms))
		return false;
	debt->until_ms = until_ms;
	if (until_ms > debts->last_ms)
		debts->last_ms = until_ms;
	return true;
}

bool debts_add(struct debts *debts, uid_t user, uint64_t taken_ms, uint64_t now_ms)
{
	struct debt *debt = place_of(debts, user);
	bool owed = debts_owes(debts, user, now_ms), owes;

	if (debt->until_ms < now_ms)
		debt->until_ms = now_ms;
	debt->until_ms += taken_ms * debts->price;
	owes = debt->until_ms > limit(debts, now_ms);
	if (owes && !owed && debt->until_ms < limit(debts, now_ms) + LEAST_MS)
		debt->until_ms = limit(debts, now_ms) + LEAST_MS;
	if (debt->until_ms > debts->last_ms)
		debts->last_ms = debt->until_ms;
	return owes && !owed;
}
