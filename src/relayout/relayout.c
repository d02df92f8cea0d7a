/* SPDX-License-Identifier: MIT */
/*
 * A relayout from end to end: relay_init() is the table of contents. What holds between its steps:
 *
 *  - the orders are taken before any pass runs, and the passes that change pages run before the one that
 *    chooses hot runs, as a changed page is hot whatever its order;
 *  - changed dynamic entries are stored in their pages between these, for the same reason;
 *  - nothing changes the image once the output has been computed, which has checksums of it.
 */
#include "relayout/relayout.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strings.h"
#include "relayout/first-touch.h"
#include "relayout/gain.h"
#include "relayout/refuse.h"
#include "relaid/undo.h"

static bool has_build_id(const struct profile_file *file, const uint8_t *id, size_t size)
{
	if (size > PROFILE_BUILD_ID_MAX)
		size = PROFILE_BUILD_ID_MAX;
	return file->build_id_size == size && (size == 0 || memcmp(file->build_id, id, size) == 0);
}

/*
 * What the profile knows of the file: by its path, or, as a file may not lie where it will be installed, by
 * its build-id.
 */
static int find_file(const struct relay *relay, const struct relay_options *options, const char *path,
	const struct profile_file **ret, const char **ret_reason)
{
	const struct profile *profile = options->profile;
	bool known = false;
	size_t id_size = 0;
	const uint8_t *id = elf_view_build_id(&relay->original, &id_size);
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
	if (found->size != relay->current.size && found->size != relay->original.size) {
		*ret_reason = "is not the file that was recorded: its size differs";
		return -ESTALE;
	}
	*ret = found;
	return 0;
}

/* Parts of a relaid file that the profile knows are where they are mapped from now. */
static void take_orders(
	struct relay *relay, const struct profile_file *file, const struct relay_options *options)
{
	const struct elf_view *recorded =
		file->size == relay->current.size ? &relay->current : &relay->original;

	layout_take_orders(&relay->image, recorded, file, options->profile->page_size);
}

/* The original and its image. */
static int open_original(struct relay *relay, uint8_t *data, uint64_t size, const char **ret_reason)
{
	struct undo undo = {.size = size};
	int r = elf_view_init(&relay->current, data, size, ret_reason);

	if (r == 0)
		r = undo_prepare(data, size, &undo, ret_reason);
	if (r == 0)
		memcpy(data, &undo.header, sizeof(undo.header));
	if (r == 0 || r == -ENODATA)
		r = elf_view_init(&relay->original, data, undo.size, ret_reason);
	if (r == -EBADMSG)
		return -EOPNOTSUPP;
	if (r < 0)
		return r == -ENOEXEC ? -EOPNOTSUPP : r;
	*ret_reason = refuse_content(&relay->original);
	return *ret_reason ? -EOPNOTSUPP : layout_image_init(&relay->image, &relay->original, ret_reason);
}

/* The passes that change pages. */
static int change_pages(struct relay *relay, const struct layout_options *options)
{
	int r = 0;

	if (!layout_dynamic_writable(&relay->image)) {
		static const char reason[] =
			"the dynamic section lies on the first page, which cannot change";

		relay->passes[0].outcome.refusal = relay->passes[1].outcome.refusal = reason;
		return 0;
	}
	if (options->passes & NOTE_PASS_RELR)
		r = pass_relr(&relay->image, options, &relay->passes[0].outcome);
	if (r == 0 && (options->passes & NOTE_PASS_RELOCS))
		r = pass_relocs(&relay->image, options, &relay->passes[1].outcome);
	return r == 0 ? layout_dynamic_store(&relay->image) : r;
}

/* What was there is left as it is. */
static int overlay(struct relay *relay, const struct relay_options *options, const char **ret_reason)
{
	int r = change_pages(relay, &options->layout);

	if (r == 0)
		r = pass_hot(&relay->image, &options->layout, &relay->passes[2].outcome);
	if (r < 0)
		return r;
	if (relay->image.passes == 0) {
		*ret_reason = "has no pages that a start touches, but its first";
		return -ENODATA;
	}
	return layout_output_init(&relay->output, &relay->image, options->profile_checksum, ret_reason);
}

/* What is hot goes first. */
static int compact(struct relay *relay, const struct relay_options *options, const char **ret_reason)
{
	_cleanup_(layout_compaction_freep) struct layout_compaction *compaction = NULL;
	int r;

	relay->compacted = true;
	r = layout_compaction_begin(&compaction, &relay->image, &options->layout, ret_reason);
	if (r == 0)
		r = change_pages(relay, &options->layout);
	if (r == 0)
		r = layout_compaction_finish(
			compaction, options->profile_checksum, &relay->compact, ret_reason);
	if (r < 0)
		return r;
	relay->passes[2].outcome = (struct layout_outcome){
		.done = true,
		.before = relay->compact.n_touched_runs,
		.after = relay->compact.n_hot_runs,
	};
	return 0;
}

static int lay_out(struct relay *relay, const struct profile_file *file, const struct relay_options *options,
	const char **ret_reason)
{
	uint32_t page_size = options->profile->page_size;
	int r;

	if (options->layout.passes & NOTE_PASS_HOT)
		take_orders(relay, file, options);
	relay->before = predict_before(relay, file, page_size);
	if (options->layout.passes & NOTE_PASS_COMPACT)
		r = compact(relay, options, ret_reason);
	else
		r = overlay(relay, options, ret_reason);
	if (r == 0)
		r = predict_after(relay, file, page_size, &relay->after);
	if (r < 0)
		return r;
	if (options->only_gains && !relay->compacted && !predict_gain(relay)) {
		*ret_reason = "is read as well as it lies; --all relays it anyway";
		return -ENODATA;
	}
	return 0;
}

int relay_init(struct relay *ret, uint8_t *data, uint64_t size, const char *path,
	const struct relay_options *options, const char **ret_reason)
{
	const struct profile_file *file;
	int r;

	*ret = (struct relay){
		.passes = {{.name = "relr", .bit = NOTE_PASS_RELR},
			{.name = "relocs", .bit = NOTE_PASS_RELOCS}, {.name = "hot", .bit = NOTE_PASS_HOT}},
	};
	r = open_original(ret, data, size, ret_reason);
	if (r == 0)
		r = find_file(ret, options, path, &file, ret_reason);
	if (r == 0)
		r = lay_out(ret, file, options, ret_reason);
	if (r < 0)
		relay_release(ret);
	return r;
}

void relay_release(struct relay *relay)
{
	layout_output_release(&relay->output);
	layout_compact_release(&relay->compact);
	layout_image_release(&relay->image);
	elf_view_release(&relay->original);
	elf_view_release(&relay->current);
	*relay = (struct relay){0};
}

uint64_t relay_size(const struct relay *relay)
{
	return relay->compacted ? relay->compact.size : relay->output.size;
}

uint64_t relay_hot_size(const struct relay *relay)
{
	return relay->compacted ? relay->compact.hot_size : relay->output.pieces.hot_size;
}

uint64_t relay_keeps(const struct relay *relay)
{
	return relay->compacted ? 0 : relay->original.size;
}

int relay_write(const struct relay *relay, int fd)
{
	if (relay->compacted)
		return write_full(fd, relay->compact.data, relay->compact.size);
	return layout_output_write(&relay->output, fd);
}
