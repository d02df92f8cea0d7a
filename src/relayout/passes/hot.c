/* SPDX-License-Identifier: MIT */
/*
 * Which pages are mapped from the hot region (passes/turns.h). Turning a cold interval hot copies its pages for
 * nothing; turning a hot one cold costs a read at its old place.
 *
 * If the cap leaves too few PT_LOADs, many intervals have to be turned, and then one read fetches several of those that
 * are left in their old places near each other. How many, only the result shows. So several prices of a read are tried,
 * from the full one to nearly none, and the cheapest result is taken.
 */
#include "base/cleanup.h"
#include "relaid/cost.h"
#include "relayout/passes/pass.h"
#include "relayout/passes/turns.h"

static uint64_t turn_cost(const struct turns *turns, const struct turns_interval *interval, size_t saves)
{
	uint64_t pages_of_4096 = turns->image->granule / 4096, cost;
	const Elf64_Phdr *load = &turns->image->segments[interval->segment].load;
	uint64_t ends = load->p_flags & PF_X ? saves * COST_CODE_END_NS : 0;

	if (interval->hot) /* prefers the smaller of two: read-ahead at its old place fetches unneeded pages */
		cost = turns->read_ns + interval->touched * pages_of_4096 * COST_PAGE_NS;
	else
		cost = (interval->pages - interval->touched) * pages_of_4096 * COST_PAGE_NS;
	return cost > ends ? cost - ends : 0;
}

/*
 * The page with the beginning of DT_STRTAB, if it has to stay in its old place; or NULL.
 *
 * ldconfig(8) looks for the soname in the file, at the same distance from the beginning of DT_STRTAB as in memory. That is
 * right in one PT_LOAD. If the two lie on different pages, which may be mapped from different places, it is also right
 * from the old place: there the original's bytes are. A page that a pass has changed cannot stay.
 */
static const struct relayout_page *string_table_page(const struct relayout_image *image)
{
	const struct relayout_page *page;
	uint64_t strings, soname;
	char letter;

	if (!relayout_dynamic_get(image, DT_STRTAB, &strings) ||
		!relayout_dynamic_get(image, DT_SONAME, &soname))
		return NULL;
	page = relayout_page_at(image, strings);
	soname += strings;
	while (relayout_image_read(image, soname, &letter, 1) == 0 && letter)
		soname++;
	return page && !page->bytes && page != relayout_page_at(image, soname) ? page : NULL;
}

/* Whether the page has to be hot, or has to be cold. */
static bool must_be_hot(const struct relayout_page *page)
{
	return page->bytes;
}

static bool must_be_cold(const struct relayout_page *page, const struct relayout_page *kept)
{
	return page->pinned || page == kept;
}

/* Pages that are joined, which are hot or cold together. One that must be hot and one that must be cold part them. */
static struct turns_interval block_at(
	const struct relayout_segment *segment, size_t first, const struct relayout_page *kept)
{
	struct turns_interval block = {.first = first, .order = RELAYOUT_COLD};
	bool hot = false, cold = false, touched = false;

	for (size_t i = first; i < segment->n_pages; i++) {
		const struct relayout_page *page = &segment->pages[i];
		bool now_hot = hot || must_be_hot(page), now_cold = cold || must_be_cold(page, kept);

		if (i > first && (!page->joined || (now_hot && now_cold)))
			break;
		hot = now_hot;
		cold = now_cold;
		block.reads += !touched && page->order != RELAYOUT_COLD;
		touched = page->order != RELAYOUT_COLD;
		block.touched += touched;
		if (page->order < block.order)
			block.order = page->order;
		block.n++;
	}
	block.pages = block.n;
	block.stuck = hot || cold;
	block.hot = hot;
	return block;
}

/* A block is hot unless reading what is untouched of it costs more than reading what is touched elsewhere. */
static bool is_worth_copying(const struct turns *turns, const struct turns_interval *block)
{
	uint64_t pages_of_4096 = turns->image->granule / 4096;

	return block->touched > 0 &&
		(block->pages - block->touched) * pages_of_4096 * COST_PAGE_NS <= block->reads * COST_READ_NS;
}

static int add_blocks(struct turns *turns, size_t index, const struct relayout_page *kept)
{
	const struct relayout_segment *segment = &turns->image->segments[index];
	size_t page = 0;
	int r = 0;

	while (page < segment->n_pages && r == 0) {
		struct turns_interval block = block_at(segment, page, kept);

		block.segment = index;
		if (!block.stuck)
			block.hot = is_worth_copying(turns, &block);
		r = turns_add(turns, block, page > 0);
		page += block.n;
	}
	return r;
}

