/* SPDX-License-Identifier: MIT */
#include "learn/debts.h"

#include <stddef.h>

#define CREDIT_MS (DEBTS_CREDIT * DEBTS_PRICE)
#define LEAST_MS  10000

bool debts_owes(const struct debts *debts, uid_t user, uint64_t now_ms)
{
	if (debts->last_ms <= now_ms + CREDIT_MS)
		return false;
	for (size_t i = 0; i < DEBTS_USERS; i++)
		if (debts->items[i].user == user && debts->items[i].until_ms > now_ms + CREDIT_MS)
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

bool debts_add(struct debts *debts, uid_t user, uint64_t waited_ms, uint64_t now_ms)
{
	struct debt *debt = place_of(debts, user);
	bool owed = debts_owes(debts, user, now_ms), owes;

	if (debt->until_ms < now_ms)
		debt->until_ms = now_ms;
	debt->until_ms += waited_ms * DEBTS_PRICE;
	owes = debt->until_ms > now_ms + CREDIT_MS;
	if (owes && !owed && debt->until_ms < now_ms + CREDIT_MS + LEAST_MS)
		debt->until_ms = now_ms + CREDIT_MS + LEAST_MS;
	if (debt->until_ms > debts->last_ms)
		debts->last_ms = debt->until_ms;
	return owes && !owed;
}
