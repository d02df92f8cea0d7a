/* SPDX-License-Identifier: MIT */
/*
 * For the tests: shadow-driver FOLDER SCRIPTS PROFILE [ORIGINAL]… makes copies and writes what --shadow writes beside
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "package/shadow.h"

int main(int argc, char **argv)
{
	_cleanup_free_ struct shadow_file *files = NULL;
	size_t n = argc > 4 ? (size_t)(argc - 4) : 0;
	struct stat st = {0};
	int r;

	files = calloc(n + 1, sizeof(*files));
	if (argc < 4 || !files)
		return 2;
	for (size_t i = 0; i < n; i++) {
		files[i] = (struct shadow_file){.original = argv[4 + i]};
		if (stat(files[i].original, &st) == 0) {
			files[i].size = (uint64_t)st.st_size;
			files[i].mtime = st.st_mtim.tv_sec;
		}
	}
	r = shadow_write(argv[1], argv[2], argv[3], files, n);
	if (r < 0)
		fprintf(stderr, "%s\n", strerrorname_np(-r));
	return r < 0;
}
