/* SPDX-License-Identifier: MIT */
#include "relayout/passes/turns.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "relaid/cost.h"

#define NONE SIZE_MAX

/* Turning over one interval, and its cost for each PT_LOAD that it saves. */
struct turn {
	uint64_t cost;
	size_t interval;
	unsigned version;
};

void turns_release(struct turns *turns)
{
	free(turns->all);
	free(turns->queue);
}

/* Orders turns by cost, and equal ones by address. */
static bool is_cheaper(const struct turn *one, const struct turn *other)
{
	return one->cost != other->cost ? one->cost < other->cost : one->interval < other->interval;
}

/* Sifts the last entry up. */
static int queue_push(struct turns *turns, struct turn turn)
{
	size_t at = turns->n_queue;

	if (ARRAY_RESERVE(turns->queue, turns->queue_capacity, turns->n_queue + 1) < 0)
		return -ENOMEM;
	turns->n_queue++;
	while (at > 0 && is_cheaper(&turn, &turns->queue[(at - 1) / 2])) {
		turns->queue[at] = turns->queue[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	turns->queue[at] = turn;
	return 0;
}

/* Takes the first, and sifts the last down from its place. */
static struct turn queue_pop(struct turns *turns)
{
	struct turn *queue = turns->queue, top = queue[0], last = queue[--turns->n_queue];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < turns->n_queue) {
		if (child + 1 < turns->n_queue && is_cheaper(&queue[child + 1], &queue[child]))
			child++;
		if (!is_cheaper(&queue[child], &last))
			break;
		queue[at] = queue[child];
		at = child;
	}
	queue[at] = last;
	return top;
}

static int offer(struct turns *turns, size_t index)
{
	const struct turns_interval *interval = &turns->all[index];
	size_t saves = (interval->before != NONE) + (interval->after != NONE);

	if (interval->stuck || saves == 0)
		return 0;
	return queue_push(
		turns, (struct turn){turns->cost(turns, interval, saves) / saves, index, interval->version});
}

size_t turns_other_loads(const struct relayout_image *image)
{
	size_t n = 1;

	for (size_t i = 0; i < image->n_segments; i++)
		n += image->segments[i].n_pages == 0;
	return n;
}

static void add_up(struct turns_interval *into, const struct turns_interval *from)
{
	if (from->first < into->first)
		into->first = from->first;
	into->n += from->n;
	into->pages += from->pages;
	into->touched += from->touched;
	into->reads += from->reads;
	if (from->order < into->order)
		into->order = from->order;
	into->stuck |= from->stuck;
}

int turns_add(struct turns *turns, struct turns_interval interval, bool follows)
{
	if (follows && turns->all[turns->n - 1].hot == interval.hot) {
		add_up(&turns->all[turns->n - 1], &interval);
		return 0;
	}
	if (ARRAY_RESERVE(turns->all, turns->capacity, turns->n + 1) < 0)
		return -ENOMEM;
	interval.before = follows ? turns->n - 1 : NONE;
	interval.after = NONE;
	if (follows)
		turns->all[turns->n - 1].after = turns->n;
	turns->all[turns->n++] = interval;
	turns->n_loads++;
	return 0;
}

static void absorb(struct turns *turns, size_t index, size_t neighbour)
{
	struct turns_interval *into = &turns->all[index], *from;

	if (neighbour == NONE)
		return;
	from = &turns->all[neighbour];
	if (neighbour < index) {
		into->before = from->before;
		if (into->before != NONE)
			turns->all[into->before].after = index;
	} else {
		into->after = from->after;
		if (into->after != NONE)
			turns->all[into->after].before = index;
	}
	add_up(into, from);
	from->gone = true;
	turns->n_loads--;
}

static int turn_over(struct turns *turns, size_t index)
{
	struct turns_interval *interval = &turns->all[index];
	size_t around[3];
	int r = 0;

	interval->hot = !interval->hot;
	absorb(turns, index, interval->before);
	absorb(turns, index, interval->after);
	around[0] = index;
	around[1] = interval->before;
	around[2] = interval->after;
	for (int i = 0; i < 3 && r == 0; i++) {
		if (around[i] == NONE)
			continue;
		turns->all[around[i]].version++;
		r = offer(turns, around[i]);
	}
	return r;
}

/* Removes the intervals that were joined with others. */
static void squeeze(struct turns *turns)
{
	size_t n = 0;

	for (size_t i = 0; i < turns->n; i++)
		if (!turns->all[i].gone)
			turns->all[n++] = turns->all[i];
	turns->n = n;
}

int turns_choose(struct turns *turns, size_t cap)
{
	size_t others = turns_other_loads(turns->image);
	int r = 0;

	for (size_t i = 0; i < turns->n && r == 0; i++)
		r = offer(turns, i);
	while (r == 0 && turns->n_queue > 0) {
		struct turn turn = queue_pop(turns);
		const struct turns_interval *interval = &turns->all[turn.interval];

		if (interval->gone || interval->version != turn.version)
			continue;
		if (turns->n_loads + others <= cap && turn.cost > COST_SEGMENT_NS)
			break;
		r = turn_over(turns, turn.interval);
	}
	squeeze(turns);
	return r;
}
