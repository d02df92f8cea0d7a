/* SPDX-License-Identifier: MIT */
#include "learn/calendar.h"

#include <time.h>

#include "base/times.h"

int64_t calendar_date(struct calendar *calendar, int64_t now, uint64_t running)
{
	int64_t booted = now - (int64_t)running;

	if (!calendar->begun || booted > calendar->booted + CALENDAR_JUMP_S ||
		booted < calendar->booted - CALENDAR_JUMP_S)
		*calendar = (struct calendar){.begun = true, .booted = booted, .steady_from = running};
	return running - calendar->steady_from >= CALENDAR_STEADY_S ? now : 0;
}

int64_t calendar_today(struct calendar *calendar)
{
	int64_t now = time(NULL);

	return calendar_date(calendar, now, boottime_seconds());
}
