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

static bool libc_knows_relr(const char *root, const char *path, uint16_t machine)
{
	int found = open_below(root, path);
	_cleanup_close_ int fd = found < 0 ? found : open_finish(found, S_IFREG, 0);
	_cleanup_(elf_view_releasep) struct elf_view view = {0};
	_cleanup_free_ char *data = NULL;
	const char *problem;
	size_t size;

	return fd >= 0 && read_to_end(fd, LIBC_LIMIT, &data, &size) == 0 &&
		elf_view_init(&view, (const uint8_t *)data, size, &problem) == 0 &&
		view.header.e_machine == machine && defines_version(&view, "GLIBC_ABI_DT_RELR");
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

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/libc.so.6", places[i].folder, places[i].below);
		if (libc_knows_relr(root, path, machine))
			return true;
	}
	return false;
}
