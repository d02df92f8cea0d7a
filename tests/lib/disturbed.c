/* SPDX-License-Identifier: MIT */
/*
 * For tests that are scripts: what disturbances.h knows.
 *
 * disturbed now                    prints the counters as they are now, in one line
 * disturbed since COUNTERS [THEN]  prints what has disturbed since, until now or THEN; exit status 1 if nothing has
 * disturbed load COUNTERS [THEN]   prints the share of the time in which somebody waited for a processor
 */
#include <sched.h>
#include <sys/mount.h>

#include "disturbances.h"

#define COUNTERS "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64

/* A test may have mounted something over what the kernel says of the machine: a test that could do that can be looked below. */
static void look_below_mounts(void)
{
	static const char *const files[] = {"/proc/vmstat", "/proc/stat", "/proc/pressure/cpu"};

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		while (umount2(files[i], MNT_DETACH) == 0)
			;
}

static struct disturbances parse(const char *text)
{
	struct disturbances read;

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		    &read.drops, &read.reclaimed, &read.waited, &read.stolen, &read.ticks, &read.queue,
		    &read.at) != 7) {
		fprintf(stderr, "disturbed: '%s' are no counters\n", text);
		exit(2);
	}
	return read;
}

int main(int argc, char **argv)
{
	struct disturbances before, after;
	char why[DISTURBANCES_TEXT];

	look_below_mounts();
	if (argc == 2 && strcmp(argv[1], "now") == 0) {
		after = disturbances_now();
		printf(COUNTERS "\n", after.drops, after.reclaimed, after.waited, after.stolen, after.ticks,
			after.queue, after.at);
		return 0;
	}
	if (argc < 3)
		return 2;
	before = parse(argv[2]);
	after = argc > 3 ? parse(argv[3]) : disturbances_now();
	if (strcmp(argv[1], "load") == 0) {
		printf("%.4f\n", disturbances_load(&before, &after));
		return 0;
	}
	if (!(argc > 3 ? disturbances_between(&before, &after, why, sizeof(why))
		       : disturbances_since(&before, why, sizeof(why))))
		return 1;
	puts(why);
	return 0;
}
