# Shared by tests that run the tools under valgrind's memcheck. Source it after sh-lib.sh.
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
command -v valgrind >/dev/null || skip "no valgrind"
! grep -q '__[at]san_init' "$tool" || skip "the build is sanitized, which valgrind cannot run"

# memchecked STATUS COMMAND…: the command must exit with STATUS, and valgrind must report nothing about it or about children that
# it forked; the prefetcher of a subreaper is waited for. The command's output is in $tmp/out and $tmp/err. Most of the
# time goes into reading debug information: a fifth less without the names of inlined functions.
memchecked() {
	want=$1 status=0
	shift
	collecting valgrind --quiet --read-inline-info=no --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
		--errors-for-leak-kinds=definite,indirect --log-file="$tmp/valgrind.log" "$@" \
		>"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	! grep -q '^==' "$tmp/valgrind.log" || fail "'$*': $(cat "$tmp/valgrind.log")" # "--" begins a report of a system call that valgrind does not know
	[ "$status" = "$want" ] || fail "'$*' exited $status, not $want: $(cat "$tmp/err")"
}
