/* SPDX-License-Identifier: MIT */
/*
 * Whole mode's reader and relaid files: the hot extent by the note, what a damaged note is worth, and which
 * bytes are asked for, in which order. readahead(2) and device_of_by_rules() are this program's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/device.h"
#include "format/object-list.h"
#include "memory-file.h"
#include "prefetch/whole-mode/hot-extent.h"
#include "prefetch/whole-mode/whole-mode.h"
#include "relaid-file.h"
#include "taken.h"
#include "undisturbed.h"

#define READS 64
/*
 * How long to wait where pidfd_open(2) does not report the end: under valgrind. Short, so that little can disturb it.
 */
#define TIME_MS (500u << (undisturbed_try < 4 ? undisturbed_try : 4))
#define BESIDE  (128u << 10) /* bytes: what the kernel may read along with the header and the note */

struct read {
	ino_t file;
	uint64_t offset, length;
};

/* The reads that the reader asked for, up to the sentinel: the last file in the list ends the program. */
static struct {
	struct read reads[READS];
	size_t count;
	ino_t sentinel;
	pid_t program;
} seen;

static enum device_class class = DEVICE_SOLID; /* of every file */

int device_of_by_rules(int fd, const struct device_rule *rules, size_t n_rules, struct device *ret)
{
	*ret = (struct device){.class = class};
	return 0;
}

ssize_t readahead(int fd, off64_t offset, size_t count)
{
	struct stat st;
	siginfo_t end;

	fstat(fd, &st);
	if (seen.count < READS)
		seen.reads[seen.count++] = (struct read){st.st_ino, (uint64_t)offset, count};
	if (st.st_ino == seen.sentinel && seen.program > 0) {
		kill(seen.program, SIGKILL);
		waitid(P_PID, (id_t)seen.program, &end, WEXITED | WNOWAIT);
	}
	return syscall(SYS_readahead, fd, offset, count);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

/* Follows a program that maps the files and then the sentinel, and ends when the sentinel has been read. */
static struct whole_mode_result follow(const char *const paths[], size_t count)
{
	char sentinel[] = "/tmp/headstart-sentinel.XXXXXX";
	struct whole_mode_result result = {0};
	int fd = memfd_create("list", MFD_CLOEXEC);
	struct object_list *list;

	memset(&seen, 0, sizeof(seen));
	close(write_file(sentinel, "x", 1));
	seen.sentinel = inode_of(sentinel);
	assert_int_equal(ftruncate(fd, sizeof(*list)), 0);
	list = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(list != MAP_FAILED);
	for (size_t i = 0; i < count; i++)
		object_list_add(list, paths[i], i == 0 ? OBJECT_COLD : OBJECT_MAPPED);
	object_list_add(list, sentinel, OBJECT_COLD);
	seen.program = fork();
	if (seen.program == 0) {
		pause();
		_exit(0);
	}
	list->pid = (uint32_t)seen.program;
	assert_int_equal(
		whole_mode_run(fd, &(struct whole_mode_options){.time_budget_ms = TIME_MS}, NULL, &result),
		0);
	kill(seen.program, SIGKILL); /* where the time was up before the sentinel came */
	waitpid(seen.program, NULL, 0);
	assert_int_equal(seen.reads[seen.count - 1].file, seen.sentinel);
	unlink(sentinel);
	munmap(list, sizeof(*list));
	close(fd);
	return result;
}

/* The reader asked for [begin, end) of the file once, from one end to the other. */
static void assert_one_pass(ino_t file, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < seen.count; i++) {
		if (seen.reads[i].file != file)
			continue;
		assert_int_equal(seen.reads[i].offset, begin);
		begin += seen.reads[i].length;
	}
	assert_int_equal(begin, end);
}

static void test_one_pass(void **state)
{
	char path[] = "/tmp/headstart-relaid.XXXXXX";
	struct whole_mode_result result;
	ino_t file;

	close(write_file(path, &good, sizeof(good)));
	file = inode_of(path);
	result = follow((const char *[]){path}, 1);
	unlink(path);
	assert_int_equal(result.relaid, 1);
	assert_int_equal(result.read, 2);
	assert_int_equal(result.bytes, TABLES + HOT + 1);
	assert_one_pass(file, ORIGINAL, WHOLE);
}

/* Waits for the reads of a file that were asked for. It looks only at the last byte of each. */
static void await_reads(int fd)
{
	ino_t file;
	struct stat st;
	char byte;

	assert_int_equal(fstat(fd, &st), 0);
	file = st.st_ino;
	for (size_t i = 0; i < seen.count; i++)
		if (seen.reads[i].file == file)
			assert_int_equal(
				pread(fd, &byte, 1, (off_t)(seen.reads[i].offset + seen.reads[i].length - 1)),
				1);
}

