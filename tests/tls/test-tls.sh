#!/bin/sh
# A program whose library has 64 KiB of initial-exec TLS dies under an auditor, and starts with the room that 'headstart run'
# makes. Other tunables in GLIBC_TUNABLES are kept.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
export HEADSTART_STATE="$tmp/state"
unset GLIBC_TUNABLES LD_AUDIT LD_PRELOAD
cd "$tmp"
real=$(pwd -P)

cat >lib.c <<'EOF'
__attribute__((tls_model("initial-exec"))) __thread char block[65536];
char *at(int i) { return &block[i]; }
EOF
cat >global.c <<'EOF'
__thread char elsewhere[65536];
char *at(int i) { return &elsewhere[i]; }
EOF
cat >main.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
char *at(int i);
int main(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES"), *audit = getenv("LD_AUDIT");
	*at(65535) = 7;
	printf("%s|%s\n", tunables ? tunables : "", audit ? audit : "");
	return *at(65535);
}
EOF
cat >extern.c <<'EOF'
extern __thread char elsewhere[65536];
int main(void) { elsewhere[65535] = 7; return elsewhere[65535]; }
EOF
build() { cc -O1 "$@" || fail "cc $*"; }
build -shared -fPIC -o libbig.so lib.c
build -shared -fPIC -o libglobal.so global.c
build -o big main.c -L. -lbig -Wl,-rpath,'$ORIGIN'
build -o extern -ftls-model=initial-exec extern.c -L. -lglobal -Wl,-rpath,'$ORIGIN'
build -o plain main.c lib.c
printf '#!%s\n' "$real/big" >script
chmod +x script

# ends STATUS COMMAND…
ends() {
	want=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ "$status" = "$want" ] || fail "'$*' ends with $status, not $want: $(cat out err)"
}

# How they end on their own and under an auditor. The second library has no DF_STATIC_TLS that would give it away.
case_auditor_alone_leaves_no_room() {
	export HEADSTART=off
	ends 7 ./big
	ends 7 ./extern
	for program in big extern; do
		ends 127 env LD_AUDIT="$audit" "./$program"
		grep -q 'static TLS block' err || fail "$program died of something else: $(cat err)"
	done
	ends 7 env LD_AUDIT="$audit" ./plain
}

# run: the launcher alone, or with the shim and room for it.
case_run_makes_room() {
	for program in big extern script; do
		ends 7 "$headstart" run "./$program"
		ends 7 "$headstart" run --audit "./$program"
		ends 7 env LD_AUDIT="$audit" "$headstart" run "./$program"
	done
	ends 7 "$headstart" run ./big
	grep -qx '|' out || fail "run alone changed the environment: $(cat out)"
	ends 7 "$headstart" run --audit ./big
	grep -qE '^glibc.rtld.optional_static_tls=6[6-9][0-9]{3}\|.*/libheadstart-audit.so$' out || fail "run --audit: $(cat out)"
	ends 7 "$headstart" run --audit ./plain
	grep -qE '^\|.*/libheadstart-audit.so$' out || fail "run --audit where there is room: $(cat out)"
	ends 7 env HEADSTART=off LD_AUDIT="$audit" "$headstart" run ./big
	ends 7 env HEADSTART=off "$headstart" run --audit ./big
	grep -qx '|' out || fail "--audit with HEADSTART=off: $(cat out)"
}

# Existing tunables are kept.
case_tunables_and_auditors_are_kept() {
	ends 7 env GLIBC_TUNABLES=glibc.malloc.perturb=3:glibc.rtld.optional_static_tls=1024:glibc.malloc.check=0 \
		"$headstart" run --audit ./big
	grep -qE '^glibc.malloc.perturb=3:glibc.rtld.optional_static_tls=6[0-9]{4}:glibc.malloc.check=0\|' out || fail "$(cat out)"
	ends 7 env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=200000 "$headstart" run --audit ./big
	grep -q '^glibc.rtld.optional_static_tls=200000|' out || fail "a larger value was not kept: $(cat out)"
	build -shared -fPIC -o libother.so -Wl,-soname,libother.so -x c - <<'EOF'
unsigned la_version(unsigned version) { return version; }
EOF
	ends 7 env LD_AUDIT="$real/libother.so" "$headstart" run --audit ./big
	grep -q "|$real/libother.so:.*/libheadstart-audit.so\$" out || fail "another auditor was not kept: $(cat out)"
	if ! nm "$headstart" | grep -q __asan_init; then # which would come before all libraries
		ends 0 env LD_PRELOAD="$real/libbig.so" "$headstart" run --audit true
	fi
}

# The plan has the sum, and run goes by it: libraries that are opened later count too.
case_plan_has_the_sum_of_libraries_opened_later() {
	"$make_profile" big.profile <<EOF
program $real/plain
file regular $real/plain
range 0 4 1 1
file regular $real/libbig.so
range 0 2 5 1
EOF
	"$headstart" plan --device solid -o big.plan big.profile >out
	static_tls=$("$headstart" show --json big.plan | json - 'TOP["static_tls"]')
	[ "$static_tls" -ge 65536 ] && [ "$static_tls" -lt 70000 ] || fail "the plan says $static_tls bytes of static TLS"
	ends 7 "$headstart" run --plan big.plan --audit ./plain
	grep -q '^glibc.rtld.optional_static_tls=6' out || fail "run did not go by the plan: $(cat out)"
}

run_cases
