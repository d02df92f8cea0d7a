/* SPDX-License-Identifier: MIT */
/* A relaid file that tests make by hand, and what of it is in the page cache. */
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/note.h"

#define PAGE       4096u
#define ORIGINAL   (1u << 20) /* bytes of each part of the file */
#define TABLES     (10 * PAGE)
#define HOT        (100 * PAGE)
#define WHOLE      (ORIGINAL + TABLES + HOT)
#define DROP_TRIES 200

/* A relaid file, as far as its note and the note's reader go. */
struct relaid {
	Elf64_Ehdr header;
	char original[ORIGINAL - sizeof(Elf64_Ehdr)];
	char relocations[TABLES - NOTE_REACH - sizeof(Elf64_Phdr)];
	struct note_segment note;
	Elf64_Phdr headers[1];
	char hot[HOT];
};

_Static_assert(sizeof(struct relaid) == WHOLE, "no padding");

static struct relaid good = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
				EV_CURRENT},
			.e_phoff = offsetof(struct relaid, headers),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
	.note =
		{
			.n_namesz = LE32(sizeof(NOTE_NAME)),
			.n_descsz = LE32(sizeof(struct note_relaid)),
			.n_type = LE32(NOTE_TYPE),
			.name = NOTE_NAME,
			.relaid =
				{
					.version = LE32(NOTE_VERSION),
					.passes = LE32(NOTE_PASS_HOT),
					.original_size = LE64(ORIGINAL),
					.granule = LE32(PAGE),
					.tables_offset = LE64(ORIGINAL),
					.tables_size = LE64(TABLES),
					.hot_offset = LE64(ORIGINAL + TABLES),
					.hot_size = LE64(HOT),
				},
		},
};

/* What of the file is resident besides its header and its tables, and whether that makes it warm. */
struct relaid_part {
	uint64_t offset;
	size_t size; /* bytes */
	bool warm;
};

static const struct relaid_part relaid_parts[] = {
	{WHOLE - 32 * PAGE, 32 * PAGE, false},
	{WHOLE - HOT / 2 - 32 * PAGE, 32 * PAGE, false},
	{ORIGINAL, TABLES + HOT, true},
};

static inline int write_file(char *path, const void *data, size_t size)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

/*
 * Drops the file from the page cache, and has it read without read-ahead from then on: what is still being read ahead cannot be
 * dropped. Returns false where nobody can tell whether that worked.
 */
static inline bool drop(int fd)
{
	char byte;
	struct iovec to = {.iov_base = &byte, .iov_len = 1};
	ssize_t found = 1;

	if (posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) != 0)
		return false;
	/* A page stays if somebody holds it for a moment, such as a processor that is about to put it into a list. */
	for (int i = 0; i < DROP_TRIES && found == 1; i++) {
		if (fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
			return false;
		found = preadv2(fd, &to, 1, 0, RWF_NOWAIT);
	}
	if (found >= 0 || errno != EAGAIN)
		return false;
	/* Asking has started a read. */
	return pread(fd, &byte, 1, 0) == 1 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;
}

/* Reads whole pages and nothing beside them. */
static inline void read_pages(int fd, uint64_t offset, size_t size)
{
	static char data[WHOLE];

	assert_int_equal(pread(fd, data, size, (off_t)offset), size);
}

/* Of a file that was dropped. */
static inline void make_resident(int fd, const struct relaid_part *part)
{
	read_pages(fd, 0, PAGE);
	read_pages(fd, ORIGINAL, TABLES);
	read_pages(fd, part->offset, part->size);
}
