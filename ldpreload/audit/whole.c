/* SPDX-License-Identifier: MIT */
/*
 * Whole mode, for a first start: there is no plan, but the program will need parts of each object that ld.so maps.
 *
 * This side only finds out whether the start is cold, and passes the names to the prefetcher. The prefetcher decides
 * which parts are worth reading on which device (src/prefetch/whole-mode/whole-mode.c), and leaves out what is resident.
 *
 * A start is cold if a page that it is certain to read is absent: for the executable the page of its entry point, for a
 * library the middle of its relocation table. A page in the middle of the file would not do: on a machine that has
 * carried out a plan, or runs another program with the same library, pages that nothing needs stay absent for ever.
 *
 * The first cold object starts the prefetcher, but only before the program's own code runs: later there may be a
 * seccomp filter, threads, and much memory to fork. Objects of a dlopen(3) are added to the list even then. Where the disk is
 * known to be so fast that nothing is gained, only a relaid object starts it, of which little has to be read.
 */
#include "audit/whole.h"

#include "audit/fast-disk.h"
#include "core/shim.h"
#include "plan/resident.h"
#include "prefetcher/spawn.h"

#include <link.h>
#include <linux/memfd.h>
#include <linux/mman.h>

#include "format/object-list.h"

/* Bytes that come into the page cache when ld.so reads an ELF header. */
#define HEADER_READ 16384u

/* Bytes: a smaller relocation table shares its page with symbols that were read already. */
#define TABLE_WORTH 4096u

/* After so many resident objects the start counts as warm: a probe takes 2 microseconds. */
#define WARM_ENOUGH 8u

static struct {
	struct object_list *list; /* shared with the prefetcher once it runs */
	bool decided;             /* no further probe: it runs, or is not wanted */
	unsigned int warm;        /* objects found resident */
	const char *program;      /* its path; NULL once its own code runs */
	enum shim_answer may_act;
	enum shim_answer gains_nothing; /* on the disk of the first cold object */
} whole;

/*
 * Bytes: read-ahead brings a smaller executable in with a read or two, which costs less than a prefetcher. A script starts such
 * programs by the dozen.
 */
#define EXECUTABLE_WORTH 262144u

/* How many bytes of the executable are mapped. */
static uint64_t executable_size(void)
{
	const ElfW(Phdr) *headers = shim_start.headers;
	uint64_t size = 0;

	for (uintptr_t i = 0; i < shim_start.header_count; i++)
		if (headers[i].p_type == PT_LOAD && headers[i].p_offset + headers[i].p_filesz > size)
			size = headers[i].p_offset + headers[i].p_filesz;
	return size;
}

/* The file offset of the program's entry point; 0 if its headers do not say. */
static uint64_t entry_offset(void)
{
	const ElfW(Phdr) *headers = shim_start.headers;
	uintptr_t base = 0;

	for (uintptr_t i = 0; i < shim_start.header_count; i++)
		if (headers[i].p_type == PT_PHDR)
			base = (uintptr_t)headers - headers[i].p_vaddr;
	for (uintptr_t i = 0; i < shim_start.header_count; i++) {
		uintptr_t into = shim_start.entry - base - headers[i].p_vaddr;

		if (headers[i].p_type == PT_LOAD && into < headers[i].p_filesz)
			return headers[i].p_offset + into;
	}
	return 0;
}

/*
 * The file offset of the middle of a library's relocation table; 0 if there is no table worth a probe. The table lies
 * in the first segment, where addresses and offsets are the same; where they are not, another page is probed. A relaid
 * library has its table behind everything else, and is worth a probe however small the table is (resident_object() then
 * goes by its note, not by this offset).
 */
static uint64_t relocation_offset(const struct link_map *object)
{
	uintptr_t table = 0, size = 0;

	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_RELA)
			table = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_RELASZ)
			size = entry->d_un.d_val;
	}
	if (table >= object->l_addr) /* some versions of ld.so have made it an address already */
		table -= object->l_addr;
	if (size < TABLE_WORTH && table < (uintptr_t)object->l_ld - object->l_addr)
		return 0;
	return table + size / 2;
}

