/* SPDX-License-Identifier: MIT */
/*
 * headstart boot, in the launcher: 'prefetch' is built in, because it comes before everything else on a cold disk; the rest is
 * handed to headstart-tool.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "prefetcher/tool-path.h"
#include "verb.h"
#include "verbs/boot/boot.h"

int cmd_boot(int argc, char **argv)
{
	_cleanup_free_ char **all = NULL;

	if (argc == 2 && streq(argv[1], "prefetch"))
		return boot_prefetch();
	all = calloc((size_t)argc + 2, sizeof(*all));
	if (!all)
		return verb_fail_errno(ENOMEM, "cannot start headstart-tool");
	all[0] = (char *)"headstart";
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	return verb_fail_errno(exec_tool(all), "cannot start '%s'", HEADSTART_PRIVATE_DIR "/headstart-tool");
}
