#!/bin/sh
# headstart doctor on this machine: its exit status, its JSON, its page, and what it says of programs of each kind.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
export HEADSTART_STATE="$tmp/state"
unset HEADSTART GLIBC_TUNABLES LD_AUDIT LD_PRELOAD NO_COLOR
cd "$tmp"
real=$(pwd -P)
mkdir -m 755 state

# Runs it; the exit status must say the same as the report.
doctor() {
	status=0
	"$headstart" doctor --json "$@" >json 2>err || status=$?
	[ ! -s err ] || fail "'doctor $*' complains: $(cat err)"
	python3 - "$status" <<'EOF' || fail "'doctor $*' ends with $status: $(cat json)"
import json, sys
report = json.load(open("json"))
problems = sum(f["severity"] == "problem" for f in report["findings"])
assert report["problems"] == problems and int(sys.argv[1]) == (problems > 0), problems
for f in report["findings"]:
    assert set(f) == {"severity", "subject", "what", "consequence", "mend"} and f["what"] and f["subject"]
    assert f["severity"] in ("ok", "note", "problem")
    assert f["severity"] != "problem" or f["consequence"], f
EOF
}

# says SEVERITY SUBJECT WORDS: a finding of the last report
says() {
	python3 - "$@" <<'EOF' || fail "no $1 of $2 says '$3': $(cat json)"
import json, sys
severity, subject, words = sys.argv[1:]
sys.exit(not any((f["severity"], f["subject"]) == (severity, subject) and
                 words in " ".join(filter(None, (f["what"], f["consequence"], f["mend"])))
                 for f in json.load(open("json"))["findings"]))
EOF
}

refuses 2 "unknown option '--frob'" "$headstart" doctor --frob
refuses 2 "one program at a time" "$headstart" doctor a b
refuses 1 "no program 'no-such-program-here'" "$headstart" doctor no-such-program-here

# the page: nothing but text without a terminal, no line over the width but commands
doctor
for subject in installed switches glibc kernel recording io_uring seccomp container disk memory preloads state plans; do
	grep -q "\"subject\": *\"$subject\"" json || fail "nothing is said of $subject: $(cat json)"
done
COLUMNS=80 "$headstart" doctor >page || true
head -n 1 page | grep -qE '^headstart on this machine: [0-9]+ problems?, [0-9]+ notes?$' || fail "the page: $(cat page)"
! grep -q "$(printf '\033')" page || fail "escape sequences without a terminal"
! grep -v '^ *\$ ' page | grep -v "'/.*'" | awk 'length > 80' | grep . || fail "lines over 80 columns"
[ "$(wc -l <page)" -le 66 ] || fail "more than a page: $(wc -l <page) lines"
if have script; then
	TERM=xterm script -qec "$headstart doctor" /dev/null </dev/null >typescript || true
	grep -q "$(printf '\033')" typescript || fail "no colour on a terminal"
	NO_COLOR=1 TERM=xterm script -qec "$headstart doctor" /dev/null </dev/null >typescript || true
	! grep -q "$(printf '\033')" typescript || fail "colour in spite of NO_COLOR"
fi

# the environment
HEADSTART=off doctor
says problem switches "unset HEADSTART"
HEADSTART=frob doctor
says note switches "means nothing"
HEADSTART_STATE=relative doctor
says note state "not an absolute path"
chmod 777 state
doctor
says problem state "chmod 755 $real/state"
chmod 755 state

# programs
printf '__attribute__((tls_model("initial-exec"))) __thread char block[65536];\nchar *at(int i) { return &block[i]; }\n' >lib.c
printf 'char *at(int i);\nint main(void) { return *at(1); }\n' >main.c
cc -shared -fPIC -o libbig.so lib.c
cc -o big main.c -L. -lbig -Wl,-rpath,'$ORIGIN'
cc -static -o static lib.c main.c
cp static setuid
chmod u+s setuid
printf '#!%s\n' "$real/big" >'a script'
printf '#!/bin/sh\nexec flatpak run org.example.App "$@"\n' >flat
printf 'no program\n' >text
echo 'echo it runs' >said
printf '#!%s\n' "$real/gone" >orphan
chmod +x 'a script' flat text said orphan

