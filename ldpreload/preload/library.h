/* SPDX-License-Identifier: MIT */
/* A library is about to be loaded by dlopen(3) or dlmopen(3). */
#pragma once

/*
 * In whole mode, if the library is named by its absolute path and its first page is not in the page cache, starts a
 * prefetcher that reads it. Otherwise does nothing: a program's plan covers what it loads at run time, and asking
 * whether a seccomp filter is in force takes longer than dlopen(3) of an open library.
 */
void library_anticipate(const char *path);
