/* SPDX-License-Identifier: MIT */
/*
 * mark-fast FILE: marks the disk of the file as fast, as a prefetcher does in whole mode. mark-fast --measured FILE: writes that it was
 * measured to be fast, as the recorder does.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "device/model-file.h"
#include "plan/store/disks.h"
#include "replace/publish.h"

static int write_model(const char *file)
{
	static const struct device_model nvme = {
		.measured = 1, .samples = 1000, .latency_us = 80, .bytes_per_ms = 3000000, .depth = 64};
	struct device device = {0};
	char text[MODEL_FILE_MAX], *path;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || device_of(fd, &device) < 0 || !*device.identity ||
		store_path_for_writing(STORE_DISK, device.identity, &path) < 0)
		return 1;
	return publish_file(path, store_mode(), text, model_file_write(device.identity, &nvme, text)) < 0;
}

int main(int argc, char **argv)
{
	struct stat st;

	if (argc == 3 && strcmp(argv[1], "--measured") == 0)
		return write_model(argv[2]);
	return argc == 2 && stat(argv[1], &st) == 0 && disks_mark_fast(st.st_dev) == 0 ? 0 : 1;
}
