/* SPDX-License-Identifier: MIT */
#include "relayout/loader.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "elf/view.h"

#define LIBC       "libc.so.6"
#define LIBC_LIMIT ((size_t)64 << 20)

/* Whether the object defines a version of that name (gABI, "Version Definition Section"). */
static bool defines_version(const struct elf_view *view, const char *name)
{
	uint64_t address, n;

	if (!elf_view_dynamic(view, DT_VERDEF, &address) || !elf_view_dynamic(view, DT_VERDEFNUM, &n))
		return false;
	for (; n > 0; n--) {
		const uint8_t *at = elf_view_at(view, address, sizeof(Elf64_Verdef));
		const char *defined;
		Elf64_Verdaux first;
		Elf64_Verdef def;

		if (!at)
			return false;
		memcpy(&def, at, sizeof(def));
		at = elf_view_at(view, address + def.vd_aux, sizeof(first));
		if (!at)
			return false;
		memcpy(&first, at, sizeof(first));
		defined = elf_view_string(view, first.vda_name);
		if (defined && streq(defined, name))
			return true;
		if (def.vd_next == 0)
			return false;
		address += def.vd_next;
	}
	return false;
}

enum libc_age {
	LIBC_NONE, /* there is none for 64-bit programs */
	LIBC_OLDER,
	LIBC_KNOWS_RELR,
};

static enum libc_age look_at_libc(const char *root, const char *path, uint16_t *ret_machine)
{
	int found = open_below(root, path);
	_cleanup_close_ int fd = found < 0 ? found : open_finish(found, S_IFREG, 0);
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_free_ char *data = NULL;
	const char *problem;
	size_t size;

	if (fd < 0 || read_to_end(fd, LIBC_LIMIT, &data, &size) < 0 ||
		elf_view_init(&view, (const uint8_t *)data, size, &problem) < 0)
		return LIBC_NONE;
	*ret_machine = view.header.e_machine;
	return defines_version(&view, "GLIBC_ABI_DT_RELR") ? LIBC_KNOWS_RELR : LIBC_OLDER;
}

bool loader_knows_relr(const char *root, uint16_t machine)
{
	const char *triplet = machine == EM_AARCH64 ? "/aarch64-linux-gnu" : "/x86_64-linux-gnu";
	const struct {
		const char *folder, *below;
	} places[] = {
		{"/usr/lib", triplet},
		{"/lib", triplet},
		{"/usr/lib64", ""},
		{"/lib64", ""},
		{"/usr/lib", ""},
		{"/lib", ""},
	};
	char path[64];
	uint16_t found;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/" LIBC, places[i].folder, places[i].below);
		if (look_at_libc(root, path, &found) == LIBC_KNOWS_RELR && found == machine)
			return true;
	}
	return false;
}

bool loader_is_older(const char *root, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_files; i++) {
		const char *path = profile->files[i].path, *name = strrchr(path, '/');
		uint16_t machine;

		if (name && streq(name + 1, LIBC) && look_at_libc(root, path, &machine) == LIBC_OLDER)
			return true;
	}
	return false;
}
