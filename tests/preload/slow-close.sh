#!/bin/sh
# A program has a file of a FUSE file system open whose server does not answer when it is closed, or starts another one with a file as its
# argument whose name the server does not find. Neither a hook nor the launcher waits for that.
if [ "${1-}" != inside ]; then
	. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
	needs_mounts
	[ -c /dev/fuse ] || skip "no /dev/fuse (modprobe fuse)"
	status=0
	unshare --mount --propagation private sh "$0" inside || status=$?
	exit $status
fi
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

mkdir "$tmp/real" "$tmp/mirror"
: >"$tmp/real/file"
mkfifo "$tmp/mirror.log.held"
serve() { # [MODE]
	: >"$tmp/mirror.log"
	"$HEADSTART_TEST_BUILD/tests/prefetch/mirror" "$tmp/real" "$tmp/mirror" "$tmp/mirror.log" "${1:-hold-close}" 2>"$tmp/mirror-err" &
	server=$!
	until mountpoint -q "$tmp/mirror"; do
		kill -0 $server 2>/dev/null || skip "a FUSE file system cannot be mounted here: $(cat "$tmp/mirror-err")"
		sleep 0.01
	done
}
roots=
at_case_exit() {
	[ -z "$roots" ] || umount -l "$(dirname "$roots")" 2>/dev/null || :
	kill -KILL $server 2>/dev/null || :
	umount -l "$tmp/mirror" 2>/dev/null || :
}
comes_true() { # OTHERWISE COMMAND…
	otherwise=$1
	shift
	tries=0
	until "$@"; do
		[ $((tries += 1)) -lt 6000 ] || fail "$otherwise: $(cat "$tmp/seen")"
		sleep 0.01
	done
}

# Opens the file, starts the target, and only then lets the server answer.
cat >"$tmp/starter" <<'END'
import os, sys
file, target, held, returned = sys.argv[1:]
os.open(file, os.O_WRONLY)
child = os.posix_spawn(target, [target], {})
os.close(os.open(returned, os.O_CREAT))
os.open(held, os.O_RDWR)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END

# The target has the file as its output. Whoever starts it waits for the end of a pipe that tells of a failed execve.
cat >"$tmp/waiter" <<'END'
import os, subprocess, sys
file, target, held, returned = sys.argv[1:]
output = os.open(file, os.O_WRONLY)
os.set_inheritable(output, True)
child = subprocess.Popen([target], stdout=output, close_fds=False, cwd="/", env={}) # cwd: by fork, not by posix_spawn
os.close(os.open(returned, os.O_CREAT))
os.open(held, os.O_RDWR)
sys.exit(child.wait())
END

# The same with a command that inherits the file: it has started its program when that has printed something.
cat >"$tmp/launcher" <<'END'
import os, subprocess, sys
file, held, returned, *command = sys.argv[1:]
inherited = os.open(file, os.O_WRONLY)
child = subprocess.Popen(command, pass_fds=[inherited], stdout=subprocess.PIPE)
child.stdout.read(1)
os.close(os.open(returned, os.O_CREAT))
os.open(held, os.O_RDWR)
sys.exit(child.wait())
END

# Runs a command in the background, which must get past its start before the server answers.
gets_past() {
	serve
	rm -f "$log" "$tmp/returned"
	"$unclaimed" $(find "$state" -name '*.plan' -type f)
	make_cold
	"$@" >"$tmp/seen" 2>&1 &
	starter=$!
	comes_true "the start waits" [ -e "$tmp/returned" ]
	status=0
	wait $starter || status=$?
	[ "$status" = 7 ] || fail "the program failed with $status: $(cat "$tmp/seen")"
	grep -q '^flush' "$tmp/mirror.log" || fail "the file was not closed"
}

case_launcher_starts_the_program_while_the_server_does_not_answer() {
	gets_past env -i PATH="$PATH" HEADSTART_STATE="$state" HEADSTART_LOG="$log" /usr/bin/python3 "$tmp/launcher" "$tmp/mirror/file" \
		"$tmp/mirror.log.held" "$tmp/returned" "$headstart" run -- "$target" argument
	comes_true "nothing was read ahead" grep -qs "^prefetch program=$target " "$log"
}

# The prefetcher takes the plan late, as on a busy machine. The program starts too early within this second, if at all.
case_program_waits_for_a_prefetcher_that_is_late() {
	serve
	rm -f "$log" "$tmp/returned"
	"$unclaimed" $(find "$state" -name '*.plan' -type f)
	make_cold
	env -i PATH="$PATH" HEADSTART_STATE="$state" HEADSTART_LOG="$log" /usr/bin/python3 "$tmp/launcher" "$tmp/mirror/file" \
		"$tmp/mirror.log.held" "$tmp/returned" "$headstart" run --wait done -- "$target" argument >"$tmp/seen" 2>&1 &
	starter=$!
	comes_true "the prefetcher does not close the file" grep -q '^flush' "$tmp/mirror.log"
	tries=0
	while [ $((tries += 1)) -le 100 ]; do
		[ ! -e "$tmp/returned" ] || fail "the program starts before its prefetcher has ended"
		sleep 0.01
	done
	exec 9<>"$tmp/mirror.log.held" # the server answers
	status=0
	wait $starter || status=$?
	exec 9>&-
	[ "$status" = 7 ] || fail "the program failed with $status: $(cat "$tmp/seen")"
	comes_true "nothing was read ahead" grep -qs "^prefetch program=$target " "$log"
}

