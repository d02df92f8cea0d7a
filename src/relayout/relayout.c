/* SPDX-License-Identifier: MIT */
/*
 * A relayout from end to end: relayout_init() is the table of contents. Invariants between its steps:
 *
 *  - first touches are taken before any pass runs, and the passes that change pages run before the one that chooses hot
 *    runs, because a changed page is hot whatever its order;
 *  - between these, changed dynamic entries are stored in their pages, for the same reason;
 *  - nothing changes the image after the output has been computed, which contains checksums of it.
 */
#include "relayout/relayout.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "relaid/undo.h"
#include "relayout/first-touch.h"
#include "relayout/refuse.h"

/* Bytes that a compact file may have more than its original in any case: program headers, and pages cut in two. */
#define GROWTH_IN_PAGES (32u << 10)

static bool has_build_id(const struct profile_file *file, const uint8_t *id, size_t size)
{
	if (size > PROFILE_BUILD_ID_MAX)
		size = PROFILE_BUILD_ID_MAX;
	return file->build_id_size == size && (size == 0 || memcmp(file->build_id, id, size) == 0);
}

/* Finds the file in the profile by its path or, since it may not lie where it will be installed, by its build-id. */
static int find_file(const struct relayout *relayout, const struct relayout_options *options,
	const char *path, const struct profile_file **ret, const char **ret_reason)
{
	const struct profile *profile = options->profile;
	bool known = false;
	size_t id_size = 0;
	const uint8_t *id = elf_view_build_id(&relayout->original, &id_size);
	const struct profile_file *found = NULL;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];
		bool here = streq(file->path, path);

		if (file->kind != PROFILE_REGULAR)
			continue;
		known |= here;
		if (has_build_id(file, id, id_size) && (here || (id && !found)))
			found = file;
		if (found && here)
			break;
	}
	if (!found) {
		*ret_reason = known ? "is not the file that was recorded: its build-id differs"
				    : "is not in the profile";
		return known ? -ESTALE : -ENODATA;
	}
	if (found->size != relayout->current.size && found->size != relayout->original.size) {
		*ret_reason = "is not the file that was recorded: its size differs";
		return -ESTALE;
	}
	*ret = found;
	return 0;
}

/* If the profile knows the relaid file, its pages are those that the relaid file maps. */
static void take_first_touches(
	struct relayout *relayout, const struct profile_file *file, const struct relayout_options *options)
{
	const struct elf_view *recorded =
		file->size == relayout->current.size ? &relayout->current : &relayout->original;

	relayout_take_first_touches(&relayout->image, recorded, file, options->profile->page_size);
}

/* The original and its image. */
static int open_original(struct relayout *relayout, uint8_t *data, uint64_t size, const char **ret_reason)
{
	struct undo undo = {.size = size};
	int r;

	*ret_reason = refuse_kind(data, size);
	if (*ret_reason)
		return -EOPNOTSUPP;
	r = elf_view_init(&relayout->current, data, size, ret_reason);
	if (r == 0)
		r = undo_prepare(data, size, &undo, ret_reason);
	if (r == 0)
		memcpy(data, &undo.header, sizeof(undo.header));
	if (r == 0 || r == -ENODATA)
		r = elf_view_init(&relayout->original, data, undo.size, ret_reason);
	if (r == -EBADMSG)
		return -EOPNOTSUPP;
	if (r < 0)
		return r == -ENOEXEC ? -EOPNOTSUPP : r;
	*ret_reason = refuse_content(&relayout->original);
	return *ret_reason ? -EOPNOTSUPP
			   : relayout_image_init(&relayout->image, &relayout->original, ret_reason);
}

/* The passes that change pages. */
static int change_pages(struct relayout *relayout, const struct pass_options *options)
{
	int r = 0;

	if (!relayout_dynamic_writable(&relayout->image)) {
		static const char reason[] =
			"the dynamic section lies on the first page, which cannot change";

		relayout->passes[0].outcome.refusal = relayout->passes[1].outcome.refusal = reason;
		return 0;
	}
	if (options->passes & NOTE_PASS_RELR)
		r = pass_relr(&relayout->image, options, &relayout->passes[0].outcome);
	if (r == 0 && (options->passes & NOTE_PASS_RELOCS))
		r = pass_relocs(&relayout->image, options, &relayout->passes[1].outcome);
	return r == 0 ? relayout_dynamic_store(&relayout->image) : r;
}

/* Makes an overlay: what was there stays where it is. */
static int overlay(struct relayout *relayout, const struct relayout_options *options, const char **ret_reason)
{
	int r = change_pages(relayout, &options->pass_options);

	if (r == 0 && !options->pass_options.cut_functions)
		r = relayout_keep_functions_whole(&relayout->image, &options->whole);
	if (r == 0)
		r = pass_hot(&relayout->image, &options->pass_options, &relayout->passes[2].outcome);
	if (r < 0)
		return r;
	if (relayout->image.passes == 0) {
		*ret_reason = "has no page that a start touches, except its first";
		return -ENODATA;
	}
	return relayout_output_init(
		&relayout->output, &relayout->image, options->profile_checksum, ret_reason);
}

