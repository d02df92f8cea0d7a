/* SPDX-License-Identifier: MIT */
/* A command as people type it, for messages that say what to type next. */
#pragma once

/*
 * " soffice --calc", quoted for a shell; NULL if it is too long to be read in a message, or has characters that a message
 * cannot show. The caller frees it.
 */
char *command_text(char *const *argv);
