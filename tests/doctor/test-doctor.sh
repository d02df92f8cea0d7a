#!/bin/sh
# headstart doctor on this machine: its exit status, its JSON, its page, and its findings for programs of each kind.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
export HEADSTART_STATE="$tmp/state"
unset HEADSTART GLIBC_TUNABLES LD_AUDIT LD_PRELOAD NO_COLOR
cd "$tmp"
real=$(pwd -P)
mkdir -m 755 state

# Runs the doctor. The exit status must agree with the report.
doctor() {
	status=0
	"$headstart" doctor --json "$@" >json 2>err || status=$?
	[ ! -s err ] || fail "'doctor $*' complains: $(cat err)"
	json json - "$status" <<'EOF' || fail "'doctor $*' ends with $status: $(cat json)"
problems = sum(f["severity"] == "problem" for f in TOP["findings"])
assert TOP["problems"] == problems and int(ARGS[0]) == (problems > 0), problems
for f in TOP["findings"]:
    assert set(f) == {"severity", "subject", "what", "consequence", "mend", "model"} and f["what"] and f["subject"]
    assert f["severity"] in ("ok", "note", "problem")
    assert f["severity"] != "problem" or f["consequence"], f
    assert f["model"] is None or f["subject"] == "disk" and f["model"]["samples"] > 0 and len(f["model"]) == 7, f
EOF
}

# says SEVERITY SUBJECT WORDS: the last report must have such a finding.
says() {
	json json - "$@" 2>/dev/null <<'EOF' || fail "no $1 of $2 says '$3': $(cat json)"
severity, subject, words = ARGS
assert any((f["severity"], f["subject"]) == (severity, subject) and
           words in " ".join(filter(None, (f["what"], f["consequence"], f["mend"]))) for f in TOP["findings"])
EOF
}

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
cat >big.described <<EOF
program $real/big
file regular $real/big
range 0 3 1 1
file regular $real/libbig.so
range 0 2 5 1
EOF
"$make_profile" big.profile <big.described
# From now on the store has the plan of big as it was recorded.
make_plan() {
	"$headstart" plan --device solid big.profile >out
	plan=$(echo "$real"/state/big-*.plan)
}

case_wrong_arguments_are_refused() {
	refuses 2 "unknown option '--frob'" "$headstart" doctor --frob
	refuses 2 "unexpected argument 'b': give one program" "$headstart" doctor a b
	refuses 1 "'no-such-program-here' is not in PATH: give its whole path" "$headstart" doctor no-such-program-here
}

# The page: plain text without a terminal, and only commands are longer than the width.
case_page_is_one_page_of_plain_text() {
	doctor
	for subject in installed switches glibc kernel recording io_uring seccomp container disk memory preloads state plans; do
		grep -q "\"subject\": *\"$subject\"" json || fail "nothing is said of $subject: $(cat json)"
	done
	COLUMNS=80 "$headstart" doctor >page || true
	head -n 1 page | grep -qE '^headstart on this machine: [0-9]+ problems?, [0-9]+ notes?$' || fail "the page: $(cat page)"
	! grep -q "$(printf '\033')" page || fail "escape sequences without a terminal"
	! grep -v '^ *\$ ' page | grep -v "'/.*'" | awk 'length > 80' | grep . || fail "lines over 80 columns"
	[ "$(wc -l <page)" -le 66 ] || fail "more than a page: $(wc -l <page) lines"
}

case_colours_are_for_terminals() {
	if have script; then
		TERM=xterm script -qec "$headstart doctor" /dev/null </dev/null >typescript || true
		grep -q "$(printf '\033')" typescript || fail "no colour on a terminal"
		NO_COLOR=1 TERM=xterm script -qec "$headstart doctor" /dev/null </dev/null >typescript || true
		! grep -q "$(printf '\033')" typescript || fail "colour in spite of NO_COLOR"
	fi
}

# the environment
case_environment_is_told() {
	HEADSTART=off doctor
	says problem switches "unset HEADSTART"
	HEADSTART=frob doctor
	says note switches "is not a value for HEADSTART"
	HEADSTART_STATE=relative doctor
	says note state "not an absolute path"
	chmod 777 state
	doctor
	says problem state "chmod 755 $real/state"
	chmod 755 state
}

# programs of each kind
case_static_tls_is_told_and_the_advice_helps() {
	doctor ./big
	says ok program "$real/big"
	says ok libraries "are mapped"
	says note "static TLS" "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls="
	says note plan "sudo headstart record -- ./big"
	eval "$(json json 'next(f["mend"] for f in TOP["findings"] if f["subject"] == "static TLS")')"
	LD_AUDIT=$audit ./big || fail "big does not start with what doctor says to set: $GLIBC_TUNABLES"
	doctor ./big
	says ok "static TLS" "makes room"
	unset GLIBC_TUNABLES
}

