#!/bin/sh
# Kinds of programs, compacted with other hot pages each time: they run, stripped too.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/layout/compact-lib.sh"

build library.so bfd -DFUNCTIONS=100 -shared -fPIC
run_as() { run "$1" "$tmp/library.so"; }
build program bfd -DFUNCTIONS=100 -DPROGRAM -fPIE -pie
want=$(run_as "$tmp/program")
while read -r kind args; do
	# shellcheck disable=SC2086 # several arguments
	build "$kind" bfd -DFUNCTIONS=100 -DPROGRAM $args
	for seed in 3 4; do
		compact "$tmp/$kind" "$tmp/compacted-$kind" seed=$seed hot=$((seed * 10))
		[ "$(run_as "$tmp/compacted-$kind")" = "$want" ] || fail "$kind: $(run_as "$tmp/compacted-$kind")"
		check_strip "$tmp/compacted-$kind"
	done
done <<EOF
exec -no-pie
one-piece -fPIE -pie -Wl,-z,noseparate-code
64k -fPIE -pie -Wl,-z,max-page-size=65536
relr -fPIE -pie -Wl,-z,pack-relative-relocs
now -fPIE -pie -Wl,-z,now
stripped -fPIE -pie -s
emit-relocs -fPIE -pie -Wl,-q
EOF
echo ok
