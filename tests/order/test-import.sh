#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart import: functions that callgrind names, in the order of their first calls, and files that are damaged.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/order/order-lib.sh"
cd "$real"

cat >app.cc <<'EOF'
namespace space {
__attribute__((noinline)) int leaf(int x) { return x * 2 + 1; }
template <class T> __attribute__((noinline)) T late(T x) { return leaf(x) + 1; }
}
static __attribute__((noinline)) int early(int x) { return x > 0 ? early(x - 1) + 3 : space::late(x) + space::leaf(x) * 3; }
int never(int x) { return x + 1; }
int main(int argc, char **) { return early(argc) == 0 ? never(argc) : 0; }
EOF
g++ -O1 -fno-inline -fno-optimize-sibling-calls -fno-ipa-cp -ffunction-sections -Wl,--build-id -o app app.cc || fail "does not compile"
mangled() { nm app | sed -n "s/^[0-9a-f]* [tTW] \(_Z.*$1.*\)/\1/p"; }
early=$(mangled early) leaf=$(mangled leaf) late=$(mangled late)
cat >given <<EOF
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./app --once
positions: line
events: Ir

ob=(2) ???
fn=(2) 0x0000000000001100
0 12

ob=(1) $real/app
fl=(3) $real/app.cc
fn=(12) main
7 4
cfn=(14) $early
calls=1 -2
* 19
+1 3

fn=(16) $early'2
* 4
cfn=(18) $late
calls=1 2
* 3

fn=(18)
4 2
cob=(2)
cfn=(2)
calls=1 0
0 7
cfn=(20) $leaf
calls=1 -1
+1 4
fn=(14)
5 3
ob=(4) $real/gone.so
fn=(22) missing
1 1
totals: 60
EOF
printf '%s\n' main "$early" "$late" "$leaf" >expected

case_functions_are_in_the_order_of_their_numbers() {
	"$headstart" import -o given.profile given 2>err || fail "$(cat err)"
	order --for lld given.profile | grep -v '^#' | diff expected - >&2 || fail "another order"
	grep -q "^headstart: 4 functions of 1 file were called$" err || fail "$(cat err)"
	grep -q "^headstart: 1 file without symbols of functions that can be read was left out, such as '$real/gone.so'$" err || fail "$(cat err)"
	"$headstart" show given.profile >shown
	grep -q "^profile of $real/app$" shown && grep -q '^  command *./app --once$' shown && grep -q "callgrind" shown || fail "$(cat shown)"
}

case_what_valgrind_writes_is_read() {
	command -v valgrind >/dev/null || skip "no valgrind"
	valgrind --tool=callgrind --demangle=no --callgrind-out-file=written ./app >out 2>&1 || skip "callgrind does not work here: $(cat out)"
	"$headstart" import -o written.profile written 2>err || fail "$(cat err)"
	order --for lld written.profile app | grep -v '^#' >names
	grep -xF -f expected names | diff expected - >&2 || fail "another order: $(cat names)"
	! grep -q never names || fail "what was not called is in the order"
	# callgrind translates names of C++ unless it is told not to.
	valgrind --tool=callgrind --callgrind-out-file=translated ./app >out 2>&1
	"$headstart" import -o translated.profile translated 2>err || fail "$(cat err)"
	grep -qE "^headstart: [0-9]+ functions? ha(s|ve) no symbol: were they written with --demangle=no\?$" err || fail "$(cat err)"
}

case_stripped_program_has_a_debug_file() {
	id=$(readelf -n app | sed -n 's/.*Build ID: //p')
	folder=$real/debug/.build-id/$(echo "$id" | cut -c 1-2)
	mkdir -p "$folder" original
	cp app original/app
	objcopy --only-keep-debug app "$folder/$(echo "$id" | cut -c 3-).debug"
	strip app
	at_case_exit() { cp original/app app; }
	"$headstart" import -o stripped.profile --debug-dir "$real/debug" given 2>err || fail "$(cat err)"
	order --for lld stripped.profile original/app | grep -v '^#' | diff expected - >&2 || fail "another order"
	refuses 1 "'given' names no function that its files have symbols of" "$headstart" import -o none.profile --debug-dir "$real/nowhere" given
	[ ! -e none.profile ] || fail "a profile of nothing"
}

# Each line in turn is broken: a profile, or one sentence and no profile.
case_damaged_files_do_no_harm() {
	python3 - given "$headstart" <<'EOF' || fail "a damaged file did harm"
import os, subprocess, sys
lines = open(sys.argv[1]).read().split("\n")
good = bad = 0
for number, line in enumerate(lines):
    for change in (line[:3], "(" + line, line.replace(")", "", 1), "fn=(18446744073709551616) main", line.replace("(1", "(-1")):
        if change == line:
            continue
        open("damaged", "w").write("\n".join(lines[:number] + [change] + lines[number + 1:]))
        if os.path.exists("damaged.profile"):
            os.unlink("damaged.profile")
        run = subprocess.run([sys.argv[2], "import", "-o", "damaged.profile", "damaged"], capture_output=True, text=True)
        made = os.path.exists("damaged.profile")
        if run.returncode == 0 and made:
            good += 1
        elif run.returncode == 1 and not made and run.stderr.count("\n") == 1:
            bad += 1
        else:
            sys.exit(f"line {number + 1}, '{change}': {run}")
print(good, bad)
assert good > 10 and bad > 50
EOF
	for size in 0 10 100; do
		head -c $size given >short
		refuses 1 "'short'" "$headstart" import -o short.profile short
	done
}

case_wrong_arguments_are_refused() {
	refuses 2 "no output given: use -o OUT" "$headstart" import given
	refuses 2 "give one FILE that callgrind has written" "$headstart" import -o out
	refuses 2 "give one FILE that callgrind has written" "$headstart" import -o out given given
	refuses 2 "'debug' is not an absolute path" "$headstart" import -o out --debug-dir debug given
	refuses 1 "cannot read 'nowhere': No such file" "$headstart" import -o out nowhere
	refuses 1 "'app' is not what callgrind writes: see line 1" "$headstart" import -o out app
	refuses 1 "cannot write '/nowhere/out'" "$headstart" import -o /nowhere/out given
}

run_cases
