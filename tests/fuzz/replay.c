/* SPDX-License-Identifier: MIT */
/*
 * Takes the place of libFuzzer in ordinary builds: runs a target once with each file of the given folders. Fails if
 * the reader accepted none of them: such a corpus tests only the first checks.
 */
#include <dirent.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "fuzz.h"

static size_t replay_folder(const char *folder)
{
	_cleanup_closedir_ DIR *dir = opendir(folder);
	size_t n = 0;

	must(dir != NULL);
	for (struct dirent *entry; (entry = readdir(dir));) {
		_cleanup_free_ char *path = NULL, *data = NULL;
		size_t size;

		if (entry->d_name[0] == '.')
			continue;
		must(asprintf(&path, "%s/%s", folder, entry->d_name) > 0);
		must(read_file(path, 1 << 20, &data, &size) == 0);
		LLVMFuzzerTestOneInput((const uint8_t *)data, size);
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	size_t n = 0;

	for (int i = 1; i < argc; i++)
		n += replay_folder(argv[i]);
	printf("%zu inputs, %zu of them taken by the reader\n", n, inputs_taken);
	return inputs_taken == 0;
}