/* The list has no name and leaves no descriptor; what stays in the program is one shared mapping. */
static struct object_list *list_new(int *ret_fd)
{
	long fd, at;

	if (!shim_may_grow_files())
		return NULL;
	fd = raw_syscall(__NR_memfd_create, (long)"headstart", MFD_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0)
		return NULL;
	if (raw_syscall(__NR_ftruncate, fd, sizeof(struct object_list), 0, 0, 0, 0) == 0) {
		at = raw_syscall(
			__NR_mmap, 0, sizeof(struct object_list), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at > 0 || at < -4095) {
			*ret_fd = (int)fd;
			return (struct object_list *)at;
		}
	}
	sys_close((int)fd);
	return NULL;
}

static void start_prefetcher(void)
{
	struct object_list *list;
	int fd;

	whole.decided = true;
	list = list_new(&fd);
	if (!list)
		return;
	list->pid = (uint32_t)sys_getpid();
	if (!state_folder(&shim_start.folders, 0, list->state, sizeof(list->state)))
		list->state[0] = '\0';
	if (spawn_prefetcher(fd, "--objects")) {
		whole.list = list;
		shim_log(whole.program, "whole=started");
	} else {
		raw_syscall(__NR_munmap, (long)list, sizeof(*list), 0, 0, 0, 0);
		shim_log(whole.program, "whole=not-started");
	}
	sys_close(fd);
}

/* Whether it is still undecided if this start is cold, and a page at that offset can decide it. */
static bool worth_a_probe(uint64_t offset)
{
	if (whole.decided || offset < HEADER_READ)
		return false;
	whole.decided = !shim_may_act(&whole.may_act);
	return !whole.decided;
}

static bool gains_nothing(const char *path)
{
	if (whole.gains_nothing == SHIM_NOT_ASKED) {
		whole.gains_nothing = disk_is_fast(path) ? SHIM_YES : SHIM_NO;
		if (whole.gains_nothing == SHIM_YES)
			shim_log(whole.program, "whole=fast-disk");
	}
	return whole.gains_nothing == SHIM_YES;
}

/* Starts the prefetcher at the first absent page, with `path` as the first object of its list. */
static void judge(enum resident resident, const char *path, bool relaid)
{
	if (resident == RESIDENT_YES)
		whole.decided = ++whole.warm == WARM_ENOUGH;
	if (resident != RESIDENT_NO || (!relaid && gains_nothing(path)))
		return;
	start_prefetcher();
	if (whole.list)
		object_list_add(whole.list, path, OBJECT_COLD);
}

void whole_begin(const char *program, enum shim_answer may_act)
{
	uint64_t offset = entry_offset();
	char path[OBJECT_PATH_SIZE] = "";
	enum resident resident;

	whole.program = program;
	whole.may_act = may_act;
	if (executable_size() < EXECUTABLE_WORTH || !worth_a_probe(offset))
		return;
	/* The offset is in a script's interpreter, not in the script; most scripts are shorter than that and answer
	 * nothing. */
	resident = resident_at(program, offset);
	if (resident == RESIDENT_NO)
		sys_readlink("/proc/self/exe", path, sizeof(path) - 1);
	judge(resident, path, false);
}

void whole_object(const struct link_map *object)
{
	enum resident resident;
	uint64_t offset;
	bool relaid;

	if (whole.decided || object->l_name[0] != '/' || object->l_addr == shim_start.loader)
		return;
	offset = relocation_offset(object);
	if (!worth_a_probe(offset))
		return;
	resident = resident_object(object->l_name, offset, &relaid);
	judge(resident, object->l_name, relaid);
}

void whole_search(const char *path)
{
	if (whole.list && path[0] == '/')
		object_list_add(whole.list, path, OBJECT_MAPPED);
}

void whole_start_mapped(void)
{
	whole.decided = true;
	whole.program = NULL;
}