doctor ./big
says ok program "$real/big"
says ok libraries "are mapped"
says note "static TLS" "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls="
says note plan "sudo headstart record -- ./big"
eval "$(python3 -c '
import json
print(next(f["mend"] for f in json.load(open("json"))["findings"] if f["subject"] == "static TLS"))')"
LD_AUDIT=$audit ./big || fail "big does not start with what doctor says to set: $GLIBC_TUNABLES"
doctor ./big
says ok "static TLS" "makes room"
unset GLIBC_TUNABLES
doctor ./static
says note program "linked statically"
doctor ./setuid
says note program "set-user-ID"
doctor './a script'
says ok program "a script, run by"
says note plan "sudo headstart record -- './a script'"
doctor ./flat
says note program "a Flatpak"
doctor ./text
says note program "has no '#!'"
[ "$(sh -c ./said)" = "it runs" ] || fail "a shell does not start a script without '#!'"
doctor ./orphan
says problem program "whose interpreter '$real/gone' is missing"

# a plan: fresh, stale, gone, not to be believed, damaged
"$make_profile" big.profile <<EOF
program $real/big
file regular $real/big
range 0 3 1 1
file regular $real/libbig.so
range 0 2 5 1
EOF
"$headstart" plan --device solid big.profile >out
plan=$(echo "$real"/state/big-*.plan)
doctor ./big
says ok plan "every file is as it was"
says ok plans "1, all fresh"
touch libbig.so
doctor ./big
says note plan "of 2 files 1 changed, 0 gone"
says note plan "sudo headstart record -- ./big"
says note plans "1 stale"
chmod 666 "$plan"
doctor ./big
says problem plans "others may have written"
says note plan "it was not recorded"
chmod 644 "$plan"
# what the start writes itself is little, and changes again after every recording
head -c 262144 /dev/zero >much
head -c 4096 /dev/zero >little
"$make_profile" often.profile <<EOF
program $real/big
file regular $real/big
range 0 3 1 1
file regular $real/much
range 0 64 5 1
file regular $real/little
range 0 1 70 1
EOF
"$headstart" plan --device solid often.profile >out
echo changed >little
doctor ./big
says note plan "of 3 files 1 changed, 0 gone"
says note plan "headstart plan --program $real/big"
rm little
doctor ./big
says note plan "of 3 files 0 changed, 1 gone"
printf 'XXXX' | dd of="$plan" bs=1 seek=200 conv=notrunc status=none
doctor ./big
says problem plans "damaged"
says problem plan "is damaged"
"$headstart" plan --device solid big.profile >out
# settings: what they deny, and lines that are wrong
export HEADSTART_CONFIG="$PWD/conf"
printf '[programs]\ndeny = big\n' >conf
chmod 644 conf
doctor ./big
says note plan "$PWD/conf:2 denies it"
says note plan "headstart config apply"
mv "$plan" plan.away
doctor ./big
says note plan "nothing is read ahead for it"
printf '[programs]\nforbid = big\n' >conf
doctor ./big
says note settings "1 wrong line or file"
says note settings "headstart config check"
# devices: the settings know better than the kernel, of one folder as well
printf '[devices]\n/ = rotational\n' >conf
doctor
says ok disk "rotational by the settings"
doctor ./said
! (says note disk "plan --device") 2>err || fail "a disk that the settings name is doubted: $(cat json)"
printf '[devices]\n/ = rotational\n/usr = solid\n' >conf
doctor
says ok disk "/usr: "
says ok disk "solid by the settings"
says ok disk "rotational by the settings"
unset HEADSTART_CONFIG
mv plan.away "$plan"
rm big
doctor
says note plans "rm $plan"
echo ok
