#!/bin/sh
# SPDX-License-Identifier: MIT
# The library of a recorded program is built again with one function more. The plan that is made then, without another recording, must
# have most of what another recording shows to be touched.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk

# build MORE: 600 hidden functions of different lengths, of which the program calls some; and one more of MORE instructions in front.
build() {
	awk -v more="$1" 'BEGIN {
		print "#define HIDDEN __attribute__((noinline, visibility(\"hidden\")))"
		if (more) printf "HIDDEN void more(void) { __asm__ volatile(\".rept %d; nop; .endr\"); }\n", more
		for (i = 0; i < 600; i++)
			printf "HIDDEN void f%d(void) { __asm__ volatile(\".rept %d; nop; .endr\"); }\n", i,
				16 * ((i * 37) % 67 + (i * i) % 7 + 1)
		print "void api(void) {"
		for (i = 80; i < 200; i++) print "f" i "();"
		for (i = 210; i < 600; i += 41) print "f" i "();"
		print "}"
	}' >"$tmp/lib.c"
	cc -O1 -fno-toplevel-reorder -shared -fPIC -s -o "$disk/new" "$tmp/lib.c"
	mv "$disk/new" "$disk/libhot.so"
	sync "$disk/libhot.so"
}
pages() { # FILE: what the profile or plan has of the library, in JSON
	"$tool" show --json "$1"
}

case_plan_after_an_update_has_what_is_touched() {
	build 0
	printf 'void api(void);\nint main(void) { api(); return 0; }\n' >"$tmp/main.c"
	cc -o "$disk/app" "$tmp/main.c" -L"$disk" -lhot -Wl,-rpath,"$disk"
	"$tool" record --quiet -- "$disk/app" || fail "no recording"
	plan=$(echo "$tmp"/state/app-*.plan)
	pages "$(echo "$tmp"/state/app-*.profile)" >"$tmp/before"
	build 300
	"$tool" plan --program "$disk/app" >"$tmp/out" || fail "$(cat "$tmp/out")"
	grep -q '^guessed  1 of these files' "$tmp/out" || fail "$(cat "$tmp/out")"
	pages "$plan" >"$tmp/guessed"
	"$tool" record --quiet -o "$tmp/again.profile" -- "$disk/app" || fail "no second recording"
	pages "$tmp/again.profile" >"$tmp/touched"
	json "$tmp/guessed" - "$disk/libhot.so" "$tmp/before" "$tmp/touched" <<'END' || fail "the guess is not what is touched"
library = ARGS[0]
def pages(name):
    file = next(f for f in json.load(open(name))["files"] if f["path"] == library)
    return {page for r in file["ranges"] for page in range(r["page"], r["page"] + r["pages"])}
before, touched = pages(ARGS[1]), pages(ARGS[2])
extents = [e for e in TOP["extents"] if TOP["files"][e["file"]]["path"] == library]
planned = {page for e in extents for page in range(e["page"], e["page"] + e["pages"])}
guessed = sum(e["pages"] - e["gap"] for e in extents)
print(len(before), "pages before,", guessed, "guessed;", len(touched), "touched now,", len(touched & planned), "of them planned")
assert guessed <= len(before)
assert all(e["guessed"] for e in extents) and len(touched) > 30
assert len(touched & planned) >= 0.8 * len(touched), (sorted(touched), sorted(planned))
END
}

run_cases
