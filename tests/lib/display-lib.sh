# SPDX-License-Identifier: MIT
# Sourced by tests that need an X11 display.

# A display of the test's own; its number goes to a file.
start_display() {
	rm -f "$tmp/display" # of an earlier display
	Xvfb -displayfd 3 -noreset -screen 0 200x200x24 -nolisten tcp 3>"$tmp/display" >"$tmp/xvfb" 2>&1 &
	display_server=$!
	tries=0
	until [ -s "$tmp/display" ]; do
		kill -0 "$display_server" 2>/dev/null && [ $((tries += 1)) -lt 6000 ] || fail "no display: $(cat "$tmp/xvfb")"
		sleep 0.01 # it tells in no other way
	done
	DISPLAY=:$(cat "$tmp/display")
	export DISPLAY
}

# Waits for the end of the server: it removes its socket, also one that the next server with this number has made meanwhile.
stop_display() {
	kill "$display_server"
	wait "$display_server" 2>/dev/null || :
}
