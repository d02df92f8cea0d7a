#!/bin/sh
# The files of hosts.d that headstart installs have no mistakes; one that others can write is not believed.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
export HEADSTART_CONFIG="$tmp/headstart.conf" HEADSTART_HOSTS="$tmp/hosts.d"
mkdir "$HEADSTART_HOSTS"
: >"$HEADSTART_CONFIG"

case_installed_files_have_no_mistakes() {
	cp "$HEADSTART_TEST_SOURCE"/hosts.d/*.conf "$HEADSTART_HOSTS"
	"$headstart" config check >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	[ ! -s "$tmp/err" ] || fail "$(cat "$tmp/err")"
}

case_mistake_is_found() {
	printf '[x]\noperand = files\n' >"$HEADSTART_HOSTS/zz.conf"
	refuses 1 "zz.conf:2: unknown operand 'files'" "$headstart" config check
	rm "$HEADSTART_HOSTS/zz.conf"
}

case_file_that_others_can_write_is_not_believed() {
	printf '[x]\noperand = file\n' >"$HEADSTART_HOSTS/zz.conf"
	chmod 666 "$HEADSTART_HOSTS/zz.conf"
	refuses 1 "others could have written it" "$headstart" config check
	rm "$HEADSTART_HOSTS/zz.conf"
}

run_cases
