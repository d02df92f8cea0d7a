/* SPDX-License-Identifier: MIT */
/* Why there is no place for profiles and plans. */
#pragma once

/*
 * Prints the reason for an error of store_folder() or store_path_for_writing(), and what to do instead, such as "-o FILE writes it
 * elsewhere"; NULL: nothing. Returns an exit status.
 */
int no_state_folder(int error, const char *instead);
