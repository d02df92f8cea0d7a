/* SPDX-License-Identifier: MIT */
/* Where this file exists, nothing is done for any program of the machine: neither by the shims nor by the launcher. */
#pragma once

#define KILL_SWITCH "/etc/headstart/disable"
