/* SPDX-License-Identifier: MIT */
/* Target: everything that is read of an ELF file. */
#include "fuzz.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "elf/file.h"
#include "elf/identity.h"
#include "elf/landmarks.h"
#include "elf/needs.h"
#include "elf/view.h"

size_t inputs_taken;

/* Reads the same file from memory and by pread(2). */
static void read_both_ways(int fd, const uint8_t *data, size_t size)
{
	_cleanup_(elf_file_releasep) struct elf_file memory = {0}, opened = {0};
	const char *problem = NULL;
	uint64_t n[2] = {0}, names[2] = {0};
	int r = elf_file_in_memory(&memory, data, size, &problem);

	must(r == elf_file_open(&opened, fd, &problem) && (r == 0 || (r == -ENOEXEC && problem)));
	if (r < 0)
		return;
	r = elf_file_sections(&memory, &n[0], &names[0]);
	must(r == elf_file_sections(&opened, &n[1], &names[1]) && n[0] == n[1] && names[0] == names[1]);
	r = elf_file_take_phdrs(&memory, &problem);
	must(r == elf_file_take_phdrs(&opened, &problem) && memory.n_phdrs == opened.n_phdrs);
	must(memory.n_phdrs == 0 ||
		memcmp(memory.phdrs, opened.phdrs, memory.n_phdrs * sizeof(*memory.phdrs)) == 0);
}

/* If there is a view, it finds the build-id that is found without it. */
static void compare_view(const uint8_t *data, size_t size, const uint8_t *id, size_t id_size)
{
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	const char *problem = NULL;
	const uint8_t *found;
	size_t found_size = 0;
	int r = elf_view_init(&view, data, size, &problem);

	must(r == 0 || (r == -ENOEXEC && problem));
	found = r == 0 ? elf_view_build_id(&view, &found_size) : NULL;
	must(!found || (found_size >= id_size && id_size > 0 && memcmp(found, id, id_size) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("fuzz-elf", MFD_CLOEXEC);
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	_cleanup_(elf_landmarks_releasep) struct elf_landmarks landmarks = {0};
	_cleanup_free_ char *soname = NULL;
	uint8_t id[20] = {0};
	size_t id_size = 0;
	bool taken;
	int r;

	must(fd >= 0 && write_full(fd, data, size) == 0);
	r = elf_build_id(fd, id, sizeof(id), &id_size);
	must(r == 0 ? id_size > 0 && id_size <= sizeof(id) : r == -ENOEXEC || r == -ENODATA);
	taken = r == 0;
	compare_view(data, size, id, r == 0 ? id_size : 0);
	read_both_ways(fd, data, size);
	r = elf_soname(fd, &soname);
	must(r == 0 ? strlen(soname) < PATH_MAX : r == -ENOEXEC || r == -ENODATA);
	taken |= r == 0;
	r = elf_needs_read(fd, &needs);
	must(r == 0 || r == -ENOEXEC);
	for (size_t i = 0; i < needs.n_needed; i++)
		must(strlen(needs.needed[i]) < PATH_MAX);
	must(r < 0 || needs.is_32bit || (needs.tls_align & (needs.tls_align - 1)) == 0);
	must(static_tls_of(&needs) <= static_tls_add(needs.tls_size, needs.tls_align));
	inputs_taken += taken || r == 0;
	r = elf_landmarks_read(fd, NULL, &landmarks);
	must(r == 0 || r == -ENOEXEC);
	must(elf_landmarks_good(&landmarks));
	return 0;
}
