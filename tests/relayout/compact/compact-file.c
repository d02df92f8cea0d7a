/* SPDX-License-Identifier: MIT */
/*
 * compact-file IN OUT [key=value …]: compacts a file with pages that are hot by chance, verifies it, and
 * prints what became of it. seed=N, hot=PERCENT, segments=N (most PT_LOADs), passes=N (enum note_pass bits).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "format/note.h"
#include "relayout/compact/compact.h"
#include "verify/compact/compact.h"
#include "verify/verify.h"

#define FILE_LIMIT ((size_t)1 << 30)

static unsigned long argument(char **argv, const char *key, unsigned long otherwise)
{
	for (; *argv; argv++) {
		const char *value = after_prefix(*argv, key);

		if (value)
			return strtoul(value, NULL, 10);
	}
	return otherwise;
}

/* Not rand(3): the same numbers with every libc. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void make_hot(struct relayout_image *image, uint32_t seed, unsigned percent)
{
	for (size_t i = 0; i < image->n_segments; i++)
		for (size_t page = 0; page < image->segments[i].n_pages; page++)
			if (next_random(&seed) % 100 < percent)
				image->segments[i].pages[page].order = next_random(&seed);
}

static int run_passes(struct relayout_image *image, const struct pass_options *options)
{
	struct pass_outcome outcome;
	int r = 0;

	if (options->passes & NOTE_PASS_RELR)
		r = pass_relr(image, options, &outcome);
	if (r == 0 && (options->passes & NOTE_PASS_RELOCS))
		r = pass_relocs(image, options, &outcome);
	return r;
}

static int write_file(const char *path, const struct compacted *compact)
{
	FILE *file = fopen(path, "we");
	bool ok = file && fwrite(compact->data, compact->size, 1, file) == 1;

	if (file && fclose(file) != 0)
		ok = false;
	return ok ? 0 : -EIO;
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *data = NULL;
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_(relayout_image_releasep) struct relayout_image image = {0};
	_cleanup_(compaction_freep) struct compaction *compaction = NULL;
	_cleanup_(compacted_releasep) struct compacted compact = {0};
	struct pass_options options = {.loader_knows_relr = true};
	struct verify_report report;
	const char *problem = NULL;
	size_t size;
	int r;

	if (argc < 3)
		return 2;
	options.max_segments = argument(argv + 3, "segments=", 0);
	options.passes = (uint32_t)argument(argv + 3, "passes=", NOTE_PASS_RELR | NOTE_PASS_RELOCS);
	r = read_file(argv[1], FILE_LIMIT, &data, &size);
	if (r == 0)
		r = elf_view_init(&view, (uint8_t *)data, size, &problem);
	if (r == 0)
		r = relayout_image_init(&image, &view, &problem);
	if (r == 0)
		make_hot(&image, (uint32_t)argument(argv + 3, "seed=", 1),
			(unsigned)argument(argv + 3, "hot=", 20));
	if (r == 0)
		r = compaction_begin(&compaction, &image, &options, &problem);
	if (r == 0)
		r = run_passes(&image, &options);
	if (r == 0)
		r = compaction_finish(compaction, 0, &compact, &problem);
	if (r == 0)
		r = verify_compacted((uint8_t *)data, size, compact.data, compact.size, &report);
	if (r == -EBADMSG || r == -ENODATA)
		problem = report.problem;
	if (r == 0)
		r = write_file(argv[2], &compact);
	if (r < 0) {
		fprintf(stderr, "%s %s\n", argv[1], problem ? problem : strerror(-r));
		return 1;
	}
	printf("size %zu -> %llu, hot %llu in %zu runs, %zu segments\n", size,
		(unsigned long long)compact.size, (unsigned long long)compact.hot_size, compact.n_hot_runs,
		compact.n_segments);
	return 0;
}
