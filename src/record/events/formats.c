/* SPDX-License-Identifier: MIT */
#include "record/events/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <tracefs.h>

#include "base/cleanup.h"
#include "base/files/io.h"

#define FORMAT_MAX (1u << 20) /* bytes */

static int read_one(struct tep_handle *tep, const char *root, const struct format_name *name)
{
	_cleanup_free_ char *text = NULL;
	char path[256];
	size_t size;
	int r;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, name->system, name->name);
	r = read_pseudo_file(path, FORMAT_MAX, &text, &size);
	if (r < 0)
		return r;
	return tep_parse_event(tep, text, size, name->system) == TEP_ERRNO__SUCCESS ? 0 : -EBADMSG;
}

/* How a sub-buffer begins, and how large it is. */
static int read_header(struct tep_handle *tep, const char *root)
{
	_cleanup_free_ char *text = NULL;
	char path[64];
	size_t size;
	int r;

	snprintf(path, sizeof(path), "%s/events/header_page", root);
	r = read_pseudo_file(path, FORMAT_MAX, &text, &size);
	if (r < 0)
		return r;
	return tep_parse_header_page(tep, text, size, sizeof(long)) == 0 ? 0 : -EBADMSG;
}

int formats_read(const char *root, const struct format_name *names, struct tep_handle **ret)
{
	struct tep_handle *tep = tep_alloc();
	int r;

	if (!tep)
		return -ENOMEM;
	tep_set_file_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	r = read_header(tep, root);
	for (; r == 0 && names->system; names++) {
		r = read_one(tep, root, names);
		if (r == -ENOENT)
			r = 0;
	}
	if (r < 0) {
		tep_free(tep);
		return r;
	}
	*ret = tep;
	return 0;
}
