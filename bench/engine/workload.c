/* SPDX-License-Identifier: MIT */
/* Makes workloads from a list of ranges, and reads and writes them as text. */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "device/device.h"

#define PAGE         4096u
#define WINDOW_PAGES 256u
#define PATH_LENGTH  1000

struct builder {
	struct workload *workload;
	struct string_table strings;
	size_t files_capacity, extents_capacity;
};

static int append_file(struct builder *builder, struct plan_file file)
{
	struct workload *workload = builder->workload;
	int r = ARRAY_RESERVE(workload->files, builder->files_capacity, workload->view.file_count + 1);

	if (r == 0)
		workload->files[workload->view.file_count++] = file;
	return r;
}

static int append_extent(struct builder *builder, struct plan_extent extent)
{
	struct workload *workload = builder->workload;
	int r = ARRAY_RESERVE(workload->extents, builder->extents_capacity, workload->view.extent_count + 1);

	if (r == 0)
		workload->extents[workload->view.extent_count++] = extent;
	return r;
}

/* The index of a file, which is added if it is new, or negative errno. */
static int find_file(struct builder *builder, const char *path)
{
	struct plan_view *view = &builder->workload->view;
	struct plan_file file = {.kind = LE32(PLAN_REGULAR)};
	struct stat st;
	int r;

	for (uint32_t i = 0; i < view->file_count; i++)
		if (streq(builder->strings.data + LE32(builder->workload->files[i].path), path))
			return (int)i;
	if (stat(path, &st) < 0)
		return -errno;
	r = string_table_add(&builder->strings, path, &file.path);
	if (r < 0)
		return r;
	file.size = LE64(st.st_size);
	file.mtime = LE64((int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
	file.inode = LE64(st.st_ino);
	r = append_file(builder, file);
	return r < 0 ? r : (int)view->file_count - 1;
}

static int add_line(struct builder *builder, const char *line)
{
	struct plan_extent extent = {0};
	char path[PATH_LENGTH + 1];
	int file;

	if (sscanf(line, "%1000s %" SCNu32 " %" SCNu32, path, &extent.page, &extent.pages) != 3 ||
		path[0] != '/')
		return -EINVAL;
	file = find_file(builder, path);
	if (file < 0)
		return file;
	extent.file = (uint32_t)file;
	return append_extent(builder, extent);
}

static uint64_t block_of(
	const struct workload *workload, const char *strings, const struct plan_extent *extent)
{
	const char *path = strings + LE32(workload->files[LE32(extent->file)].path);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ struct device_extent *runs = NULL;
	uint64_t offset = (uint64_t)LE32(extent->page) * PAGE;
	size_t count = 0;

	if (fd < 0 || device_extents(fd, &runs, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (offset >= runs[i].offset && offset - runs[i].offset < runs[i].length)
			return runs[i].physical + (offset - runs[i].offset);
	return 0;
}

/* An index and its sort key. */
struct ranked {
	uint64_t key;
	uint32_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return (left->key > right->key) - (left->key < right->key);
}

static int sort_files(struct workload *workload)
{
	uint32_t count = workload->view.file_count;
	_cleanup_free_ struct ranked *ranks = calloc(count + 1, sizeof(*ranks));
	_cleanup_free_ uint32_t *moved = calloc(count + 1, sizeof(*moved));
	_cleanup_free_ struct plan_file *files = calloc(count + 1, sizeof(*files));

	if (!ranks || !moved || !files)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct ranked){.key = LE64(workload->files[i].inode), .index = i};
	qsort(ranks, count, sizeof(*ranks), compare_ranked);
	for (uint32_t i = 0; i < count; i++) {
		files[i] = workload->files[ranks[i].index];
		moved[ranks[i].index] = i;
	}
	for (uint32_t i = 0; i < workload->view.extent_count; i++)
		workload->extents[i].file = LE32(moved[LE32(workload->extents[i].file)]);
	free(workload->files);
	workload->files = TAKE_PTR(files);
	return 0;
}

static int sort_extents(struct workload *workload, const char *strings)
{
	uint32_t count = workload->view.extent_count;
	_cleanup_free_ struct ranked *ranks = calloc(count + 1, sizeof(*ranks));
	_cleanup_free_ struct plan_extent *extents = calloc(count + 1, sizeof(*extents));

	if (!ranks || !extents)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct ranked){
			.key = block_of(workload, strings, &workload->extents[i]), .index = i};
	qsort(ranks, count, sizeof(*ranks), compare_ranked);
	for (uint32_t i = 0; i < count; i++)
		extents[i] = workload->extents[ranks[i].index];
	free(workload->extents);
	workload->extents = TAKE_PTR(extents);
	return 0;
}

static void finish(struct workload *workload, struct builder *builder, enum plan_order order)
{
	workload->strings = builder->strings.data;
	workload->header.page_size = LE32(PAGE);
	workload->header.order = LE32(order);
	workload->header.window_pages = LE32(WINDOW_PAGES);
	workload->view.header = &workload->header;
	workload->view.files = workload->files;
	workload->view.extents = workload->extents;
	workload->view.strings = workload->strings;
}

/* Fills a workload line by line. */
static int read_lines(const char *path, int (*add)(struct builder *, const char *), struct builder *builder)
{
	_cleanup_fclose_ FILE *text = fopen(path, "re");
	char line[PATH_LENGTH + 100];
	int r = 0;

	if (!text)
		return -errno;
	while (r == 0 && fgets(line, sizeof(line), text))
		r = add(builder, line);
	return r;
}

int workload_make(const char *list, enum plan_order order, struct workload *ret)
{
	struct builder builder = {.workload = ret};
	int r;

	*ret = (struct workload){0};
	r = read_lines(list, add_line, &builder);
	if (r == 0 && order == PLAN_ORDER_PHYSICAL)
		r = sort_files(ret);
	if (r == 0 && order == PLAN_ORDER_PHYSICAL)
		r = sort_extents(ret, builder.strings.data);
	finish(ret, &builder, order);
	return r;
}

void workload_print(const struct workload *workload)
{
	const struct plan_view *view = &workload->view;

	for (uint32_t i = 0; i < view->file_count; i++)
		printf("F %s %" PRIu64 " %" PRId64 "\n", plan_file_path(view, i),
			(uint64_t)LE64(view->files[i].size), (int64_t)LE64(view->files[i].mtime));
	for (uint32_t i = 0; i < view->extent_count; i++)
		printf("E %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", LE32(view->extents[i].file),
			LE32(view->extents[i].page), LE32(view->extents[i].pages));
}

static int parse_line(struct builder *builder, const char *line)
{
	struct plan_file file = {.kind = LE32(PLAN_REGULAR)};
	struct plan_extent extent = {0};
	char path[PATH_LENGTH + 1];
	int r;

	if (sscanf(line, "F %1000s %" SCNu64 " %" SCNd64, path, &file.size, &file.mtime) == 3) {
		r = string_table_add(&builder->strings, path, &file.path);
		return r < 0 ? r : append_file(builder, file);
	}
	if (sscanf(line, "E %" SCNu32 " %" SCNu32 " %" SCNu32, &extent.file, &extent.page, &extent.pages) ==
			3 &&
		extent.file < builder->workload->view.file_count)
		return append_extent(builder, extent);
	return -EINVAL;
}

int workload_read(const char *path, enum plan_order order, struct workload *ret)
{
	struct builder builder = {.workload = ret};
	int r;

	*ret = (struct workload){0};
	r = read_lines(path, parse_line, &builder);
	finish(ret, &builder, order);
	return r;
}

void workload_release(struct workload *workload)
{
	free(workload->files);
	free(workload->extents);
	free(workload->strings);
	*workload = (struct workload){0};
}
