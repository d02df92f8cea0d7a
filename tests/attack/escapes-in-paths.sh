#!/bin/sh
# SPDX-License-Identifier: MIT
# The path of a user's program has escape sequences in it. On a terminal, root's commands print none of them; elsewhere, they
# print the path as it is.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state"
esc=$(printf '\033')
program="$tmp/${esc}]0;owned"
mkdir -m 755 "$HEADSTART_STATE"
printf 'int main(void)\n{\n\treturn 0;\n}\n' | cc -x c - -o "$program"
printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$program" "$program" | "$make_profile" "$tmp/profile"
at_a_terminal() {
	/usr/bin/python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$@" >"$tmp/out" 2>&1 || fail "'$*' failed: $(cat "$tmp/out")"
	! grep -qF "$esc]0;owned" "$tmp/out" || fail "'$*' sent the escape sequence to the terminal"
	grep -qF ']0;owned' "$tmp/out" || fail "'$*' does not name the program: $(cat "$tmp/out")"
}
at_a_terminal "$headstart" plan -o "$tmp/plan" "$tmp/profile"
at_a_terminal "$headstart" relayout --profile "$tmp/profile" --dry-run --force "$program"
"$headstart" plan "$tmp/profile" >"$tmp/out" || fail "no plan"
grep -qF "program  $program" "$tmp/out" || fail "not the very path where no terminal is: $(cat "$tmp/out")"
stored=$(find "$HEADSTART_STATE" -name '*.plan' -type f)
cp "$tmp/profile" "${stored%.plan}.profile"
at_a_terminal "$headstart" config apply
at_a_terminal "$headstart" why "$program"
for format in nydus vmtouch; do
	at_a_terminal "$headstart" export --format $format "$tmp/profile"
	"$headstart" export --format $format "$tmp/profile" >"$tmp/out" || fail "no list for $format"
	tr '\0' '\n' <"$tmp/out" | grep -qxF "$program" || fail "not the very path where no terminal is: $(cat "$tmp/out")"
done
"$headstart" relayout --profile "$tmp/profile" --all --in-place "$program" >"$tmp/out" 2>&1 || fail "it cannot be relaid: $(cat "$tmp/out")"
at_a_terminal "$headstart" verify "$program"
at_a_terminal "$headstart" undo --dry-run "$program"
at_a_terminal "$headstart" undo "$program"
# A function's name has U+009B in it, which many terminals take for an escape sequence's beginning.
csi=$(printf '\302\233')
printf '.globl "f%s2J]0;owned"\n.type "f%s2J]0;owned", @function\n"f%s2J]0;owned":\nret\n.size "f%s2J]0;owned", 1\n.section .note.GNU-stack,"",@progbits\n' "$csi" "$csi" "$csi" "$csi" >"$tmp/name.s"
printf 'int main(void)\n{\n\treturn 0;\n}\n' | cc -Wl,-z,noseparate-code -x c - -x assembler "$tmp/name.s" -o "$tmp/named"
printf 'program %s\nfile regular %s\nrange 0 4 0 4\n' "$tmp/named" "$tmp/named" | "$make_profile" "$tmp/named.profile"
at_a_terminal "$headstart" order --for lld "$tmp/named.profile"
! grep -qF "$csi" "$tmp/out" || fail "order sent a control character to the terminal"
"$headstart" order --for lld "$tmp/named.profile" | grep -qF "f${csi}2J" || fail "not the very name where no terminal is"
