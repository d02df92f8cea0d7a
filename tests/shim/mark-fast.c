/* SPDX-License-Identifier: MIT */
/* mark-fast FILE: marks the disk of the file as fast, as a prefetcher does in whole mode. */
#include <sys/stat.h>

#include "plan/store/disks.h"

int main(int argc, char **argv)
{
	struct stat st;

	return argc == 2 && stat(argv[1], &st) == 0 && disks_mark_fast(st.st_dev) == 0 ? 0 : 1;
}