/* Checks what is resident afterwards: the hot extent, and the beginning, which the loader reads as well. */
static void test_resident(void **state)
{
	char path[] = "/tmp/headstart-relaid.XXXXXX";
	unsigned char pages[WHOLE / PAGE];
	int fd = write_file(path, &good, sizeof(good));
	void *at = mmap(NULL, WHOLE, PROT_READ, MAP_SHARED, fd, 0);
	bool told = drop(fd);

	assert_true(at != MAP_FAILED);
	if (told)
		follow((const char *[]){path}, 1);
	unlink(path);
	if (!told)
		skip();
	await_reads(fd);
	assert_int_equal(mincore(at, WHOLE, pages), 0);
	for (size_t page = 0; page < WHOLE / PAGE; page++) {
		if (page >= ORIGINAL / PAGE)
			assert_true((pages[page] & 1) || pages_taken(fd, page * PAGE, PAGE) > 0);
		else if (page >= BESIDE / PAGE && page < (ORIGINAL - BESIDE) / PAGE)
			assert_false(pages[page] & 1);
	}
	munmap(at, WHOLE);
	close(fd);
}

/* Follows such a file after an ordinary one. Returns whether it was read as a relaid file. Skips where the file system cannot tell. */
static bool reads_hot_region(const struct relaid_part *part)
{
	char first[] = "/tmp/headstart-first.XXXXXX", path[] = "/tmp/headstart-relaid.XXXXXX";
	int fd = write_file(path, &good, sizeof(good));
	struct whole_mode_result result = {0};
	ino_t file = inode_of(path);
	bool told = drop(fd);

	close(write_file(first, &good, ORIGINAL));
	if (told) {
		make_resident(fd, part);
		result = follow((const char *[]){first, path}, 2);
	}
	close(fd);
	unlink(first);
	unlink(path);
	if (!told)
		skip();
	if (result.relaid)
		assert_one_pass(file, ORIGINAL, WHOLE);
	return result.relaid;
}

/*
 * What the loader's first faults read is not all of the hot region, wherever in it they were. Of a page that is there the answer
 * may be late on a busy machine, and then counts as none.
 */
static void test_part_resident(void **state)
{
	for (size_t i = 0; i < sizeof(relaid_parts) / sizeof(*relaid_parts); i++) {
		bool reads = reads_hot_region(&relaid_parts[i]);

		for (int try = 0; reads && relaid_parts[i].warm && try < 10; try++)
			reads = reads_hot_region(&relaid_parts[i]);
		assert_int_equal(reads, !relaid_parts[i].warm);
	}
}

static bool extent_of(const struct relaid *image, uint64_t size, struct object_part *ret)
{
	int fd = memory_file(image, size);
	bool relaid;

	relaid = hot_extent(fd, size, ret);
	close(fd);
	if (relaid) {
		assert_true(ret->length > 0 && ret->length <= size);
		assert_true(ret->offset <= size - ret->length);
	}
	return relaid;
}

static void test_extent(void **state)
{
	struct object_part extent;
	struct relaid *image = &good;

	assert_true(extent_of(image, WHOLE, &extent));
	assert_int_equal(extent.offset, ORIGINAL);
	assert_int_equal(extent.length, TABLES + HOT);

	image->note.relaid.hot_size = 0;
	assert_true(extent_of(image, WHOLE, &extent));
	assert_int_equal(extent.length, TABLES);
	image->note.relaid.hot_size = LE64(HOT);
}

/* One field of a good file, changed. */
struct damage {
	size_t at, size;
	uint64_t value;
};

#define DAMAGE(field, to)                                                                                    \
	{                                                                                                    \
		offsetof(struct relaid, field), sizeof(((struct relaid *)0)->field), to                      \
	}

static const struct damage damages[] = {
	DAMAGE(header.e_phoff, sizeof(Elf64_Ehdr)),
	DAMAGE(header.e_phoff, sizeof(Elf64_Ehdr) + NOTE_REACH - 1),
	DAMAGE(header.e_phoff, UINT64_MAX),
	DAMAGE(header.e_phoff, WHOLE + NOTE_REACH),
	DAMAGE(header.e_phoff, offsetof(struct relaid, headers) + 4),
	DAMAGE(header.e_ident[EI_CLASS], ELFCLASS32),
	DAMAGE(note.n_namesz, 9),
	DAMAGE(note.n_descsz, 119),
	DAMAGE(note.n_type, 2),
	DAMAGE(note.name[0], 'H'),
	DAMAGE(note.name[9], 'x'),
	DAMAGE(note.relaid.version, NOTE_VERSION + 1),
	DAMAGE(note.relaid.tables_offset, UINT64_MAX - PAGE + 1),
	DAMAGE(note.relaid.tables_offset, ORIGINAL + TABLES),
	DAMAGE(note.relaid.tables_size, 0),
	DAMAGE(note.relaid.tables_size, TABLES - 4096),
	DAMAGE(note.relaid.tables_size, UINT64_MAX - ORIGINAL + 1),
	DAMAGE(note.relaid.hot_offset, 0),
	DAMAGE(note.relaid.hot_offset, ORIGINAL),
	DAMAGE(note.relaid.hot_offset, WHOLE),
	DAMAGE(note.relaid.hot_offset, UINT64_MAX),
	DAMAGE(note.relaid.hot_size, HOT + 1),
	DAMAGE(note.relaid.hot_size, UINT64_MAX),
	DAMAGE(note.relaid.hot_size, 1ull << 63),
};

