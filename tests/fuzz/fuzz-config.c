/* SPDX-License-Identifier: MIT */
/* Target: settings. Whatever they contain, each problem is reported on one line, and programs can be looked up. */
#include "fuzz.h"

#include "config/parse.h"

size_t inputs_taken;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct config_program *why;
	struct config config = {0};
	unsigned told = 0;
	char *text = malloc(size + 1);

	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	config.files[config.n_files++] = strdup("file");
	must(config_parse(&config, text, size, count_problem, &told) == told);
	if (!config_allows(&config, "/usr/bin/program", &why) && why)
		must(!why->allow && why->line > 0);
	for (size_t i = 0; i < config.n_devices; i++)
		must(config.devices[i].path[0] == '/');
	inputs_taken += config.n_programs + config.n_devices > 0 || config.memory;
	config_release(&config);
	free(text);
	return 0;
}
