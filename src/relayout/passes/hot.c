/* SPDX-License-Identifier: MIT */
/*
 * Which pages are mapped from the hot region (passes/turns.h). Turning a cold interval hot copies its pages for
 * nothing; turning a hot one cold costs a read at its old place.
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
		cost = COST_READ_NS + interval->touched * pages_of_4096 * COST_PAGE_NS;
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

static int add_pages(struct turns *turns, size_t index, const struct relayout_page *kept)
{
	const struct relayout_segment *segment = &turns->image->segments[index];
	int r = 0;

	for (size_t i = 0; i < segment->n_pages && r == 0; i++) {
		const struct relayout_page *page = &segment->pages[i];

		r = turns_add(turns,
			(struct turns_interval){
				.segment = index,
				.first = i,
				.n = 1,
				.pages = 1,
				.touched = page->order != RELAYOUT_COLD,
				.order = page->order,
				.hot = relayout_page_is_hot(page) && page != kept,
				.stuck = page->pinned || page->bytes || page == kept,
			},
			i > 0);
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

int pass_hot(struct relayout_image *image, const struct pass_options *options, struct pass_outcome *ret)
{
	_cleanup_(turns_release) struct turns turns = {.image = image, .cost = turn_cost};
	const struct relayout_page *kept = string_table_page(image);
	size_t cap = cap_of(image, options), n_loads;
	uint64_t before, after;
	int r = 0;

	for (size_t i = 0; i < image->n_segments && r == 0; i++)
		r = add_pages(&turns, i, kept);
	before = count_hot(&turns);
	if (r == 0)
		r = turns_choose(&turns, cap);
	if (r < 0)
		return r;
	n_loads = turns.n_loads + turns_other_loads(image);
	if (n_loads < cap)
		image->spare_segments = cap - n_loads;
	apply(&turns);
	after = count_hot(&turns);
	*ret = (struct pass_outcome){.done = after > 0, .before = before, .after = after};
	if (after > 0)
		image->passes |= NOTE_PASS_HOT;
	return 0;
}
