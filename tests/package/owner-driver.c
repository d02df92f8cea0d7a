/* SPDX-License-Identifier: MIT */
/*
 * For the tests: owner-driver ROOT PATH… prints a line for each path: "dpkg|PACKAGE|ITS NAME FOR THE FILE|ADVICE", or
 * "-".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "package/owner.h"

static const char *const managers[] = {[PACKAGE_DPKG] = "dpkg", [PACKAGE_RPM] = "rpm"};

static int print(struct package_owner *owner)
{
	_cleanup_free_ char *advice = NULL;

	if (owner->manager == PACKAGE_NONE)
		return puts("-");
	if (package_advice(owner, &advice) < 0)
		return 1;
	printf("%s|%s|%s|%s\n", managers[owner->manager], owner->package, owner->path, advice);
	package_owner_release(owner);
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_free_ struct package_owner *owners = NULL;
	size_t n = argc > 2 ? (size_t)argc - 2 : 0;
	int r;

	owners = calloc(n + 1, sizeof(*owners));
	if (!owners || n == 0)
		return 2;
	r = package_owners(argv[1], (const char *const *)argv + 2, n, owners);
	if (r < 0) {
		fprintf(stderr, "%s\n", strerrorname_np(-r));
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		print(&owners[i]);
	return 0;
}
