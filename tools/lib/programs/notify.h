/* SPDX-License-Identifier: MIT */
/* Tells systemd how we are, as sd_notify(3) does, without its library. */
#pragma once

/* Sends the text, such as "READY=1", to $NOTIFY_SOCKET, if that is set. Errors are ignored. */
void notify(const char *text);
