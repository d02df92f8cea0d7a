# Shared by the tests of install: a home of its own, and a check that the machine's own /etc/ld.so.preload is not touched. If it
# is, the test fails, whatever else it found.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"

preload_witness() {
	if [ -e /etc/ld.so.preload ] || [ -L /etc/ld.so.preload ]; then
		stat -c '%d %i %s %Y %a %u %g' /etc/ld.so.preload
		cksum </etc/ld.so.preload
	else
		echo absent
	fi
}
witness_before=$(preload_witness)
check_witness() {
	[ "$(preload_witness)" = "$witness_before" ] || {
		echo "FAIL: THE MACHINE'S OWN /etc/ld.so.preload HAS CHANGED: $(preload_witness), was $witness_before" >&2
		exit 99
	}
}
trap 'status=$?; clean_up; check_witness; exit $status' EXIT

# A user who has nothing of the real user's.
export HOME=$tmp/home XDG_DATA_DIRS=$tmp/share HEADSTART_STATE=$tmp/state
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME HEADSTART 2>/dev/null || :
bin=$HOME/.local/bin
menus=$HOME/.local/share/applications
mkdir -p "$HOME" "$tmp/programs" "$XDG_DATA_DIRS/applications"
PATH=$bin:$tmp/programs:$PATH

make_program() {
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/sh\necho "%s:$*"\n' "$1" >"$1"
	chmod +x "$1"
}

# Prints everything in the home, with modes and content, to compare before and after.
home_now() {
	(cd "$HOME" && find . -printf '%p %y %m %i %l\n' | sort && find . -type f -exec cksum {} + | sort)
}
