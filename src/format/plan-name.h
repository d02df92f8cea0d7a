/* SPDX-License-Identifier: MIT */
/*
 * The name of a program's plan, derived from its canonical path, so that finding it costs one open(2).
 * Freestanding: the shim and the tools must agree.
 *
 *     /usr/lib/libreoffice/program/soffice  ->  soffice-0123456789abcdef.plan
 *
 * The hash (FNV-1a 64 of the whole path) makes the name unique, and the basename makes it readable. Characters of the
 * basename that are not plain, and a dot or dash at its start, become '_': a name is never hidden and never looks like
 * an option.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/hash.h"

#define PLAN_NAME_BASE_MAX 64
#define PLAN_NAME_SIZE     (PLAN_NAME_BASE_MAX + 1 + 16 + 32) /* bytes, with the longest suffix and the NUL */

/* Writes "base-hash" + suffix (".plan", ".profile"; at most 31 characters) and a NUL to name. */
static inline void plan_name(const char *path, const char *suffix, char name[PLAN_NAME_SIZE])
{
	const char *base = path;
	size_t length = 0, n = 0;
	uint64_t hash;

	for (; path[length]; length++)
		if (path[length] == '/')
			base = path + length + 1;
	hash = fnv1a64(FNV1A64_START, path, length);
	for (; base[n] && n < PLAN_NAME_BASE_MAX; n++) {
		char c = base[n];
		int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			c == '+' || c == '_' || (n > 0 && (c == '.' || c == '-'));

		name[n] = plain ? c : '_';
	}
	if (n == 0)
		name[n++] = '_';
	name[n++] = '-';
	for (int shift = 60; shift >= 0; shift -= 4)
		name[n++] = "0123456789abcdef"[(hash >> shift) & 15];
	for (int i = 0; suffix[i] && i < 31; i++)
		name[n++] = suffix[i];
	name[n] = '\0';
}
