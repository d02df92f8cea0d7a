/* SPDX-License-Identifier: MIT */
/* Target: what is read of an ELF file. */
#include "fuzz.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "elf/identity.h"
#include "elf/needs.h"
#include "elf/static-tls.h"

size_t inputs_taken;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("fuzz-elf", MFD_CLOEXEC);
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	_cleanup_free_ char *soname = NULL;
	uint8_t id[20] = {0};
	size_t id_size = 0;
	bool taken;
	int r;

	must(fd >= 0 && write_full(fd, data, size) == 0);
	r = elf_build_id(fd, id, sizeof(id), &id_size);
	must(r == 0 ? id_size > 0 && id_size <= sizeof(id) : r == -ENOEXEC || r == -ENODATA);
	taken = r == 0;
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
	return 0;
}