case_programs_of_each_kind_are_told() {
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
}

# Plans: fresh, stale, untrusted, damaged, of a program that is gone.
case_fresh_plan_is_told() {
	make_plan
	doctor ./big
	says ok plan "every file is as it was"
	says ok plans "1, all fresh"
}

# As LibreOffice's localc.
case_alias_has_the_plan_of_what_it_executes() {
	make_plan
	printf '#!/bin/sh\nexec %s --sheet "$@"\n' "$real/big" >alias
	chmod +x alias
	doctor ./alias
	says ok plan "uses that of '$real/big', which is all that it executes"
	says ok plan "every file is as it was"
	! (says note plan "record") 2>err || fail "it does not know the plan: $(cat json)"
	rm "$plan"
	doctor ./alias
	says note plan "the program was not recorded"
}

case_stale_plan_is_told() {
	make_plan
	touch libbig.so
	doctor ./big
	says note plan "of 2 files 1 changed, 0 gone"
	! grep KiB json || fail "sizes are in MB everywhere else"
	says note plan "headstart plan FILE   # the profile"
	says note plans "headstart plan FILE   # the profile of $real/big"
	says note plans "1 stale"
	"$headstart" status >out
	grep -qx "          1 stale: see 'headstart doctor'" out || fail "status: $(cat out)"
	cp big.profile "${plan%.plan}.profile"
	doctor ./big
	says note plan "headstart plan --program $real/big"
	eval "PATH=\"$(dirname "$headstart"):$PATH\"; $(json json 'next(f["mend"] for f in TOP["findings"] if f["subject"] == "plan")')" >out
	rm "${plan%.plan}.profile"
	doctor ./big
	says ok plan "every file is as it was"
}

case_command_says_when_it_does_not_name_all() {
	make_plan
	for i in 1 2 3 4 5; do
		sed "s|program $real/big|program $real/gone-$i|" big.described | "$make_profile" gone.profile
		"$headstart" plan --device solid gone.profile >out
	done
	doctor
	says note plans "5 for programs that do not exist here; the command is for the first four"
	rm "$(echo "$real"/state/gone-1-*.plan)"
	doctor
	! grep "the first four" json || fail "the command names all: $(cat json)"
	rm "$real"/state/gone-*.plan
}

case_plan_that_others_could_have_written_is_told() {
	make_plan
	chmod 666 "$plan"
	doctor ./big
	says problem plans "others may have written"
	says note plan "the program was not recorded"
	chmod 644 "$plan"
}

# Makes the plan of a program that reads 64 pages of the file `much` and one of `little`.
plan_much_and_little() { # PROGRAM PROFILE
	head -c 262144 /dev/zero >much
	head -c 4096 /dev/zero >little
	"$make_profile" "$2" <<EOF
program $real/$1
file regular $real/$1
range 0 3 1 1
file regular $real/much
range 0 64 5 1
file regular $real/little
range 0 1 70 1
EOF
	"$headstart" plan --device solid "$2" >out
}

# the start writes some files itself; these are few, and change after every recording
case_file_that_changes_at_every_start_is_told() {
	plan_much_and_little big often.profile
	echo changed >little
	doctor ./big
	says ok plan "of 3 files 1 changed, 0 gone"
	says ok plans "1, all fresh but for a few files that 1 do without"
	rm little
	doctor ./big
	says ok plan "of 3 files 0 changed, 1 gone"
	"$headstart" status >out
	! grep -E 'stale|recorded:' out || fail "status makes much of a little file"
}

# A plan that was made again after an update is fresh, and still covers less than was recorded.
case_what_an_update_took_is_told() {
	export HEADSTART_STATE="$real/updated"
	mkdir -m 755 updated
	cp big program
	plan_much_and_little program program.profile
	mv program.profile "$(echo updated/program-*.plan | sed 's/plan$/profile/')"
	doctor ./program
	says ok plan "every file is as it was"
	echo changed >little
	"$headstart" plan --device solid --program "$real/program" >out
	doctor ./program
	says ok plan "covers 67 of 68 recorded pages (99 %)"
	says ok coverage "of 3 recorded files 1 has changed and 0 are gone: '$real/little'"
	says ok coverage "the plans cover 67 of 68 recorded pages, 0.3 of 0.3 MB"
	says ok plans "all fresh but for a few files"
	printf '#!/bin/sh\n' >program # no ELF file, of which pages could be guessed
	rm little
	"$headstart" plan --device solid --program "$real/program" >out
	doctor ./program
	says note plan "covers 64 of 68 recorded pages (94 %)"
	says note plan "sudo headstart record -- ./program"
	says note coverage "1 has changed and 1 is gone: '$real/program' itself and '$real/little'"
	says note plans "1 for a program that has changed much since it was recorded"
	"$headstart" status >out
	grep -qx "          1 covers much less than was recorded: see 'headstart doctor'" out || fail "status: $(cat out)"
}

