/* SPDX-License-Identifier: MIT */
/*
 * plan-for FOLDER PROGRAM FILE…: makes a plan of PROGRAM over the whole of each file, with probes, as
 * FOLDER/NAME.plan. If $ORDER is "physical", it is in physical order, as for a rotational disk, and PROGRAM waits for it,
 * for $WAIT_MS milliseconds at most.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/io.h"
#include "format/plan-name.h"
#include "make-plan.h"

#define LONG_WAIT_MS 60000u /* longer than the shims wait */

int main(int argc, char **argv)
{
	struct plan_maker maker = {
		.window_pages = 32, .order = PLAN_ORDER_TOUCH, .program = argc > 2 ? argv[2] : NULL};
	char name[PLAN_NAME_SIZE], path[4096];
	const char *order = getenv("ORDER"), *wait = getenv("WAIT_MS");
	struct stat st;
	size_t size;
	void *data;
	int fd;

	if (argc < 4)
		return 2;
	if (order && strcmp(order, "physical") == 0)
		maker.order = PLAN_ORDER_PHYSICAL;
	if (maker.order == PLAN_ORDER_PHYSICAL)
		maker.wait_ms = wait ? (uint32_t)strtoul(wait, NULL, 10) : LONG_WAIT_MS;
	for (int i = 3; i < argc; i++) {
		plan_maker_whole(&maker, plan_maker_add(&maker, argv[i]));
		if (stat(argv[i], &st) < 0 || maker.probe_count == PLAN_PROBES_MAX)
			return 1;
		maker.probes[maker.probe_count].path = argv[i];
		maker.probes[maker.probe_count++].page = (uint32_t)(st.st_size / 2 / PLAN_MAKER_PAGE);
	}
	data = plan_maker_finish(&maker, &size);
	plan_name(argv[2], ".plan", name);
	snprintf(path, sizeof(path), "%s/%s", argv[1], name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write_full(fd, data, size) < 0)
		return 1;
	puts(path);
	free(data);
	plan_maker_release(&maker);
	return close(fd) == 0 ? 0 : 1;
}
