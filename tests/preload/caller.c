/* SPDX-License-Identifier: MIT */
/* A library that opens others, by its own RUNPATH: private/libfound.so. */
#include <dlfcn.h>

__attribute__((visibility("default"))) void *open_from_library(const char *name);

void *open_from_library(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
