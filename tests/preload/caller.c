/* SPDX-License-Identifier: MIT */
/* A library that opens another one, private/libfound.so, by its own RUNPATH. */
#include <dlfcn.h>

__attribute__((visibility("default"))) void *open_from_library(const char *name);

void *open_from_library(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
