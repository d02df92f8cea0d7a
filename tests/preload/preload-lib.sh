# Shared by the tests of the preload shim: beside what tests/shim/shim-lib.sh has, a static program $target, which is not
# shimmed itself, and whose plan is $libraries; and `launch`, which executes it in many ways.
SHIM=preload
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
launch=$HEADSTART_TEST_BUILD/tests/preload/launch
target=$place/target
cp "$HEADSTART_TEST_BUILD/tests/preload/target" "$target"
"$built/plan-for" "$state" "$target" $libraries >"$tmp/out"

# The number of prefetchers started for the target.
started() {
	[ -e "$log" ] || : >"$log"
	grep -c "^preload program=$target pid=[0-9]* plan=started$" "$log" || true
}
starts() { # [WHAT…]
	[ "$(started)" = 1 ] || fail "${*:-$what}: $(started) prefetchers were started: $(cat "$log")"
}
