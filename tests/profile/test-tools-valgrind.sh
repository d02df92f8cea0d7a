#!/bin/sh
# The tools under valgrind's memcheck, with good and with corrupt inputs: nothing uninitialised is used, and nothing leaks.
#   test-tools-valgrind.sh HEADSTART HEADSTART-PREFETCH     linked dynamically
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/valgrind-lib.sh"

mkdir "$tmp/bin"
cp "$1" "$tmp/bin/headstart"
cp "$2" "$tmp/bin/headstart-prefetch"
cp "$tool" "$tmp/bin/headstart-tool"
PATH=$tmp/bin:$PATH
export HEADSTART_STATE="$tmp/state"
real=$(realpath "$tmp")
case $(stat -fc %T "$real") in
tmpfs | ramfs) real=$(mktemp -d "$HEADSTART_TEST_BUILD/valgrind.XXXXXX") && at_exit() { rm -rf "$real"; } ;;
esac

# clean STATUS COMMAND…: the command must exit with STATUS, with one sentence if it fails, and valgrind must report nothing.
clean() {
	memchecked "$@"
	[ "$1" != 1 ] || [ "$(wc -l <"$tmp/err")" = 1 ] || fail "'$*' did not say one line: $(cat "$tmp/err")"
}

# Every verb is called by its own program, because valgrind does not follow exec.
verb() {
	status_wanted=$1
	shift
	clean "$status_wanted" "$tmp/bin/headstart-tool" "$@"
}

mkdir "$real/folder"
cp /bin/true "$real/app"
for name in one two three; do
	head -c 300000 /dev/urandom >"$real/$name"
done
ln -s one "$real/link"
sync -f "$real"
"$make_profile" "$tmp/profile" <<EOF_PROFILE
program $real/app
file directory $real/folder
file regular $real/app
range 0 2 0 2
file regular $real/one
range 0 20 10 2
range 40 8 40 1
file symlink $real/link
file regular $real/two
range 3 40 60 1
file regular $real/three
range 0 10 200 1
exec $real/app 0
exec /bin/sh 60
EOF_PROFILE
evict_all() { evict "$real/one" "$real/two" "$real/three" "$real/app"; }

# Good inputs.
case_good_inputs() {
	for device in rotational solid auto; do
		verb 0 plan --device $device -o "$tmp/plan" "$tmp/profile"
	done
	verb 0 plan "$tmp/profile"
	verb 0 plan --json --at sh --min-runs 1 --budget 100K -o "$tmp/small" "$tmp/profile"
	for file in plan profile; do
		verb 0 show --all "$tmp/$file"
		verb 0 show --json "$tmp/$file"
	done
	verb 0 merge -o "$tmp/merged" "$tmp/profile" "$tmp/profile"
	verb 0 diff "$tmp/profile"
	verb 0 diff --json "$tmp/profile" "$tmp/merged"
	for what in one:3 one three:20 app /none; do
		verb 0 explain --plan "$tmp/plan" "$tmp/profile" "$what"
		verb 0 explain --json --plan "$tmp/plan" "$tmp/profile" "$what"
	done
	verb 1 explain "$tmp/profile" none
	for format in estargz nydus soci cvmfs mksquashfs vmtouch ranges; do
		verb 0 export --format $format "$tmp/profile"
		verb 0 export --format $format --root "$real" --json -o "$tmp/list" "$tmp/profile"
	done
	if "$tool" mark --help >/dev/null 2>&1; then # built with libtracefs
		verb 1 mark 1-2
		verb 2 mark a b
		[ "$(id -u)" = 0 ] || verb 1 record -- true
	fi
	for engine in auto nowait fadvise read; do
		evict_all
		clean 0 "$tmp/bin/headstart-prefetch" --wait --json --verify --engine $engine "$tmp/plan"
	done
	for stage in none done; do
		evict_all
		clean 0 "$tmp/bin/headstart" run --verbose --wait $stage -- "$real/app"
		grep -q 'prefetching' "$tmp/err" || fail "run found no plan or no cold page: $(cat "$tmp/err")"
	done
	evict_all
	clean 127 "$tmp/bin/headstart" run --plan "$tmp/plan" -- "$real/none"
	clean 0 "$tmp/bin/headstart" run --plan "$tmp/none" -- true
	clean 0 "$tmp/bin/headstart" --help
}

# Files that have changed or are gone.
case_changed_and_missing_files() {
	echo more >>"$real/one"
	rm "$real/two"
	evict "$real/three"
	clean 0 "$tmp/bin/headstart-prefetch" --wait --json "$tmp/plan"
	evict "$real/three"
	clean 0 "$tmp/bin/headstart" run --plan "$tmp/plan" -- true
	verb 0 show "$tmp/plan"
	verb 0 plan -o "$tmp/stale" "$tmp/profile"
}

poked() { # FILE OFFSET
	cp "$tmp/$1" "$tmp/bad"
	damage "$tmp/bad" "$2"
}

# Corrupt inputs: one sentence each, and the program starts all the same.
case_corrupt_inputs() {
	size=$(stat -c %s "$tmp/plan")
	for at in 0 8 12 16 44 48 56 64 72 80 92 $((size / 2)) $((size - 1)); do
		poked plan "$at"
		verb 1 show "$tmp/bad"
		clean 1 "$tmp/bin/headstart-prefetch" "$tmp/bad"
	done
	clean 0 "$tmp/bin/headstart" run --plan "$tmp/bad" -- true
	size=$(stat -c %s "$tmp/profile")
	for at in 0 8 16 32 64 $((size / 2)) $((size - 1)); do
		poked profile "$at"
		verb 1 show --json "$tmp/bad"
		verb 1 merge -o "$tmp/merged" "$tmp/profile" "$tmp/bad"
		verb 1 plan -o "$tmp/none" "$tmp/bad"
		verb 1 export --format ranges "$tmp/bad"
	done
	for keep in 0 7 9 100; do
		for file in plan profile; do
			head -c $keep "$tmp/$file" >"$tmp/bad"
			verb 1 show "$tmp/bad"
		done
		clean 1 "$tmp/bin/headstart-prefetch" "$tmp/bad"
		clean 0 "$tmp/bin/headstart" run --plan "$tmp/bad" -- true
	done
}

case_wrong_arguments() {
	verb 2 show --nonsense "$tmp/plan"
	verb 1 show "$tmp"
	clean 2 "$tmp/bin/headstart-prefetch" --fd x
}

run_cases
