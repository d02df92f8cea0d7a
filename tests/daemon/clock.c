/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: moves time(2), by which the daemon counts days, by as many seconds as the file CLOCK says. */
#include <stdio.h>
#include <time.h>

time_t time(time_t *ret)
{
	FILE *file = fopen(CLOCK, "re");
	struct timespec now;
	long long shift = 0;

	clock_gettime(CLOCK_REALTIME, &now);
	if (file && fscanf(file, "%lld", &shift) != 1)
		shift = 0;
	if (file)
		fclose(file);
	now.tv_sec += shift;
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