/* Gives the pages the state of their intervals. */
static void apply(const struct turns *turns)
{
	for (size_t i = 0; i < turns->n; i++) {
		const struct turns_interval *interval = &turns->all[i];
		struct relayout_page *pages = turns->image->segments[interval->segment].pages;

		for (size_t page = interval->first; page < interval->first + interval->n; page++) {
			pages[page].left = !interval->hot;
			if (interval->hot && pages[page].order == RELAYOUT_COLD)
				pages[page].order = RELAYOUT_LAST;
		}
	}
}

static uint64_t count_hot(const struct turns *turns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < turns->n; i++)
		n += turns->all[i].hot;
	return n;
}

static size_t cap_of(const struct relayout_image *image, const struct pass_options *options)
{
	size_t cap = options->max_segments ? options->max_segments : COST_MAX_SEGMENTS;
	size_t others = image->view->n_phdrs - image->view->n_loads + 1; /* the note is one more */

	if (image->executable && cap + others > COST_MAX_EXECUTABLE_PHDRS)
		cap = others < COST_MAX_EXECUTABLE_PHDRS ? COST_MAX_EXECUTABLE_PHDRS - others : 0;
	return cap;
}

/* A choice of hot intervals. */
struct choice {
	struct turns turns;
	uint64_t before, after; /* hot intervals */
	size_t n_loads;
};

static void choice_release(struct choice *choice)
{
	turns_release(&choice->turns);
}

static int choose(const struct relayout_image *image, const struct relayout_page *kept, size_t cap,
	uint64_t read_ns, struct choice *ret)
{
	int r = 0;

	*ret = (struct choice){.turns = {.image = image, .cost = turn_cost, .read_ns = read_ns}};
	for (size_t i = 0; i < image->n_segments && r == 0; i++)
		r = add_blocks(&ret->turns, i, kept);
	ret->before = count_hot(&ret->turns);
	if (r == 0)
		r = turns_choose(&ret->turns, cap);
	ret->after = count_hot(&ret->turns);
	ret->n_loads = ret->turns.n_loads + turns_other_loads(image);
	return r;
}

/* What a cold start reads of touched pages that are left in their old places, in ascending order. */
static uint64_t cost_of_left(const struct turns *turns, const struct turns_interval *interval, uint64_t *end)
{
	const struct relayout_segment *segment = &turns->image->segments[interval->segment];
	uint64_t granule = turns->image->granule, cost = 0;

	for (size_t i = interval->first; i < interval->first + interval->n; i++) {
		uint64_t offset = segment->offset + i * granule;

		if (segment->pages[i].order == RELAYOUT_COLD || offset < *end)
			continue;
		cost += COST_READ_NS;
		*end = offset + (granule > COST_READ_AHEAD ? granule : COST_READ_AHEAD);
	}
	return cost + interval->touched * (granule / 4096) * COST_PAGE_NS;
}

static uint64_t cost_of(const struct choice *choice)
{
	const struct turns *turns = &choice->turns;
	uint64_t hot = 0, end = 0, cost = choice->n_loads * COST_SEGMENT_NS;

	for (size_t i = 0; i < turns->n; i++) {
		if (turns->all[i].hot)
			hot += turns->all[i].pages * turns->image->granule;
		else
			cost += cost_of_left(turns, &turns->all[i], &end);
	}
	return cost + hot / COST_READ_AHEAD * COST_READ_NS + hot / 4096 * COST_PAGE_NS;
}

/* The cheapest choice. The full price is right unless the cap leaves too few PT_LOADs. */
static int choose_best(
	const struct relayout_image *image, const struct relayout_page *kept, size_t cap, struct choice *ret)
{
	static const unsigned shares[] = {4, 16, 64, COST_READ_NS};
	int r = choose(image, kept, cap, COST_READ_NS, ret);

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares) && r == 0 && ret->n_loads + 1 >= cap; i++) {
		_cleanup_(choice_release) struct choice other;

		r = choose(image, kept, cap, COST_READ_NS / shares[i], &other);
		if (r == 0 && cost_of(&other) < cost_of(ret)) {
			struct choice worse = *ret;

			*ret = other;
			other = worse;
		}
	}
	return r;
}

int pass_hot(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret)
{
	_cleanup_(choice_release) struct choice choice;
	size_t cap = cap_of(image, options);
	int r = choose_best(image, string_table_page(image), cap, &choice);

	if (r < 0)
		return r;
	if (choice.n_loads < cap)
		image->spare_segments = cap - choice.n_loads;
	apply(&choice.turns);
	*ret = (struct pass_outcome){
		.done = choice.after > 0, .before = choice.before, .after = choice.after};
	if (choice.after > 0)
		image->passes |= NOTE_PASS_HOT;
	return 0;
}