/* A damaged note counts as none. */
static void test_damaged(void **state)
{
	struct object_part extent = {.offset = 7};
	struct relaid *image = malloc(sizeof(*image));

	assert_non_null(image);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		*image = good;
		memcpy((char *)image + damages[i].at, &damages[i].value, damages[i].size);
		assert_false(extent_of(image, WHOLE, &extent));
		assert_int_equal(extent.offset, 7);
	}
	free(image);
}

/* Sets each 64-bit word of header and note to a value that overflows: no extent may leave the file. */
static void test_hostile(void **state)
{
	static const uint64_t values[] = {
		UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 63, 0, WHOLE + 1, ORIGINAL};
	struct relaid *image = malloc(sizeof(*image));
	struct object_part extent;

	assert_non_null(image);
	*image = good;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		for (size_t at = 0; at + 8 <= sizeof(image->header); at += 8) {
			memcpy((char *)&image->header + at, &values[i], 8);
			extent_of(image, WHOLE, &extent);
			image->header = good.header;
		}
		for (size_t at = 0; at + 8 <= sizeof(image->note); at += 4) {
			memcpy((char *)&image->note + at, &values[i], 8);
			extent_of(image, WHOLE, &extent);
			image->note = good.note;
		}
	}
	free(image);
}

static void test_truncated(void **state)
{
	static const uint64_t sizes[] = {0, sizeof(Elf64_Ehdr) - 1, sizeof(Elf64_Ehdr), ORIGINAL,
		offsetof(struct relaid, note) + 1, offsetof(struct relaid, headers), ORIGINAL + TABLES,
		WHOLE - 1};
	struct object_part extent;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_false(extent_of(&good, sizes[i], &extent));
}

/* Without a good note the file is read like any other: whole. */
static void test_falls_back(void **state)
{
	char path[] = "/tmp/headstart-relaid.XXXXXX";
	struct relaid *image = malloc(sizeof(*image));
	struct whole_mode_result result;
	ino_t file;

	assert_non_null(image);
	*image = good;
	image->note.relaid.hot_size = LE64(HOT + 1);
	close(write_file(path, image, sizeof(*image)));
	free(image);
	file = inode_of(path);
	result = follow((const char *[]){path}, 1);
	unlink(path);
	assert_int_equal(result.relaid, 0);
	assert_int_equal(result.read, 2);
	assert_one_pass(file, 0, WHOLE);
}

/*
 * On a rotational disk, the reader waits for the header of each relaid object from the second on. The first, whose
 * header is missing, is read like any other file.
 */
static void test_rotational(void **state)
{
	char paths[][sizeof("/tmp/headstart-relaid.XXXXXX")] = {"/tmp/headstart-relaid.XXXXXX",
		"/tmp/headstart-relaid.XXXXXX", "/tmp/headstart-relaid.XXXXXX"};
	struct whole_mode_result result = {0};
	ino_t files[3];
	bool told = true;

	for (int i = 0; i < 3; i++) {
		int fd = write_file(paths[i], &good, i == 0 ? ORIGINAL : WHOLE);

		told = told && (i == 0 || drop(fd));
		files[i] = inode_of(paths[i]);
		close(fd);
	}
	class = DEVICE_ROTATIONAL;
	if (told)
		result = follow((const char *[]){paths[0], paths[1], paths[2]}, 3);
	class = DEVICE_SOLID;
	for (int i = 0; i < 3; i++)
		unlink(paths[i]);
	if (!told)
		skip();
	assert_int_equal(result.read, 4);
	assert_int_equal(result.relaid, 1);
	assert_one_pass(files[0], 0, ORIGINAL);
	assert_one_pass(files[1], 0, WHOLE);
	assert_one_pass(files[2], ORIGINAL, WHOLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extent),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_one_pass),
		cmocka_unit_test(test_resident),
		cmocka_unit_test(test_part_resident),
		cmocka_unit_test(test_falls_back),
		cmocka_unit_test(test_rotational),
	};

	return until_undisturbed(tests, sizeof(tests) / sizeof(*tests));
}