# The prefetcher stays the launcher's child, and closes what it has inherited.
case_launcher_in_a_container_starts_the_program() {
	[ "$(id -u)" = 0 ] && unshare --pid --fork --mount-proc true 2>/dev/null || { untried "no pid namespaces here" && return 0; }
	gets_past env -i PATH="$PATH" HEADSTART_STATE="$state" HEADSTART_LOG="$log" /usr/bin/python3 "$tmp/launcher" "$tmp/mirror/file" \
		"$tmp/mirror.log.held" "$tmp/returned" unshare --pid --fork --mount-proc --kill-child "$headstart" run -- "$target" argument
}

# What the start asks for would be looked for there, for its plan.
case_hook_asks_no_server_for_what_the_arguments_name() {
	cat >"$tmp/spawner" <<'END'
import os, sys
file, target, returned = sys.argv[1:]
child = os.posix_spawn(target, [target, file], {})
os.close(os.open(returned, os.O_CREAT))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
	echo "operand = file" | plan_with_rule "$target" "$target"
	serve hold-names
	rm -f "$tmp/returned"
	make_cold
	shimmed /usr/bin/python3 "$tmp/spawner" "$tmp/mirror/file" "$target" "$tmp/returned" >"$tmp/seen" 2>&1 &
	starter=$!
	comes_true "the start waits" [ -e "$tmp/returned" ]
	wait $starter || :
	! grep "^name" "$tmp/mirror.log" || fail "the server was asked"
	"$built/plan-for" "$state" "$target" $libraries >"$tmp/out" # without a rule, as before
}

case_hook_returns_while_the_server_does_not_answer() {
	gets_past shimmed /usr/bin/python3 "$tmp/starter" "$tmp/mirror/file" "$target" "$tmp/mirror.log.held" "$tmp/returned"
	starts
}

case_starter_with_a_status_pipe_goes_on_while_the_server_does_not_answer() {
	gets_past shimmed /usr/bin/python3 "$tmp/waiter" "$tmp/mirror/file" "$target" "$tmp/mirror.log.held" "$tmp/returned"
	starts
}

# Neither reading nor locking a plan in a home on such a server may keep a program of the user's.
case_plan_in_a_home_that_does_not_answer_is_left() {
	[ "$(id -u)" = 0 ] || { untried "only root can become a user" && return 0; }
	for_others "$preload" "$launch" "$target"
	chmod 711 "$tmp"
	mkdir -p "$tmp/real/.local/state/headstart"
	"$built/plan-for" "$tmp/real/.local/state/headstart" "$others/target" $libraries >"$tmp/out" || fail "$(cat "$tmp/out")"
	serve hold-read
	make_cold
	status=0
	timeout -s KILL 30 $as_nobody env -i HOME="$tmp/mirror" LD_PRELOAD="$others/${preload##*/}" "$others/launch" execv "$others/target" >"$tmp/seen" 2>&1 || status=$?
	[ "$status" = 7 ] || fail "the program ended with $status: $(cat "$tmp/seen")"
	! grep -q read "$tmp/mirror.log" || fail "the plan is read: $(cat "$tmp/mirror.log")"
}

# Root's plans are trusted wherever they lie, also on a machine without a disk.
case_plan_of_roots_is_read_for_a_program_without_a_home() {
	[ "$(id -u)" = 0 ] || { untried "only root can become a user" && return 0; }
	for_others "$preload" "$launch" "$target"
	chmod 711 "$tmp"
	rm -rf "$tmp/real" && mkdir "$tmp/real"
	"$built/plan-for" "$tmp/real" "$others/target" $libraries >"$tmp/out" || fail "$(cat "$tmp/out")"
	serve forget
	roots=$(defined HEADSTART_STATE_DIR)
	mount -t tmpfs -o mode=755 tmpfs "$(dirname "$roots")"
	mkdir "$roots"
	mount --bind "$tmp/mirror" "$roots"
	make_cold
	for home in "" "HOME=$tmp/nowhere"; do
		: >"$tmp/mirror.log"
		status=0
		$as_nobody env -i $home LD_PRELOAD="$others/${preload##*/}" "$others/launch" execv "$others/target" >"$tmp/seen" 2>&1 || status=$?
		[ "$status" = 7 ] || fail "the program ended with $status: $(cat "$tmp/seen")"
		grep -q read "$tmp/mirror.log" || fail "the plan is not read (${home:-without a home})"
	done
}

run_cases
