/* SPDX-License-Identifier: MIT */
/*
 * The folder of the file is the one that the kernel knows for its descriptor, so it is canonical. For a file of another mount
 * namespace it is only a guess. The checksum decides.
 *
 * What lies beside a file may be a stranger's, where others can write to the folder, as in /tmp. So it has to belong to root, to
 * us or to the owner of the file; and no link leads elsewhere.
 */
#include "debug/link.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/links.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "elf/identity.h"

#define CHUNK   (256u << 10) /* bytes that one read takes */
#define LARGEST (4ll << 30)  /* bytes of a debug file: reading more takes too long */

struct wanted {
	char *name; /* owned */
	uint32_t crc;
	const struct debug_id *id;
	uid_t owner;           /* of the file without symbols */
	char folder[PATH_MAX]; /* of that file; "" for the root */
};

static void wanted_releasep(struct wanted *wanted)
{
	free(wanted->name);
}

/* The section has the name, a NUL, up to three bytes of padding, and the checksum in the byte order of the file. */
static int read_link(struct elf_file *file, struct wanted *wanted)
{
	Elf64_Shdr section;
	uint32_t crc = 0;
	uint64_t at;
	int r = elf_file_section_named(file, ".gnu_debuglink", &section);

	if (r == 0)
		r = elf_file_string(file, section.sh_offset, section.sh_size, &wanted->name);
	if (r < 0)
		return r;
	at = (strlen(wanted->name) + 1 + 3) & ~3ull;
	if (!wanted->name[0] || strchr(wanted->name, '/') || !range_fits(at, sizeof(crc), section.sh_size))
		return -ENOEXEC;
	r = elf_file_read(file, section.sh_offset + at, &crc, sizeof(crc));
	wanted->crc = file->big ? be32toh(crc) : le32toh(crc);
	return r;
}

static int find_folder(int fd, struct wanted *wanted)
{
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return -errno;
	r = path_of_fd(fd, wanted->folder);
	if (r < 0)
		return r;
	*strrchr(wanted->folder, '/') = '\0';
	wanted->owner = st.st_uid;
	return 0;
}

/* CRC-32 of IEEE 802.3, as .gnu_debuglink has it. */
static bool has_crc(int fd, uint32_t wanted)
{
	_cleanup_free_ uint8_t *chunk = malloc(CHUNK);
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n = chunk ? 1 : 0;

	for (; n > 0 && at <= LARGEST; at += n) {
		n = pread_full(fd, chunk, CHUNK, at);
		if (n > 0)
			crc = lzma_crc32(chunk, (size_t)n, crc);
	}
	return chunk && n == 0 && crc == wanted;
}

static bool is_wanted(int fd, const struct wanted *wanted, bool beside)
{
	struct debug_id id;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size > LARGEST)
		return false;
	if (beside && st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != wanted->owner)
		return false;
	if (wanted->id->size > 0 && elf_build_id(fd, id.bytes, sizeof(id.bytes), &id.size) == 0 &&
		!debug_id_equal(&id, wanted->id))
		return false;
	return has_crc(fd, wanted->crc);
}

/* Opens BEFORE/FOLDER/BETWEEN/NAME if it is the file. */
static int open_place(const struct wanted *wanted, const char *before, const char *folder,
	const char *between, unsigned options)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s%s/%s", before, folder, between, wanted->name) >=
		(int)sizeof(path))
		return -ENOENT;
	fd = open_regular(path, options);
	if (fd < 0)
		return fd;
	return is_wanted(fd, wanted, options & OPEN_NO_LINKS) ? TAKE_FD(fd) : -ENOENT;
}

int debug_link_open(
	struct elf_file *file, const struct debug_id *id, const char *root, const char *debug_folder)
{
	_cleanup_(wanted_releasep) struct wanted wanted = {.id = id};
	const char *inside;
	int r = read_link(file, &wanted);

	if (r == 0)
		r = find_folder(file->fd, &wanted);
	if (r < 0)
		return r;
	r = open_place(&wanted, "", wanted.folder, "", OPEN_NO_LINKS);
	if (r < 0)
		r = open_place(&wanted, "", wanted.folder, "/.debug", OPEN_NO_LINKS);
	inside = after_prefix(wanted.folder, root);
	if (r < 0 && inside && (!*inside || *inside == '/'))
		r = open_place(&wanted, debug_folder, inside, "", 0);
	return r;
}
