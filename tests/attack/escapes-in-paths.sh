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
