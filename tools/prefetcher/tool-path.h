/* SPDX-License-Identifier: MIT */
/* Finds and starts headstart-tool. */
#pragma once

/* Execs headstart-tool: beside this program (a build folder), else where it is installed. Returns -errno on failure. */
int exec_tool(char **argv);

/*
 * Becomes 'headstart-tool plan --program PROGRAM', with the lowest priorities for the disk and the processor. A process
 * of root's executes nothing that others can change (base/paths/stranger.h). Returns only on failure.
 */
void exec_planner(const char *program);
