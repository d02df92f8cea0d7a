#!/bin/sh
# SPDX-License-Identifier: MIT
# A plan names files of several users, as plans of older versions may. Only root's changes and those of the plan's own user mark
# it as stale. Otherwise a user could make root compile the plan for ever.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/attack/files-lib.sh"
cp "$prefetch" "$tmp/prefetcher"
mkdir "$tmp/roots" "$home/own"
chown 65534:65534 "$home/own"

# case_of WHO CHANGE MARKED: makes a plan of WHO over the files, does CHANGE, and checks whether the plan is marked.
case_of() {
	rm -rf "$home/own/file"
	for file in "$tmp/roots/file" "$home/own/file" "$home/own/other"; do
		head -c 9000 /dev/zero >"$file"
	done
	chown 65534:65534 "$home/own/file"
	chown 65533:65533 "$home/own/other"
	mkdir "$tmp/plans"
	"$plan_of" touch "$tmp/roots/file" "$home/own/file" "$home/own/other" >"$tmp/plans/p.plan"
	chown -R "$1:$1" "$tmp/plans"
	sh -c "$2" - || fail "cannot do '$2'"
	setpriv --reuid "$1" --regid "$1" --clear-groups -- "$tmp/prefetcher" --json "$tmp/plans/p.plan" >"$tmp/out" || fail "no prefetch"
	grep -q '"stale": 1\|"missing": 1' "$tmp/out" || fail "'$2' was not seen: $(cat "$tmp/out")"
	marked=no
	[ ! -e "$tmp/plans/p.plan.stale" ] || marked=yes
	[ "$marked" = "$3" ] || fail "after '$2' the plan of user $1 is marked as stale: $marked"
	rm -r "$tmp/plans"
}

case_of 0 "echo more >>$tmp/roots/file" yes
case_of 0 "rm $tmp/roots/file" yes
case_of 0 "echo more >>$home/own/file" no
case_of 0 "rm $home/own/file" no
case_of 0 "rm $home/own/file; mkdir $home/own/file" no
case_of 0 "rm -r $home/own/file; ln -s $tmp/roots/file $home/own/file" no
case_of 65534 "echo more >>$home/own/file" yes
case_of 65534 "rm $home/own/file" yes
case_of 65534 "echo more >>$tmp/roots/file" yes
case_of 65534 "echo more >>$home/own/other" no
