/* SPDX-License-Identifier: MIT */
/* Where this file exists, nothing is done for any program of the machine. */
#pragma once

#define KILL_SWITCH "/etc/headstart/disable"
