/* SPDX-License-Identifier: MIT */
/* The parts of 'headstart boot'. Each does its work and returns an exit status. */
#pragma once

/* Carries out the plan of a boot. The launcher has it built in, because it comes before everything else. */
int boot_prefetch(void);

/* Records what everybody reads, until 'headstart boot stop' or for so many seconds. */
int boot_record(double timeout);

/* Whether something switches headstart off for this boot; then it says so. */
int boot_switched_off(void);
