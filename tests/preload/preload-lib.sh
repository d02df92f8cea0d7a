# Shared by the tests of the preload shim. In addition to what tests/shim/shim-lib.sh has, there are a static program $target,
# into which the shim is not loaded and whose plan is $libraries; and `launch`, which executes it in many ways.
SHIM=preload
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
launch=$HEADSTART_TEST_BUILD/tests/preload/launch
target=$place/target
cp "$HEADSTART_TEST_BUILD/tests/preload/target" "$target"
"$built/plan-for" "$state" "$target" $libraries >"$tmp/out"

# Makes a plan for $target that leads to that of a start with these arguments, by the rule on standard input (as in hosts.d).
plan_with_rule() { # ARGUMENT…
	planned=$(basename "$target")
	mkdir -p "$tmp/hosts.d"
	{ echo "[$planned]" && cat; } >"$tmp/hosts.d/test.conf"
	{
		printf 'program %s\n' "$target"
		printf 'argument %s\n' "$@"
		printf 'file regular %s\nrange 0 1 0 1\n' "$target"
		order=1
		for library in $libraries; do
			printf 'file regular %s\nrange 0 4 %d 1\n' "$(realpath "$library")" "$order"
			order=$((order + 4))
		done
	} >"$tmp/description"
	"$make_profile" "$tmp/$planned.profile" <"$tmp/description"
	HEADSTART_STATE=$state HEADSTART_HOSTS=$tmp/hosts.d "$headstart" plan --device solid "$tmp/$planned.profile" >"$tmp/out" ||
		fail "$(cat "$tmp/out")"
}

# Prints how many prefetchers were started for the target.
started() {
	[ -e "$log" ] || : >"$log"
	grep -c "^preload program=$target pid=[0-9]* plan=started$" "$log" || true
}
starts() { # [WHAT…]
	[ "$(started)" = 1 ] || fail "${*:-$what}: $(started) prefetchers were started: $(cat "$log")"
}
