#!/bin/sh
# install --system and uninstall --system at the same time have the same result as one after the other.
. "$HEADSTART_TEST_SOURCE/tests/install/root-lib.sh"
copy_programs
copy_loader32

# Where there are 32-bit programs, their link exists exactly as long as the line.
consistent() {
	stub=
	[ -z "$lib32" ] || stub=$root$(echo "$name" | sed "s,\$LIB,$lib32,")
	if [ -e "$line" ]; then
		[ "$(cat "$line")" = "$name" ] || fail "$1: the file is $(cat "$line")"
		[ -z "$stub" ] || [ -L "$stub" ] || fail "$1: the line is there, and its library for 32-bit programs is not"
	else
		[ -z "$stub" ] || [ ! -L "$stub" ] || fail "$1: a link to the library for 32-bit programs is left"
		[ ! -e "$root$(dirname "$(dirname "$record")")" ] || fail "$1: the record, or its folder, is left"
	fi
}
# together VERB…: runs all at once; each must succeed.
together() {
	pids=
	for verb; do
		"$headstart" $verb --system --root "$root" >"$tmp/$verb.out" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "'$*': one failed: $(cat "$tmp"/*.out)"
	done
	consistent "$*"
}
together install install install
[ -e "$line" ] || fail "three installs wrote nothing"
together uninstall uninstall
[ ! -e "$line" ] || fail "two uninstalls left the line"
for i in 1 2 3; do
	together install uninstall install 'install --dry-run' uninstall
done

# A killed command does not hold up those that wait for it.
"$headstart" install --system --root "$root" >/dev/null 2>&1 &
first=$!
"$headstart" install --system --root "$root" >/dev/null 2>"$tmp/err" &
second=$!
kill -KILL "$first"
wait "$second" || fail "behind one that was killed: $(cat "$tmp/err")"
wait "$first" || :
consistent "after a kill"
[ -e "$line" ] || fail "behind one that was killed nothing was written"

# Nor do ordinary users, who can lock whatever they can read.
mkfifo "$tmp/stay"
cp -L "$(command -v flock)" "$root/bin/flock"
copy_libraries "$root/bin/flock"
set -- flock /etc flock "$(dirname "$(dirname "$record")")" flock "$(dirname "$record")" flock / sh -c 'echo held && exec cat'
chroot --userspec 65534:65534 "$root" "$@" <"$tmp/stay" >"$tmp/held" 2>&1 &
user=$!
exec 3>"$tmp/stay"
until [ -s "$tmp/held" ]; do kill -0 "$user" || fail "a user cannot lock folders"; done
[ "$(cat "$tmp/held")" = held ] || fail "a user cannot lock folders: $(cat "$tmp/held")"
timeout 600 "$headstart" uninstall --system --root "$root" >/dev/null 2>"$tmp/err" || fail "beside a user's locks: $(cat "$tmp/err")"
exec 3>&-
wait "$user"
consistent "beside a user's locks"
[ ! -e "$line" ] || fail "beside a user's locks the line is left"
check_witness
echo ok
