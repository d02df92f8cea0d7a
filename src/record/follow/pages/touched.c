/* SPDX-License-Identifier: MIT */
#include "record/follow/pages/touched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/open.h"
#include "base/files/residency.h"
#include "base/times.h"
#include "record/names/mounts.h"

#define FILES_MAX     (1u << 20)
#define PAGES_MAX     (64u << 20)  /* of one file: 16 MiB of bits */
#define BITS_MAX      (1ull << 31) /* of all files: 512 MiB, for 8 TiB */
#define AROUND_BYTES  65536u       /* fault_around_bytes, unless root has changed it */
#define LOOKS         8            /* pages of a file, to see whether it is cold */
#define LOOK_US       20           /* an answer that took longer was read from the disk */
#define COLD_ATTEMPTS 3

void touched_init(struct touched *touched, struct opens *opens, struct record_trace *trace, bool make_cold)
{
	*touched = (struct touched){
		.opens = opens,
		.trace = trace,
		.make_cold = make_cold,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

void touched_release(struct touched *touched)
{
	for (size_t i = 0; i < touched->count; i++) {
		free(touched->items[i].seen);
		free(touched->items[i].mapped);
		free(touched->items[i].hidden);
	}
	free(touched->items);
	inode_map_release(&touched->by_stat);
	inode_map_release(&touched->by_mapping);
}

uint64_t touched_now(struct touched *touched)
{
	uint64_t now = monotonic_ns();

	touched->time = now > touched->time ? now : touched->time + 1;
	return touched->time;
}

static uint32_t pack(dev_t device)
{
	return mounts_pack_device(major(device), minor(device));
}

size_t touched_find(const struct touched *touched, const struct stat *status)
{
	return inode_map_find(&touched->by_stat, pack(status->st_dev), status->st_ino);
}

/* How many of a few pages all over the file are in memory. The file is POSIX_FADV_RANDOM: a miss reads one page. */
static unsigned look(const struct touched *touched, int fd, uint64_t size)
{
	uint64_t pages = (size + touched->page_size - 1) / touched->page_size;
	uint64_t step = pages > LOOKS ? pages / LOOKS : 1;
	unsigned kept = 0;

	for (uint64_t page = 0, looked = 0; page < pages && looked < LOOKS; page += step, looked++)
		kept += residency_of_page(fd, page * touched->page_size, LOOK_US) == 1;
	return kept;
}

/* Takes the file out of the page cache, as far as nobody else has it mapped, and notes what stays. */
static void make_cold(struct touched *touched, int fd, uint64_t size)
{
	_cleanup_close_ int readable = open_descriptor_again(fd, O_RDONLY);
	unsigned kept = 0;

	if (readable < 0)
		return;
	posix_fadvise(readable, 0, 0, POSIX_FADV_RANDOM);
	for (int attempt = 0; attempt < COLD_ATTEMPTS; attempt++) {
		posix_fadvise(readable, 0, 0, POSIX_FADV_DONTNEED);
		kept = look(touched, readable, size);
		if (!kept)
			break;
	}
	/* Looking may have begun to read. */
	posix_fadvise(readable, 0, 0, POSIX_FADV_DONTNEED);
	touched->files_kept += kept > 0;
}

int touched_add(struct touched *touched, int fd, int32_t pid, bool cold, size_t *ret)
{
	struct touched_file file = {0};
	struct opens_key key;
	struct stat status;
	int r;

	if (fstat(fd, &status) < 0)
		return *ret = TOUCHED_NONE, 0;
	*ret = touched_find(touched, &status);
	if (*ret != TOUCHED_NONE)
		return 0;
	if (touched->count == FILES_MAX) {
		touched->trace->lost = true;
		return 0;
	}
	r = ARRAY_RESERVE(touched->items, touched->capacity, touched->count + 1);
	if (r == 0)
		r = inode_map_add(&touched->by_stat, pack(status.st_dev), status.st_ino, touched->count);
	if (r < 0)
		return r;
	r = opens_on_disk(touched->opens, fd, pid);
	file.ignored = r == 0;
	if (r > 0)
		r = opens_add(touched->opens, fd, pid, &key);
	if (r < 0)
		return r;
	if (!file.ignored) {
		file.device = key.device;
		file.inode = key.inode;
		file.ignored = !S_ISREG(status.st_mode);
	}
	if (!file.ignored && cold && touched->make_cold)
		make_cold(touched, fd, (uint64_t)status.st_size);
	*ret = touched->count;
	touched->items[touched->count++] = file;
	return 0;
}

int touched_add_ignored(struct touched *touched, size_t *ret)
{
	int r;

	*ret = TOUCHED_NONE;
	if (touched->count == FILES_MAX)
		return 0;
	r = ARRAY_RESERVE(touched->items, touched->capacity, touched->count + 1);
	if (r < 0)
		return r;
	*ret = touched->count;
	touched->items[touched->count++] = (struct touched_file){.ignored = true};
	return 0;
}

static bool bit_get(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] & 1 << i % 8;
}

static void bit_set(uint8_t *bits, uint64_t i)
{
	bits[i / 8] |= (uint8_t)(1 << i % 8);
}

static int grow_bits(uint8_t **bits, uint64_t before, uint64_t after)
{
	uint8_t *grown = realloc(*bits, after / 8);

	if (!grown)
		return -ENOMEM;
	memset(grown + before / 8, 0, (after - before) / 8);
	*bits = grown;
	return 0;
}

/* Makes room for that many pages: more than needed, since a file is mostly seen piece by piece. */
static int make_room(struct touched_file *file, uint64_t pages)
{
	uint64_t more = (pages + pages / 2 + 63) / 64 * 64;
	int r;

	if (pages <= file->pages)
		return 0;
	r = grow_bits(&file->seen, file->pages, more);
	if (r == 0)
		r = grow_bits(&file->mapped, file->pages, more);
	if (r == 0)
		file->pages = more;
	return r;
}

static bool is_hidden(const struct touched_file *file, uint64_t page)
{
	return page < file->hidden_pages && bit_get(file->hidden, page);
}

int touched_hide(struct touched *touched, size_t index, uint64_t first, uint64_t last)
{
	struct touched_file *file = index == TOUCHED_NONE ? NULL : &touched->items[index];
	int r;

	if (!file || file->ignored || last >= PAGES_MAX)
		return 0;
	if (last >= file->hidden_pages) {
		uint64_t pages = (last + last / 2 + 64) / 64 * 64, more = pages - file->hidden_pages;

		if (touched->bits + more > BITS_MAX)
			return 0;
		r = grow_bits(&file->hidden, file->hidden_pages, pages);
		if (r < 0)
			return r;
		touched->bits += more;
		file->hidden_pages = pages;
	}
	for (uint64_t page = first; page <= last; page++)
		bit_set(file->hidden, page);
	return 0;
}

bool touched_has_new(const struct touched *touched, size_t index, uint64_t first, uint64_t last)
{
	const struct touched_file *file = &touched->items[index];

	if (file->ignored)
		return false;
	if (last >= PAGES_MAX)
		return true; /* touched_pages() says that they are lost */
	for (uint64_t page = first; page <= last; page++)
		if ((page >= file->pages || !bit_get(file->seen, page)) && !is_hidden(file, page))
			return true;
	return false;
}

static int add_event(
	struct touched *touched, const struct touched_file *file, uint64_t first, uint64_t end, int32_t pid)
{
	const struct record_event event = {
		.time = touched_now(touched),
		.device = file->device,
		.inode = file->inode,
		.first = (uint32_t)first,
		.last = (uint32_t)(end - 1),
		.pid = pid,
		.kind = RECORD_TOUCH,
	};

	return first < end ? record_trace_add_event(touched->trace, &event) : 0;
}

int touched_pages(
	struct touched *touched, size_t index, uint64_t first, uint64_t last, int32_t pid, enum touch touch)
{
	struct touched_file *file = index == TOUCHED_NONE ? NULL : &touched->items[index];
	uint64_t begin = first;
	int r;

	if (!file || file->ignored || first > last)
		return 0;
	if (last >= PAGES_MAX || (last >= file->pages && touched->bits + last > BITS_MAX)) {
		touched->trace->lost = true;
		return 0;
	}
	touched->bits -= file->pages;
	r = make_room(file, last + 1);
	touched->bits += file->pages;
	for (uint64_t page = first; r == 0 && page <= last; page++) {
		bool counts = touch == TOUCH_READ || !is_hidden(file, page);

		if (touch == TOUCH_MAPPED && counts)
			bit_set(file->mapped, page);
		if (counts && !bit_get(file->seen, page)) {
			bit_set(file->seen, page);
			file->n_seen++;
			continue;
		}
		r = add_event(touched, file, begin, page, pid);
		begin = page + 1;
	}
	return r ? r : add_event(touched, file, begin, last + 1, pid);
}

static uint64_t around_in(const struct touched_file *file, uint64_t window)
{
	uint64_t around = 0;

	for (uint64_t page = 0; page < file->pages; page += window) {
		uint64_t n = 0;

		for (uint64_t i = page; i < page + window && i < file->pages; i++)
			n += bit_get(file->mapped, i);
		around += n ? n - 1 : 0;
	}
	return around;
}

uint64_t touched_around(const struct touched *touched)
{
	uint64_t window = AROUND_BYTES / touched->page_size, around = 0;

	for (size_t i = 0; window > 1 && i < touched->count; i++)
		around += around_in(&touched->items[i], window);
	return around;
}
