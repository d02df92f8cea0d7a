/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: moves time(2), by which the daemon counts days, by as many seconds as the file CLOCK says; and CLOCK_BOOTTIME by
 * the second number there, as if the machine had slept so long.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long shift_of(clockid_t id)
{
	long long date = 0, slept = 0;
	FILE *file = fopen(CLOCK, "re");

	if (file && fscanf(file, "%lld %lld", &date, &slept) < 1)
		date = 0;
	if (file)
		fclose(file);
	return id == CLOCK_BOOTTIME ? slept : date;
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r == 0 && id == CLOCK_BOOTTIME)
		ret->tv_sec += shift_of(id);
	return r;
}

time_t time(time_t *ret)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	now.tv_sec += shift_of(CLOCK_REALTIME);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
