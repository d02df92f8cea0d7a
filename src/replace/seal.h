/* SPDX-License-Identifier: MIT */
/* Seals: what vouches for a file's content and would break if it changed, or forbids any change. */
#pragma once

enum file_seal {
	FILE_SEAL_VERITY = 1,    /* fs-verity (Documentation/filesystems/fsverity.rst): the file cannot be
				    written, and its replacement would have no measurement */
	FILE_SEAL_IMMUTABLE = 2, /* chattr +i: it can neither be written nor renamed over */
	FILE_SEAL_APPEND = 4,    /* chattr +a: likewise */
	FILE_SEAL_IMA = 8,       /* security.ima: a digest or signature of the content */
	FILE_SEAL_EVM = 16,      /* security.evm: one of the attributes */
};

/* Sets *ret_seals to the seals of the open file, or-ed; 0 for none. Returns 0 or negative errno. */
int file_seals(int fd, unsigned *ret_seals);

/* The first of these seals as a text that follows the file's name ("is sealed by fs-verity"); or NULL. */
const char *file_seal_words(unsigned seals);
