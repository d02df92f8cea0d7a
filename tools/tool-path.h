/* SPDX-License-Identifier: MIT */
/* headstart-tool, found and started. */
#pragma once

/* Execs headstart-tool: beside this program (a build folder), else where it was installed. Returns -errno on failure. */
int exec_tool(char **argv);