case_plans_of_single_starts_are_told() {
	export HEADSTART_STATE="$real/starts"
	mkdir -m 755 starts
	cp big host
	for start in one two; do
		"$make_profile" $start.profile <<EOF
program $real/host
argument host
argument $start
folder /
file regular $real/host
range 0 3 1 1
file regular $real/libbig.so
range 0 2 5 1
EOF
	done
	cat one.profile two.profile >both.profile
	"$headstart" plan --device solid both.profile >out
	doctor ./host
	says ok starts "2 recorded starts have a plan of their own"
	says ok plans "1 and 2 of single starts, all fresh"
	touch libbig.so
	doctor ./host
	says note starts "2 of 2 plans of single starts are stale"
	says note plans "3 stale"
	set -- starts/host-*@*.plan
	poke "$1" 200 XXXX
	doctor ./host
	says problem starts "1 of 2 plans of single starts cannot be used"
	json json - <<'EOF' || fail "the program is named more than once: $(cat json)"
mend = next(f["mend"] for f in TOP["findings"] if f["subject"] == "plans" and "stale" in f["what"])
assert mend.count("/host") == 1, mend
EOF
}

case_damaged_plan_is_told() {
	make_plan
	poke "$plan" 200 XXXX
	doctor ./big
	says problem plans "damaged"
	says problem plan "is damaged"
}

# settings: what they deny, and lines that are wrong
case_settings_are_told() {
	make_plan
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
	says note settings "1 error"
	says note settings "headstart config check"
	mv plan.away "$plan"
}

# devices: settings take precedence over the kernel's word, also for a single folder
case_devices_are_what_the_settings_say() {
	export HEADSTART_CONFIG="$PWD/conf"
	printf '[devices]\n/ = rotational\n' >conf
	chmod 644 conf
	doctor
	says ok disk "rotational by the settings"
	doctor ./said
	! (says note disk "plan --device") 2>err || fail "a disk that the settings name is doubted: $(cat json)"
	printf '[devices]\n/ = rotational\n/usr = solid\n' >conf
	doctor
	says ok disk "/usr: "
	says ok disk "solid by the settings"
	says ok disk "rotational by the settings"
}

# plan_of PROGRAM FILE: makes a plan as root in $others/state.
plan_of() {
	"$make_profile" others.profile <<EOF
program $1
file regular $1
range 0 3 1 1
file regular $2
range 0 2 5 1
EOF
	HEADSTART_STATE="$others/state" "$headstart" plan --device solid others.profile >out
}
case_what_a_user_may_not_look_at_is_neither_stale_nor_gone() {
	[ "$(id -u)" = 0 ] || skip "not root"
	for_others "$headstart" "$headstart-tool" big libbig.so
	mkdir -m 755 "$others/state" "$others/closed"
	cp big "$others/closed/program"
	cp libbig.so "$others/closed/lib"
	cp big "$others/unreadable"
	plan_of "$others/closed/program" "$others/libbig.so"
	plan_of "$others/big" "$others/closed/lib"
	plan_of "$others/unreadable" "$others/libbig.so"
	chmod 600 "$others"/state/unreadable-*.plan
	chmod 700 "$others/closed"
	export HEADSTART_STATE="$others/state"
	$as_nobody "$others/headstart" doctor --json "$others/big" >json || :
	says ok plans "3 not checked, because this user may not"
	says ok plan "1 of 2 files not checked"
	! (says note plans "") 2>err || fail "a plan is stale or gone: $(cat json)"
	! (says problem plans "") 2>err || fail "a plan is damaged: $(cat json)"
	doctor "$others/big"
	says ok plans "3, all fresh"
	says ok plan "every file is as it was"
	touch "$others/libbig.so" "$others/closed/lib"
	rm "$others/closed/program"
	doctor
	says note plans "2 stale"
	says note plans "1 for a program that does not exist here"
}

case_plan_of_a_program_that_is_gone_is_told() {
	make_plan
	rm big
	doctor
	says note plans "rm $plan"
}

run_cases
