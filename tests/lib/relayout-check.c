/* SPDX-License-Identifier: MIT */
#include "relayout-check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "relaid/undo.h"
#include "relayout/relayout.h"
#include "verify/compact/compact.h"
#include "verify/verify.h"

#define PATH       "/hostile"
#define PAGE_SIZE_ 4096u
#define MAX_RANGES 4096u
#define FILE_LIMIT (256u << 20)

static uint32_t mix(uint32_t value)
{
	value = (value ^ value >> 15) * 0x2c1b3c6du;
	value = (value ^ value >> 12) * 0x297a2d39u;
	return value ^ value >> 15;
}

/* A profile of the file, whatever build-id it has, which touches about a third of its pages in random order. */
static struct profile_file make_up(
	const uint8_t *data, size_t size, unsigned seed, struct profile_range *ranges)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	struct profile_file file = {
		.path = (char *)PATH, .kind = PROFILE_REGULAR, .size = size, .ranges = ranges};
	const char *problem;
	const uint8_t *id;

	for (uint32_t page = 0; page < size / PAGE_SIZE_ + 1 && file.n_ranges < MAX_RANGES; page++) {
		uint32_t random = mix(page * 31 + seed);

		if (random % 3 == 0)
			ranges[file.n_ranges++] = (struct profile_range){
				.page = page, .pages = 1, .order = random >> 8, .runs = 1};
	}
	if (elf_view_init(&view, data, size, &problem) < 0)
		return file;
	id = elf_view_build_id(&view, &file.build_id_size);
	if (!id)
		file.build_id_size = 0;
	if (file.build_id_size > sizeof(file.build_id))
		file.build_id_size = sizeof(file.build_id);
	memcpy(file.build_id, id ? id : data, file.build_id_size);
	return file;
}

/* The relaid file, as it would lie on the disk. */
static int write_out(const struct relayout *relayout, const uint8_t *data, uint8_t **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = memfd_create("relayout-check", MFD_CLOEXEC);
	_cleanup_free_ uint8_t *out = NULL;
	size_t size = relayout_size(relayout);
	int r;

	if (fd < 0)
		return -errno;
	if (size > FILE_LIMIT)
		return -EFBIG;
	r = write_full(fd, data, relayout_keeps(relayout));
	if (r == 0)
		r = relayout_write(relayout, fd);
	if (r < 0)
		return r;
	out = malloc(size);
	if (!out || pread(fd, out, size, 0) != (ssize_t)size)
		return -ENOMEM;
	*ret = TAKE_PTR(out);
	*ret_size = size;
	return 0;
}

static bool wrong(char problem[RELAYOUT_CHECK_MAX], const char *what, const char *detail)
{
	snprintf(problem, RELAYOUT_CHECK_MAX, "%s: %s", what, detail);
	return false;
}

/* `data` is the original: the given bytes, or, if these are a relaid file, the original that it contains. */
static bool check_overlay(const uint8_t *data, size_t size, const uint8_t *out, size_t out_size,
	char problem[RELAYOUT_CHECK_MAX])
{
	_cleanup_free_ uint8_t *original = NULL;
	struct verify_report report;
	const char *reason = "";
	struct undo undo;
	int r;

	r = verify_relaid(out, out_size, &report);
	if (r < 0)
		return wrong(problem, "verify does not take what relayout made", report.problem);
	r = undo_prepare(out, out_size, &undo, &reason);
	if (r < 0 || undo_copy(out, &undo, &original) < 0)
		return wrong(problem, "undo does not take what relayout made", reason);
	if (undo.size != size || memcmp(original, data, size) != 0)
		return wrong(problem, "undo", "gives back something else");
	return true;
}

static bool check_compacted(const uint8_t *data, size_t size, const uint8_t *out, size_t out_size,
	char problem[RELAYOUT_CHECK_MAX])
{
	struct verify_report report;

	if (verify_relaid(out, out_size, &report) != -EOPNOTSUPP)
		return wrong(problem, "a compacted file is told as something else", report.problem);
	if (verify_compacted(data, size, out, out_size, &report) < 0)
		return wrong(problem, "verify does not take what relayout made", report.problem);
	return true;
}

bool relayout_check(const uint8_t *data, size_t size, uint32_t passes, unsigned seed, bool *ret_accepted,
	char problem[RELAYOUT_CHECK_MAX])
{
	_cleanup_(relayout_releasep) struct relayout relayout = {0};
	_cleanup_free_ struct profile_range *ranges = calloc(MAX_RANGES, sizeof(*ranges));
	_cleanup_free_ uint8_t *copy = malloc(size ? size : 1), *out = NULL;
	struct profile_file file;
	struct profile profile = {
		.files = &file, .n_files = 1, .page_size = PAGE_SIZE_, .runs = 1, .touches = UINT32_MAX};
	const struct relayout_options options = {.profile = &profile,
		.pass_options = {.loader_knows_relr = true, .passes = passes},
		.takes_losses = true};
	const char *reason = NULL;
	size_t out_size = 0;
	int r;

	*ret_accepted = false;
	if (!ranges || !copy)
		return wrong(problem, "no memory", "");
	memcpy(copy, data, size);
	file = make_up(data, size, seed, ranges);
	r = relayout_init(&relayout, copy, size, PATH, &options, &reason);
	if (r < 0)
		return reason || r == -ENOMEM ? true : wrong(problem, "relayout", "gives no reason");
	r = write_out(&relayout, copy, &out, &out_size);
	if (r < 0)
		return wrong(problem, "cannot write", strerror(-r));
	*ret_accepted = true;
	return relayout.compacted ? check_compacted(copy, relayout.original.size, out, out_size, problem)
				  : check_overlay(copy, relayout.original.size, out, out_size, problem);
}
