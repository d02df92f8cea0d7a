/* SPDX-License-Identifier: MIT */
/* Seals of a file, from statx(2) and its extended attributes. */
#include "replace/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static const struct {
	enum file_seal seal;
	unsigned long long attribute; /* of statx, or 0 */
	const char *xattr;            /* or NULL */
	const char *words;
} seals[] = {
	{FILE_SEAL_VERITY, STATX_ATTR_VERITY, NULL, "is sealed by fs-verity"},
	{FILE_SEAL_IMMUTABLE, STATX_ATTR_IMMUTABLE, NULL, "is immutable (chattr +i)"},
	{FILE_SEAL_APPEND, STATX_ATTR_APPEND, NULL, "can only be appended to (chattr +a)"},
	{FILE_SEAL_IMA, 0, "security.ima",
		"has an IMA digest or signature (security.ima), which would no longer hold"},
	{FILE_SEAL_EVM, 0, "security.evm",
		"has an EVM digest or signature (security.evm), which would no longer hold"},
};

#define N_SEALS (sizeof(seals) / sizeof(seals[0]))

int file_seals(int fd, unsigned *ret_seals)
{
	struct statx stx;
	unsigned found = 0;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) < 0)
		return -errno;
	for (size_t i = 0; i < N_SEALS; i++) {
		if (stx.stx_attributes & seals[i].attribute)
			found |= seals[i].seal;
		if (!seals[i].xattr)
			continue;
		if (fgetxattr(fd, seals[i].xattr, NULL, 0) >= 0)
			found |= seals[i].seal;
		else if (errno != ENODATA && errno != ENOTSUP)
			return -errno;
	}
	*ret_seals = found;
	return 0;
}

const char *file_seal_words(unsigned found)
{
	for (size_t i = 0; i < N_SEALS; i++)
		if (found & seals[i].seal)
			return seals[i].words;
	return NULL;
}
