/* SPDX-License-Identifier: MIT */
/*
 * A program with windows: what a start's first window must not be taken for, and, with the argument "window", one. It
 * goes on until it is ended.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>

static xcb_connection_t *connection;
static xcb_screen_t *screen;

static xcb_atom_t atom(const char *name)
{
	return xcb_intern_atom_reply(
		connection, xcb_intern_atom(connection, 0, (uint16_t)strlen(name), name), NULL)
		->atom;
}

static void show(uint32_t override_redirect, const char *type, uint32_t pid)
{
	xcb_window_t window = xcb_generate_id(connection);
	xcb_atom_t type_atom = atom(type);

	xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, 100, 100, 0,
		XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, XCB_CW_OVERRIDE_REDIRECT,
		&override_redirect);
	xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8,
		12, "shows\0Shows");
	xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, atom("_NET_WM_PID"), XCB_ATOM_CARDINAL,
		32, 1, &pid);
	xcb_change_property(connection, XCB_PROP_MODE_REPLACE, window, atom("_NET_WM_WINDOW_TYPE"),
		XCB_ATOM_ATOM, 32, 1, &type_atom);
	xcb_map_window(connection, window);
	xcb_flush(connection);
}

int main(int argc, char **argv)
{
	connection = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(connection))
		return 3;
	screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
	show(1, "_NET_WM_WINDOW_TYPE_POPUP_MENU", (uint32_t)getpid());
	show(0, "_NET_WM_WINDOW_TYPE_SPLASH", (uint32_t)getpid());
	show(0, "_NET_WM_WINDOW_TYPE_NORMAL", 1); /* another program's */
	if (argc > 1 && strcmp(argv[1], "window") == 0)
		show(0, "_NET_WM_WINDOW_TYPE_NORMAL", (uint32_t)getpid());
	for (;;)
		pause();
}
