/* SPDX-License-Identifier: MIT */
/* A client of the X server that is told of every new window. */
#include "display/window.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <xcb/xcb.h>

#include "base/cleanup.h"
#include "base/run/process-tree.h"

#define ANCESTORS_MAX 64

struct window_watch {
	xcb_connection_t *connection; /* owned */
	xcb_atom_t pid, type, splash;
	pid_t root; /* only windows of its descendants count */
	bool seen;
};

static xcb_atom_t atom(xcb_connection_t *connection, const char *name)
{
	_cleanup_free_ xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
		connection, xcb_intern_atom(connection, 0, (uint16_t)strlen(name), name), NULL);

	return reply ? reply->atom : XCB_ATOM_NONE;
}

static bool is_below(pid_t pid, pid_t root)
{
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		pid = process_parent(pid);
		if (pid == root)
			return true;
	}
	return false;
}

/* The first 32-bit value of a property. Returns false if the window lacks it. */
static bool property(const struct window_watch *watch, xcb_window_t window, xcb_atom_t name, uint32_t *ret)
{
	_cleanup_free_ xcb_get_property_reply_t *reply = xcb_get_property_reply(watch->connection,
		xcb_get_property(watch->connection, 0, window, name, XCB_GET_PROPERTY_TYPE_ANY, 0, 1), NULL);

	if (!reply || reply->format != 32 || xcb_get_property_value_length(reply) < (int)sizeof(*ret))
		return false;
	memcpy(ret, xcb_get_property_value(reply), sizeof(*ret));
	return true;
}

/* Clients give their windows a class; the frames that window managers put around them have none. */
static bool has_class(const struct window_watch *watch, xcb_window_t window)
{
	_cleanup_free_ xcb_get_property_reply_t *reply = xcb_get_property_reply(watch->connection,
		xcb_get_property(
			watch->connection, 0, window, XCB_ATOM_WM_CLASS, XCB_GET_PROPERTY_TYPE_ANY, 0, 1),
		NULL);

	return reply && xcb_get_property_value_length(reply) > 0;
}

static bool counts(const struct window_watch *watch, xcb_window_t window)
{
	_cleanup_free_ xcb_get_window_attributes_reply_t *attributes = xcb_get_window_attributes_reply(
		watch->connection, xcb_get_window_attributes(watch->connection, window), NULL);
	uint32_t pid, type;

	if (!attributes || attributes->map_state != XCB_MAP_STATE_VIEWABLE || attributes->override_redirect ||
		attributes->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT || !has_class(watch, window))
		return false;
	if (property(watch, window, watch->type, &type) && type == watch->splash)
		return false;
	return !property(watch, window, watch->pid, &pid) || is_below((pid_t)pid, watch->root);
}

/* Asks to be told when the window is mapped, also once a window manager has put it into a frame. */
static void follow(const struct window_watch *watch, xcb_window_t window)
{
	const uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;

	xcb_change_window_attributes(watch->connection, window, XCB_CW_EVENT_MASK, &mask);
}

static void take(struct window_watch *watch, const xcb_generic_event_t *event)
{
	xcb_window_t window = XCB_WINDOW_NONE;

	switch (event->response_type & 0x7f) {
	case XCB_CREATE_NOTIFY:
		window = ((const xcb_create_notify_event_t *)event)->window;
		follow(watch, window);
		break;
	case XCB_REPARENT_NOTIFY:
		window = ((const xcb_reparent_notify_event_t *)event)->window;
		break;
	case XCB_MAP_NOTIFY:
		window = ((const xcb_map_notify_event_t *)event)->window;
		break;
	}
	if (window != XCB_WINDOW_NONE && counts(watch, window))
		watch->seen = true;
}

int window_watch_new(pid_t root, struct window_watch **ret)
{
	struct window_watch *watch = calloc(1, sizeof(*watch));
	const uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;

	if (!watch)
		return -ENOMEM;
	watch->root = root;
	watch->connection = xcb_connect(NULL, NULL);
	if (xcb_connection_has_error(watch->connection)) {
		window_watch_free(watch);
		return -ENOTCONN;
	}
	watch->pid = atom(watch->connection, "_NET_WM_PID");
	watch->type = atom(watch->connection, "_NET_WM_WINDOW_TYPE");
	watch->splash = atom(watch->connection, "_NET_WM_WINDOW_TYPE_SPLASH");
	for (xcb_screen_iterator_t screen = xcb_setup_roots_iterator(xcb_get_setup(watch->connection));
		screen.rem; xcb_screen_next(&screen))
		xcb_change_window_attributes(watch->connection, screen.data->root, XCB_CW_EVENT_MASK, &mask);
	/* Waits until the server has heard all this: windows from now on are noticed. */
	(void)atom(watch->connection, "WM_STATE");
	*ret = watch;
	return 0;
}

int window_watch_fd(const struct window_watch *watch)
{
	return xcb_get_file_descriptor(watch->connection);
}

int window_watch_seen(struct window_watch *watch)
{
	xcb_generic_event_t *event;

	while (!watch->seen && (event = xcb_poll_for_event(watch->connection))) {
		take(watch, event);
		free(event);
	}
	xcb_flush(watch->connection);
	if (!watch->seen && xcb_connection_has_error(watch->connection))
		return -ECONNRESET;
	return watch->seen;
}

void window_watch_free(struct window_watch *watch)
{
	if (!watch)
		return;
	xcb_disconnect(watch->connection);
	free(watch);
}
