/* SPDX-License-Identifier: MIT */
#include "relayout/refuse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/checked.h"
#include "elf/identity.h"
#include "replace/seal.h"

/* Whether the file holds what was split from another one (strip --only-keep-debug): it has code only by name. */
static bool is_debug_file(const uint8_t *data, uint64_t size, const Elf64_Ehdr *header)
{
	bool has_code = false;

	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
		!table_fits(header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr), size))
		return false;
	for (size_t i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;

		memcpy(&section, data + header->e_shoff + i * sizeof(section), sizeof(section));
		if (!(section.sh_flags & SHF_ALLOC) || !(section.sh_flags & SHF_EXECINSTR))
			continue;
		if (section.sh_type != SHT_NOBITS)
			return false;
		has_code = true;
	}
	return has_code;
}

/* Whether UPX packed the file: its struct l_info, a checksum and "UPX!", follows the program headers (UPX, src/stub). */
static bool is_upx(const uint8_t *data, uint64_t size, const Elf64_Ehdr *header)
{
	static const char magic[4] = {'U', 'P', 'X', '!'};
	uint64_t length = header->e_phnum * sizeof(Elf64_Phdr) + sizeof(uint32_t);

	return header->e_shnum == 0 && range_fits(header->e_phoff, length + sizeof(magic), size) &&
		memcmp(data + header->e_phoff + length, magic, sizeof(magic)) == 0;
}

const char *refuse_kind(const uint8_t *data, uint64_t size)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	if (is_debug_file(data, size, &header))
		return "holds only debug information that was split from another file";
	if (is_upx(data, size, &header))
		return "is packed by UPX: no start reads its pages where they lie; unpack it first (upx -d)";
	return NULL;
}

static uint64_t later(uint64_t end, uint64_t offset, uint64_t size)
{
	return offset + size > end ? offset + size : end;
}

/* Where the last part that the headers describe ends, or the file's end if they describe more than that. */
static uint64_t known_end(const struct elf_view *view)
{
	const Elf64_Ehdr *header = &view->header;
	uint64_t end = later(sizeof(*header), header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));

	for (size_t i = 0; i < view->n_phdrs; i++)
		if (view->phdrs[i].p_type != PT_NULL)
			end = later(end, view->phdrs[i].p_offset, view->phdrs[i].p_filesz);
	if (header->e_shoff == 0)
		return end;
	if (header->e_shentsize != sizeof(Elf64_Shdr) ||
		!table_fits(header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr), view->size))
		return view->size;
	end = later(end, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr section;

		memcpy(&section, view->data + header->e_shoff + i * sizeof(section), sizeof(section));
		if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS)
			continue;
		if (!range_fits(section.sh_offset, section.sh_size, view->size))
			return view->size;
		end = later(end, section.sh_offset, section.sh_size);
	}
	return end;
}

/*
 * Whether data follows what the headers describe. Programs with appended data (AppImage, self-extracting archives) look
 * for it at their own end. Zeros are padding.
 */
static bool has_appendix(const struct elf_view *view)
{
	for (uint64_t at = known_end(view); at < view->size; at++)
		if (view->data[at] != 0)
			return true;
	return false;
}

/*
 * Whether the file is a dynamic loader: a loader finds its own program headers where its ELF header is loaded, and
 * nothing works without it.
 */
static bool is_loader(const struct elf_view *view)
{
	uint64_t offset;
	const char *soname;

	if (elf_view_phdr(view, PT_INTERP) || !elf_view_dynamic(view, DT_SONAME, &offset))
		return false;
	soname = elf_view_string(view, offset);
	return soname && elf_soname_is_loader(soname);
}

/* Whether the dynamic section overlaps the ELF header: two fields of that change, and the loader would misread them. */
static bool has_dynamic_on_header(const struct elf_view *view)
{
	const uint8_t *dynamic =
		view->n_dynamic > 0 ? elf_view_at(view, view->dynamic_address, sizeof(Elf64_Dyn)) : NULL;

	return dynamic && (uint64_t)(dynamic - view->data) < sizeof(Elf64_Ehdr);
}

/*
 * Whether the file has a checksum of itself, as libgcrypt of FIPS systems (.note.fdo.integrity, src/gen-note-integrity.sh there, which
 * writes the type NT_FDO_INTEGRITY, 0xCAFE2A8E, with its first byte first).
 */
static bool has_integrity_note(const struct elf_view *view)
{
	size_t size;

	return elf_view_note(view, "FDO", 0x8e2afeca, &size) != NULL;
}

const char *refuse_content(const struct elf_view *view)
{
	if (has_dynamic_on_header(view))
		return "has a dynamic section that lies on its ELF header";
	if (is_loader(view))
		return "is the dynamic loader, which looks for its own program headers where they always "
		       "were";
	if (has_integrity_note(view))
		return "has a checksum of itself in a note (FIPS), and would find that it was changed";
	if (has_appendix(view))
		return "has data at its end that no header describes, which it may look for there "
		       "(AppImage, self-extracting program)";
	return NULL;
}

int refuse_file(int fd, const struct stat *st, const char **ret_reason, bool *ret_forcible)
{
	unsigned seals;
	int r = file_seals(fd, &seals);

	if (r < 0)
		return r;
	*ret_reason = file_seal_words(seals);
	*ret_forcible = false;
	if (*ret_reason)
		return 0;
	*ret_forcible = true;
	if (st->st_mode & (S_ISUID | S_ISGID))
		*ret_reason = "is setuid or setgid";
	else if (fgetxattr(fd, "security.capability", NULL, 0) > 0)
		*ret_reason = "has file capabilities";
	return 0;
}

/* Whether the file "FOLDER/BEFORE NAME AFTER" exists, NAME being the first `length` bytes of `name`. */
static bool exists_beside(
	const char *path, const char *name, size_t length, const char *before, const char *after)
{
	char beside[PATH_MAX];
	int n = snprintf(beside, sizeof(beside), "%.*s%s%.*s%s", (int)(name - path), path, before,
		(int)length, name, after);

	return n > 0 && (size_t)n < sizeof(beside) && access(beside, F_OK) == 0;
}

/* GnuTLS has a folder for them, too (lib/fips.c, get_hmac_path()). */
static bool has_hmac(const char *path, const char *name, size_t length)
{
	static const char *const before[] = {".", "", "fipscheck/.", "fipscheck/"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (exists_beside(path, name, length, before[i], ".hmac"))
			return true;
	return false;
}

bool refuse_checksum_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *suffix = strstr(name, ".so");
	size_t least = suffix ? (size_t)(suffix - name) + strlen(".so") : strlen(name);

	if (strcmp(name, "fips.so") == 0)
		return true;
	/* Of libx.so.1.2.3 also libx.so.1, as programs call it. */
	for (size_t length = strlen(name);; length--) {
		if ((length == least || name[length] == '.' || name[length] == '\0') &&
			has_hmac(path, name, length))
			return true;
		if (length <= least)
			break;
	}
	return suffix && exists_beside(path, name, (size_t)(suffix - name), "", ".chk");
}