/* Makes a compact file: hot pages come first. */
static int compact(struct relayout *relayout, const struct relayout_options *options, const char **ret_reason)
{
	_cleanup_(compaction_freep) struct compaction *compaction = NULL;
	int r;

	relayout->compacted = true;
	r = compaction_begin(&compaction, &relayout->image, &options->pass_options, ret_reason);
	if (r == 0)
		r = change_pages(relayout, &options->pass_options);
	if (r == 0)
		r = compaction_finish(compaction, options->profile_checksum, &relayout->compact, ret_reason);
	if (r < 0)
		return r;
	relayout->passes[2].outcome = (struct pass_outcome){
		.done = true,
		.before = relayout->compact.n_touched_runs,
		.after = relayout->compact.n_hot_runs,
	};
	return 0;
}

/* Where in the result the pages lie that a start reads. */
static struct gain_places result_places(const struct relayout *relayout)
{
	const struct compacted *compact = &relayout->compact;

	if (relayout->compacted)
		return (struct gain_places){
			.together = compact->hot_size,
			.apart = compact->cold_touched * relayout->image.granule,
			.n_apart = compact->cold_reads,
			.segments = compact->n_segments,
		};
	return (struct gain_places){
		.together = relayout->output.size - relayout->image.tables_offset,
		.image = &relayout->image,
		.segments = relayout->output.pieces.n + 1,
	};
}

static int predict(struct relayout *relayout, const struct profile_file *file, uint32_t page_size)
{
	bool first = relayout->current.size == relayout->original.size;
	struct gain_places places = result_places(relayout);

	relayout->before = gain_before(&relayout->current, file, page_size);
	return gain_after(&places, &relayout->original, first ? file : NULL, page_size, &relayout->after);
}

/* A compact file is made for its size. Small files in pages of 64 KiB grow, since segments no longer share a page. */
static bool grows_much(const struct relayout *relayout)
{
	uint64_t before = relayout->original.size;

	return relayout->compact.size > before + before / 2 + GROWTH_IN_PAGES;
}

/* Whether the result is better than the original, as the caller wants it. Returns 0, or -ENODATA with the reason. */
static int check_gain(
	const struct relayout *relayout, const struct relayout_options *options, const char **ret_reason)
{
	bool is_first = relayout->current.size == relayout->original.size;

	if (relayout->compacted) {
		*ret_reason = "would become half as large again, or more; use --all to relayout it anyway";
		return grows_much(relayout) && !options->takes_losses ? -ENODATA : 0;
	}
	if (!options->takes_losses && is_first && gain_is_loss(&relayout->before, &relayout->after)) {
		*ret_reason =
			"would take a cold start longer to read than it does now; use --all to relayout it anyway";
		return -ENODATA;
	}
	if (options->only_gains &&
		!gain_is_worth(&relayout->before, &relayout->after, relayout->original.size)) {
		*ret_reason = "would not be read any better; use --all to relayout it anyway";
		return -ENODATA;
	}
	return 0;
}

static int lay_out(struct relayout *relayout, const struct profile_file *file,
	const struct relayout_options *options, const char **ret_reason)
{
	int r;

	if (options->pass_options.passes & NOTE_PASS_HOT)
		take_first_touches(relayout, file, options);
	if (options->pass_options.passes & NOTE_PASS_COMPACT)
		r = compact(relayout, options, ret_reason);
	else
		r = overlay(relayout, options, ret_reason);
	if (r == 0)
		r = predict(relayout, file, options->profile->page_size);
	if (r < 0)
		return r;
	return check_gain(relayout, options, ret_reason);
}

int relayout_init(struct relayout *ret, uint8_t *data, uint64_t size, const char *path,
	const struct relayout_options *options, const char **ret_reason)
{
	const struct profile_file *file;
	int r;

	*ret = (struct relayout){
		.passes = {{.name = "relr"}, {.name = "relocs"}, {.name = "hot"}},
	};
	r = open_original(ret, data, size, ret_reason);
	if (r == 0)
		r = find_file(ret, options, path, &file, ret_reason);
	if (r == 0)
		r = lay_out(ret, file, options, ret_reason);
	if (r < 0)
		relayout_release(ret);
	return r;
}

void relayout_release(struct relayout *relayout)
{
	relayout_output_release(&relayout->output);
	compacted_release(&relayout->compact);
	relayout_image_release(&relayout->image);
	elf_view_release(&relayout->original);
	elf_view_release(&relayout->current);
	*relayout = (struct relayout){0};
}

uint64_t relayout_size(const struct relayout *relayout)
{
	return relayout->compacted ? relayout->compact.size : relayout->output.size;
}

uint64_t relayout_hot_size(const struct relayout *relayout)
{
	return relayout->compacted ? relayout->compact.hot_size : relayout->output.pieces.hot_size;
}

uint64_t relayout_keeps(const struct relayout *relayout)
{
	return relayout->compacted ? 0 : relayout->original.size;
}

int relayout_write(const struct relayout *relayout, int fd)
{
	if (relayout->compacted)
		return write_full(fd, relayout->compact.data, relayout->compact.size);
	return relayout_output_write(&relayout->output, fd);
}
