/* SPDX-License-Identifier: MIT */
/* Where this file exists, neither the shims nor the launcher do anything for any program of the machine. */
#pragma once

#define KILL_SWITCH "/etc/headstart/disable"
