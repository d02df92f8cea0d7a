/* SPDX-License-Identifier: MIT */
/* headstart-tool, found and started. */
#pragma once

/* Execs headstart-tool: beside this program (a build folder), else where it was installed. Returns -errno on failure. */
int exec_tool(char **argv);

/* Becomes 'headstart-tool plan --program PROGRAM', at idle I/O priority. Returns only on failure. */
void exec_planner(const char *program);
