/* SPDX-License-Identifier: MIT */
/* Chooses functions by walking touched code and functions together, both ascending by address. */
#include "order/choose.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

#define FUNCTION_ALIGNMENT 16 /* bytes: GCC's and clang's on x86-64 and aarch64 at -O2 */

static bool overlaps(const struct order_function *function, const struct order_span *span)
{
	return function->address < span->address + span->size &&
		span->address < function->address + function->size;
}

/*
 * The earliest order of the spans that the function lies on. Moves *at to the first span that does not end before the
 * function.
 */
static bool first_touch(const struct order_touched *touched, const struct order_function *function,
	size_t *at, uint32_t *ret_order)
{
	bool found = false;

	while (*at < touched->n &&
		touched->spans[*at].address + touched->spans[*at].size <= function->address)
		++*at;
	for (size_t i = *at; i < touched->n && touched->spans[i].address < function->address + function->size;
		i++) {
		if (!overlaps(function, &touched->spans[i]) ||
			(found && touched->spans[i].order >= *ret_order))
			continue;
		*ret_order = touched->spans[i].order;
		found = true;
	}
	return found;
}

static int compare_choices(const void *a, const void *b)
{
	const struct order_choice *left = a, *right = b;

	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	return (left->function > right->function) - (left->function < right->function);
}

int order_choose(const struct order_image *image, const struct order_touched *touched, struct order_list *ret)
{
	_cleanup_(order_list_releasep) struct order_list list = {0};
	size_t at = 0;
	int r;

	for (size_t i = 0; i < image->n_functions; i++) {
		struct order_choice choice = {.function = &image->functions[i]};

		if (!first_touch(touched, choice.function, &at, &choice.order))
			continue;
		r = ARRAY_RESERVE(list.items, list.capacity, list.n + 1);
		if (r < 0)
			return r;
		list.items[list.n++] = choice;
	}
	if (list.n > 0)
		qsort(list.items, list.n, sizeof(*list.items), compare_choices);
	*ret = list;
	list = (struct order_list){0};
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct order_function *const *left = a, *const *right = b;

	return order_name_compare(*left, *right);
}

/* The functions of a list, ascending by name. The caller frees it. */
static const struct order_function **names_of(const struct order_list *list)
{
	const struct order_function **names = calloc(list->n + 1, sizeof(*names));

	if (!names)
		return NULL;
	for (size_t i = 0; i < list->n; i++)
		names[i] = list->items[i].function;
	qsort(names, list->n, sizeof(*names), compare_names);
	return names;
}

static bool is_among(const struct order_function *function, const struct order_function **names, size_t n)
{
	return bsearch(&function, names, n, sizeof(*names), compare_names) != NULL;
}

/* The index at which the names of the next function begin. */
static size_t next_function(const struct order_list *list, size_t i)
{
	uint64_t address = list->items[i].function->address;

	while (i < list->n && list->items[i].function->address == address)
		i++;
	return i;
}

int order_narrow(struct order_list *list, const struct order_list *other)
{
	_cleanup_free_ const struct order_function **names = names_of(other);
	size_t kept = 0, next;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i = next) {
		bool wanted = false;

		next = next_function(list, i);
		for (size_t alias = i; alias < next; alias++)
			wanted = wanted || is_among(list->items[alias].function, names, other->n);
		for (size_t alias = i; wanted && alias < next; alias++)
			list->items[kept++] = list->items[alias];
	}
	list->n = kept;
	return 0;
}

int order_append(struct order_list *list, const struct order_list *other)
{
	int r = ARRAY_RESERVE(list->items, list->capacity, list->n + other->n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < other->n; i++)
		list->items[list->n++] = other->items[i];
	return 0;
}

void order_list_release(struct order_list *list)
{
	free(list->items);
	*list = (struct order_list){0};
}

/* Counts pages and their runs. Pages must ascend. */
struct page_count {
	uint64_t pages, runs, last;
};

static void count_page(struct page_count *count, uint64_t page)
{
	if (count->pages > 0 && page == count->last)
		return;
	if (count->pages == 0 || page != count->last + 1)
		count->runs++;
	count->pages++;
	count->last = page;
}

/* Touched pages of code that keep their place in any order of functions: .init, .plt, .fini. */
static struct page_count pages_that_stay(const struct order_image *image, const struct order_touched *touched)
{
	struct page_count count = {0};

	for (size_t i = 0; i < touched->n; i++)
		if (order_text_left(image, touched->spans[i].address) < touched->spans[i].size)
			count_page(&count, touched->spans[i].page);
	return count;
}

/* Counts the functions that have a name of the list, chosen or not, and their bytes. */
static void count_functions(const struct order_image *image, const struct order_function **names,
	size_t n_names, uint64_t *ret_functions, uint64_t *ret_bytes)
{
	uint64_t functions = 0, bytes = 0;
	size_t next;

	for (size_t i = 0; i < image->n_functions; i = next) {
		const struct order_function *function = &image->functions[i];
		bool named = false;

		for (next = i;
			next < image->n_functions && image->functions[next].address == function->address;
			next++)
			named = named || is_among(&image->functions[next], names, n_names);
		if (!named)
			continue;
		functions++;
		bytes += (function->size + FUNCTION_ALIGNMENT - 1) / FUNCTION_ALIGNMENT * FUNCTION_ALIGNMENT;
	}
	*ret_functions = functions;
	*ret_bytes = bytes;
}

/*
 * Predicts the pages of the chosen functions laid together, which need not begin at a page, beside the pages that stay.
 * A page profile selects every function on a touched page, so the result may exceed what the start really executes. But
 * a start never executes more pages than before, so those are the limit.
 */
static void predict(struct order_summary *summary, const struct page_count *stay, uint32_t page_size)
{
	uint64_t pages = stay->pages, runs = stay->runs;

	if (summary->bytes > 0) {
		pages += (summary->bytes + page_size - 1) / page_size + 1;
		runs++;
	}
	summary->pages_after = pages < summary->pages_before ? pages : summary->pages_before;
	summary->runs_after = runs < summary->runs_before ? runs : summary->runs_before;
}

int order_summarize(const struct order_list *list, const struct order_image *image,
	const struct order_touched *touched, struct order_summary *ret)
{
	_cleanup_free_ const struct order_function **names = names_of(list);
	struct page_count before = {0}, stay = pages_that_stay(image, touched);
	struct order_summary summary = {0};
	uint64_t all;

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i = next_function(list, i))
		summary.functions++;
	count_functions(image, names, list->n, &all, &summary.bytes);
	summary.namesakes = all - summary.functions;
	for (size_t i = 0; i < touched->n; i++)
		count_page(&before, touched->spans[i].page);
	summary.pages_before = before.pages;
	summary.runs_before = before.runs;
	predict(&summary, &stay, touched->page_size);
	*ret = summary;
	return 0;
}
