/* SPDX-License-Identifier: MIT */
/* Unit tests of where functions begin: this program's own, with its symbols, without, and with symbols that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "memory-file.h"
#include "order/entries.h"

#define SELF_MAX (64u << 20)

/* This program's file. */
struct self {
	char *data; /* owned */
	size_t size;
};

static void self_releasep(struct self *self)
{
	free(self->data);
}

static struct self read_self(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct self self;

	assert_true(n > 0);
	path[n] = 0;
	assert_int_equal(read_file(path, SELF_MAX, &self.data, &self.size), 0);
	return self;
}

__attribute__((noinline)) static int first(int x)
{
	return x * 3 + (int)getpid();
}

__attribute__((noinline)) static int second(int x)
{
	return first(x) * 5;
}

/* Where the function begins, as linked. */
static uint64_t address_of(int (*function)(int))
{
	return (uint64_t)(uintptr_t)function - _r_debug.r_map->l_addr;
}

static int read_entries(const struct self *self, struct order_entries *ret)
{
	_cleanup_close_ int fd = memory_file(self->data, self->size);
	const char *problem = NULL;

	return order_entries_read(fd, "/nowhere", ret, &problem);
}

static bool has(const struct order_entries *entries, uint64_t address)
{
	for (size_t i = 0; i < entries->n; i++)
		if (entries->items[i].address == address)
			return true;
	return false;
}

static void assert_ascending(const struct order_entries *entries, const struct self *self)
{
	for (size_t i = 0; i < entries->n; i++) {
		assert_true(entries->items[i].size > 0);
		assert_true(entries->items[i].offset + entries->items[i].size <= self->size);
		assert_true(i == 0 || entries->items[i].offset > entries->items[i - 1].offset);
	}
}

static Elf64_Shdr *symbol_table(const struct self *self)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)self->data;
	Elf64_Shdr *sections = (Elf64_Shdr *)(self->data + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			return &sections[i];
	return NULL;
}

static Elf64_Phdr *unwind_segment(const struct self *self)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)self->data;
	Elf64_Phdr *phdrs = (Elf64_Phdr *)(self->data + header->e_phoff);

	for (size_t i = 0; i < header->e_phnum; i++)
		if (phdrs[i].p_type == PT_GNU_EH_FRAME)
			return &phdrs[i];
	return NULL;
}

static void symbols_say_where_functions_begin(void **state)
{
	_cleanup_(order_entries_releasep) struct order_entries entries = {0};
	_cleanup_(self_releasep) struct self self = read_self();

	if (!symbol_table(&self))
		skip(); /* stripped */
	assert_int_equal(read_entries(&self, &entries), 0);
	assert_ascending(&entries, &self);
	assert_true(has(&entries, address_of(first)) && has(&entries, address_of(second)));
}

static void stripped_file_has_the_same(void **state)
{
	_cleanup_(order_entries_releasep) struct order_entries entries = {0}, none = {0};
	_cleanup_(self_releasep) struct self self = read_self();

	if (!unwind_segment(&self))
		skip();
	if (symbol_table(&self))
		symbol_table(&self)->sh_type = SHT_NULL;
	assert_int_equal(read_entries(&self, &entries), 0);
	assert_ascending(&entries, &self);
	assert_true(has(&entries, address_of(first)) && has(&entries, address_of(second)));
	unwind_segment(&self)->p_type = PT_NULL;
	assert_int_equal(read_entries(&self, &none), 0);
	assert_int_equal(none.n, 0);
}

/* A symbol that points into the middle of a function is no entry. */
static void symbols_that_lie_are_left_out(void **state)
{
	_cleanup_(order_entries_releasep) struct order_entries entries = {0};
	_cleanup_(self_releasep) struct self self = read_self();
	Elf64_Shdr *table = symbol_table(&self);
	size_t moved = 0;

	if (!table || !unwind_segment(&self))
		skip();
	for (size_t i = 0; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym *symbol = (Elf64_Sym *)(self.data + table->sh_offset) + i;

		if (symbol->st_value != address_of(second))
			continue;
		symbol->st_value++;
		symbol->st_size = 0;
		moved++;
	}
	assert_true(moved > 0);
	assert_int_equal(read_entries(&self, &entries), 0);
	assert_true(has(&entries, address_of(first)));
	assert_false(has(&entries, address_of(second)));
	assert_false(has(&entries, address_of(second) + 1));
}

/* Whatever the table for unwinding says, each entry lies in the file, in ascending order. */
static void damaged_tables_do_no_harm(void **state)
{
	_cleanup_(self_releasep) struct self self = read_self();
	Elf64_Phdr *segment = unwind_segment(&self);
	uint32_t random = 1;

	if (!segment)
		skip();
	if (symbol_table(&self))
		symbol_table(&self)->sh_type = SHT_NULL;
	for (int round = 0; round < 60; round++) {
		_cleanup_(order_entries_releasep) struct order_entries entries = {0};
		/* The header first, then entries all over the table. */
		size_t at = segment->p_offset +
			(round < 24 ? (size_t)round / 2
				    : (random = random * 1103515245 + 12345) % segment->p_filesz);
		char before = self.data[at];

		self.data[at] = (char)(round % 2 ? 0xff : self.data[at] ^ 0x10);
		if (read_entries(&self, &entries) == 0)
			assert_ascending(&entries, &self);
		self.data[at] = before;
	}
	segment->p_filesz = 11; /* less than its header */
	{
		_cleanup_(order_entries_releasep) struct order_entries entries = {0};

		assert_int_equal(read_entries(&self, &entries), 0);
		assert_int_equal(entries.n, 0);
	}
	segment->p_filesz = self.size; /* more than the file */
	{
		_cleanup_(order_entries_releasep) struct order_entries entries = {0};

		if (read_entries(&self, &entries) == 0)
			assert_ascending(&entries, &self);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_say_where_functions_begin),
		cmocka_unit_test(stripped_file_has_the_same),
		cmocka_unit_test(symbols_that_lie_are_left_out),
		cmocka_unit_test(damaged_tables_do_no_harm),
	};

	return (second(1) & 0) + cmocka_run_group_tests(tests, NULL, NULL);
}
