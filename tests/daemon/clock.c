/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: moves time(2), by which the daemon counts days, by as many seconds as the file CLOCK says; and CLOCK_BOOTTIME by
 * the second number there, as if the machine had slept so long. Only time(2) reads the file: the file may change between two clocks
 * that are read one after the other, which would be a jump that the daemon is right not to believe.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long date, slept; /* seconds */

static void read_clock(void)
{
	FILE *file = fopen(CLOCK, "re");

	date = slept = 0;
	if (file && fscanf(file, "%lld %lld", &date, &slept) < 1)
		date = 0;
	if (file)
		fclose(file);
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r == 0 && id == CLOCK_BOOTTIME)
		ret->tv_sec += slept;
	return r;
}

time_t time(time_t *ret)
{
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	read_clock();
	now.tv_sec += date;
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
