/* SPDX-License-Identifier: MIT */
/* Target: the functions of an ELF file, all of whose pages are touched, as a linker script. */
#include "fuzz.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "order/choose.h"
#include "order/entries.h"
#include "order/write.h"

size_t inputs_taken;

static void order(const struct order_image *image)
{
	struct profile_range all = {.page = 0, .pages = UINT32_MAX, .order = 0, .runs = 1};
	struct profile_file file = {.ranges = &all, .n_ranges = 1};
	_cleanup_(order_touched_releasep) struct order_touched touched = {0};
	_cleanup_(order_list_releasep) struct order_list list = {0};
	struct order_summary summary;
	size_t left_out;

	for (size_t i = 0; i < image->n_functions; i++)
		must(image->functions[i].size > 0 && image->functions[i].name_length > 0);
	must(order_touched_pages(&touched, &file, 4096, image) == 0);
	must(order_choose(image, &touched, &list) == 0);
	must(list.n <= image->n_functions);
	must(order_summarize(&list, image, &touched, &summary) == 0);
	must(summary.functions <= list.n && summary.runs_before <= summary.pages_before);
	must(order_write(nowhere(), ORDER_LD_SCRIPT, &list, &left_out) == 0 && left_out <= list.n);
	inputs_taken += list.n > 0;
}

/* Where breakpoints would be planted: within the file, each place once. */
static void find_entries(int fd, size_t size)
{
	_cleanup_(order_entries_releasep) struct order_entries entries = {0};
	const char *problem = NULL;
	int r = order_entries_read(fd, "/nonexistent", &entries, &problem);

	must(r == 0 || (r == -ENOEXEC && problem));
	for (size_t i = 0; i < entries.n; i++) {
		must(entries.items[i].size > 0 && entries.items[i].offset < size);
		must(entries.items[i].size <= size - entries.items[i].offset);
		must(i == 0 || entries.items[i].offset > entries.items[i - 1].offset);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("fuzz-order", MFD_CLOEXEC);
	_cleanup_(order_image_releasep) struct order_image image = {0};
	const char *problem = NULL;
	int r;

	must(fd >= 0 && write_full(fd, data, size) == 0);
	r = order_image_read(fd, "/nonexistent", &image, &problem);
	must(r == 0 || r == -ENODATA || (r == -ENOEXEC && problem));
	if (r == 0)
		order(&image);
	find_entries(fd, size);
	return 0;
}
