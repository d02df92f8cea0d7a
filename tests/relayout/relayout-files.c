/* SPDX-License-Identifier: MIT */
/*
 * Relayouts, verifies and undoes ELF files of the system in memory, each by several sets of passes and random
 * hot pages.
 *
 *     relayout-files <LIST-OF-PATHS
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "format/note.h"
#include "relayout-check.h"

#define SIZE_MAX_MB 8

struct counts {
	size_t files, relaid, wrong;
};

static void try_file(const char *path, struct counts *counts)
{
	static const uint32_t passes[] = {
		NOTE_PASS_HOT, NOTE_PASS_RELR, NOTE_PASS_HOT | NOTE_PASS_RELR | NOTE_PASS_RELOCS};
	_cleanup_free_ char *data = NULL;
	char problem[RELAYOUT_CHECK_MAX];
	bool accepted;
	size_t size;

	if (read_file(path, SIZE_MAX_MB << 20, &data, &size) < 0 || size < SELFMAG ||
		memcmp(data, ELFMAG, SELFMAG) != 0)
		return;
	counts->files++;
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
		if (!relayout_check(
			    (const uint8_t *)data, size, passes[i], (unsigned)i, &accepted, problem)) {
			fprintf(stderr, "FAIL: %s, passes %u: %s\n", path, passes[i], problem);
			counts->wrong++;
		}
		counts->relaid += accepted;
	}
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	struct counts counts = {0};
	size_t capacity = 0;
	ssize_t n;

	while ((n = getline(&line, &capacity, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		try_file(line, &counts);
	}
	printf("%zu files, relaid %zu times, %zu times wrong\n", counts.files, counts.relaid, counts.wrong);
	return counts.wrong > 0 || counts.relaid <= counts.files;
}
