# Shared by the tests of the preload shim. In addition to what tests/shim/shim-lib.sh has, there are a static program $target,
# into which the shim is not loaded and whose plan is $libraries; and `launch`, which executes it in many ways.
SHIM=preload
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
launch=$HEADSTART_TEST_BUILD/tests/preload/launch
target=$place/target
cp "$HEADSTART_TEST_BUILD/tests/preload/target" "$target"
"$built/plan-for" "$state" "$target" $libraries >"$tmp/out"

# Prints how many prefetchers were started for the target.
started() {
	[ -e "$log" ] || : >"$log"
	grep -c "^preload program=$target pid=[0-9]* plan=started$" "$log" || true
}
starts() { # [WHAT…]
	[ "$(started)" = 1 ] || fail "${*:-$what}: $(started) prefetchers were started: $(cat "$log")"
}
