/* SPDX-License-Identifier: MIT */
/*
 * The formats, and where each is documented.
 *
 * estargz: github.com/containerd/stargz-snapshotter. The record file that 'ctr-remote image convert' and 'nerdctl image convert'
 * read with --estargz-record-in (docs/ctr-remote.md): a JSON object for each file, with its path in the image
 * (recorder/recorder.go, struct Entry; cmd/ctr-remote/commands/convert.go, readPathsFromRecordFile()). The converter
 * puts these files in front of the layer, in this order, and .prefetch.landmark behind them (docs/estargz.md).
 *
 * nydus: github.com/dragonflyoss/nydus, docs/prefetch.md. What 'nydus-image create --prefetch-policy fs' reads from its
 * standard input (builder/src/core/prefetch.rs, get_patterns()): an absolute path of the image in each line, of which it cuts
 * blanks at both ends. It fails on a line that is not UTF-8.
 *
 * soci: github.com/awslabs/soci-snapshotter, docs/prefetch.md. What 'soci create' and 'soci convert' read with
 * --prefetch-files-json (cmd/soci/commands/internal/prefetch.go): a JSON array of paths, of which they cut blanks at both ends.
 *
 * overlaybd: github.com/containerd/overlaybd, src/prefetch.cpp, class DynamicPrefetcher. A list that lies where a trace would:
 * a path of the image in each line, of letters, digits and "_-./" only, and 65,536 bytes at most; other lines are passed over.
 * A trace proper names blocks of layers that exist only once the image is built, so that is no export of a profile.
 *
 * cvmfs: github.com/cvmfs/cvmfs, cvmfs/file_bundle.h. The content of .cvmfsbundle-NAME beside the file NAME that triggers it: one JSON
 * object; "dependencies" are paths from the root of the repository.
 *
 * mksquashfs: mksquashfs(1), -sort, and squashfs-tools/sort.c, read_sort_file(). In each line a path in the source folder and a
 * priority from -32768 to 32767; files with higher ones come first, and what is not named has 0. A backslash escapes a
 * blank or a backslash. A path cannot have a newline, and an asterisk after its last slash
 * is cut off.
 *
 * vmtouch: vmtouch(8), version 1.3.1. Paths for -b with -0, which end with NUL.
 *
 * ranges: headstart-export(1). "OFFSET LENGTH PATH" in each line, in bytes and by first touch; in PATH a newline is \012 and a
 * backslash \134, as in proc_pid_mountinfo(5).
 */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "export/export.h"
#include "export/format.h"
#include "report/json-text.h"
#include "report/touched.h"
#include "report/utf8.h"

#define OVERLAYBD_MAX      65536u /* bytes: DynamicPrefetcher::MAX_FILE_SIZE */
#define MKSQUASHFS_HIGHEST 32767  /* priority */

/* ---- which paths a format can have ---- */

static bool any(const char *path)
{
	(void)path;
	return true;
}

static bool is_utf8(const char *path)
{
	size_t length;

	for (; *path; path += length) {
		length = utf8_length(path);
		if (length == 0)
			return false;
	}
	return true;
}

/* Whether a text ends with a character that Rust's trim() and Go's TrimSpace() cut off: White_Space of Unicode. */
static bool ends_in_blank(const char *path)
{
	static const char *const blanks[] = {" ", "\t", "\n", "\v", "\f", "\r", "\xc2\x85", "\u00a0",
		"\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
		"\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

	for (size_t i = 0; i < sizeof(blanks) / sizeof(*blanks); i++)
		if (ends_with(path, blanks[i]))
			return true;
	return false;
}

static bool is_trimmed_utf8(const char *path)
{
	return is_utf8(path) && !ends_in_blank(path);
}

static bool is_trimmed_line(const char *path)
{
	return is_trimmed_utf8(path) && !strchr(path, '\n');
}

static bool is_plain(const char *path)
{
	return path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./")] ==
		'\0';
}

static bool is_sortable(const char *path)
{
	return !strchr(path, '\n') && !ends_with(path, "/*");
}

/* ---- one function each ---- */

static int write_estargz(FILE *out, const struct export_list *list)
{
	int r = 0;

	for (size_t i = 0; i < list->n_entries && r == 0; i++) {
		fputs("{\"path\":", out);
		r = json_print(out, json_text(list->entries[i].path + 1), JSON_C_TO_STRING_PLAIN, "}\n");
	}
	return r;
}

static int write_lines(FILE *out, const struct export_list *list)
{
	for (size_t i = 0; i < list->n_entries; i++)
		fprintf(out, "%s\n", list->entries[i].path);
	return 0;
}

/* The strings of a JSON array, one a line. */
static int write_strings(FILE *out, const struct export_list *list)
{
	int r = 0;

	for (size_t i = 0; i < list->n_entries && r == 0; i++)
		r = json_print(out, json_text(list->entries[i].path), JSON_C_TO_STRING_PLAIN,
			i + 1 < list->n_entries ? ",\n" : "\n");
	return r;
}

static int write_soci(FILE *out, const struct export_list *list)
{
	int r;

	fputs("[\n", out);
	r = write_strings(out, list);
	fputs("]\n", out);
	return r;
}

static int write_cvmfs(FILE *out, const struct export_list *list)
{
	int r;

	fputs("{\"name\":\"CVMFS_BUNDLE\",\"version\":\"1.0.0\",\"encoding\":\"UTF-8\",\"dependencies\":[\n",
		out);
	r = write_strings(out, list);
	fputs("]}\n", out);
	return r;
}

static int write_mksquashfs(FILE *out, const struct export_list *list)
{
	for (size_t i = 0; i < list->n_entries; i++) {
		for (const char *at = list->entries[i].path + 1; *at; at++) {
			if (isspace((unsigned char)*at) || *at == '\\' || *at == '#')
				fputc('\\', out);
			fputc(*at, out);
		}
		fprintf(out, " %d\n", i < MKSQUASHFS_HIGHEST ? MKSQUASHFS_HIGHEST - (int)i : 1);
	}
	return 0;
}

static int write_vmtouch(FILE *out, const struct export_list *list)
{
	for (size_t i = 0; i < list->n_entries; i++)
		fwrite(list->entries[i].path, 1, strlen(list->entries[i].path) + 1, out);
	return 0;
}

struct touched_range {
	const struct export_entry *entry;
	const struct profile_range *range;
};

static int compare_touches(const void *a, const void *b)
{
	const struct touched_range *x = a, *y = b;

	return (x->range->order > y->range->order) - (x->range->order < y->range->order);
}

static void write_range(FILE *out, const struct touched_range *touched, uint32_t page_size)
{
	const struct profile_range *range = touched->range;

	fprintf(out, "%llu %llu ", (unsigned long long)range->page * page_size,
		(unsigned long long)touched_part(
			range->page, range->pages, page_size, touched->entry->file->size));
	for (const char *at = touched->entry->path; *at; at++) {
		if (*at == '\n' || *at == '\\')
			fprintf(out, "\\%03o", (unsigned)*at);
		else
			fputc(*at, out);
	}
	fputc('\n', out);
}

static int write_ranges(FILE *out, const struct export_list *list)
{
	_cleanup_free_ struct touched_range *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < list->n_entries; i++)
		n += list->entries[i].file->n_ranges;
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < list->n_entries; i++)
		for (size_t j = 0; j < list->entries[i].file->n_ranges; j++)
			all[n++] =
				(struct touched_range){&list->entries[i], &list->entries[i].file->ranges[j]};
	qsort(all, n, sizeof(*all), compare_touches);
	for (size_t i = 0; i < n; i++)
		write_range(out, &all[i], list->page_size);
	return 0;
}

const struct format export_formats[EXPORT_FORMATS] = {
	[EXPORT_ESTARGZ] = {"estargz", true, is_utf8, 0, write_estargz},
	[EXPORT_NYDUS] = {"nydus", true, is_trimmed_line, 0, write_lines},
	[EXPORT_SOCI] = {"soci", true, is_trimmed_utf8, 0, write_soci},
	[EXPORT_OVERLAYBD] = {"overlaybd", true, is_plain, OVERLAYBD_MAX, write_lines},
	[EXPORT_CVMFS] = {"cvmfs", true, is_utf8, 0, write_cvmfs},
	[EXPORT_MKSQUASHFS] = {"mksquashfs", true, is_sortable, 0, write_mksquashfs},
	[EXPORT_VMTOUCH] = {"vmtouch", false, any, 0, write_vmtouch},
	[EXPORT_RANGES] = {"ranges", false, any, 0, write_ranges},
};

const char *export_format_name(enum export_format format)
{
	return export_formats[format].name;
}

int export_write(FILE *out, const struct export_list *list)
{
	return export_formats[list->format].write(out, list);
}
