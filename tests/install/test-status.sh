#!/bin/sh
# headstart status where little can be found out.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"
as_user=
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user with"
	as_user=$as_nobody
	for_others "$headstart" "$headstart-tool"
	headstart=$others/headstart
fi

# Without a home there is no user's folder to look into; status prints the rest.
without_home() { $as_user env -u HOME -u HEADSTART_STATE -u HEADSTART_CONFIG "$@"; }
without_home "$headstart" status >"$tmp/out" 2>"$tmp/err" || fail "status without HOME: $(cat "$tmp/err")"
[ ! -s "$tmp/err" ] || fail "status without HOME complains: $(cat "$tmp/err")"
grep -q '^system    ' "$tmp/out" || fail "nothing is told of the system: $(cat "$tmp/out")"
grep -q '^settings  ' "$tmp/out" || fail "nothing is told of settings: $(cat "$tmp/out")"
grep -qx "user      unknown: HOME is not set" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
without_home "$headstart" status --json >"$tmp/out" 2>"$tmp/err" || fail "status --json without HOME: $(cat "$tmp/err")"
json "$tmp/out" - <<'END' || fail "the JSON: $(cat "$tmp/out")"
status = TOP
assert set(status) == {"switched_off_by", "system", "daemon", "user", "apps", "settings", "recorded"}
assert status["user"] is None and status["apps"] is None
assert [set(folder) for folder in status["recorded"]] == [{"folder", "profiles", "plans", "starts", "stale", "worn", "older"}], "root's alone"
assert set(status["settings"]) == {"files", "problems"} and "state" in status["system"]
END

# A folder that is named needs no home.
mkdir -m 755 "$tmp/kept"
chmod 755 "$tmp"
$as_user env -u HOME HEADSTART_STATE="$tmp/kept" "$headstart" status >"$tmp/out" 2>"$tmp/err" ||
	fail "status with HEADSTART_STATE: $(cat "$tmp/err")"
grep -qx 'user      not installed' "$tmp/out" || fail "with HEADSTART_STATE it says: $(cat "$tmp/out")"
grep -qx "recorded  0 profiles, 0 plans, in $tmp/kept" "$tmp/out" || fail "recorded: $(cat "$tmp/out")"
: >"$tmp/kept/a-0.profile"
: >"$tmp/kept/a-0.plan"
: >"$tmp/kept/a-0@1.plan"
: >"$tmp/kept/a-0.plan.stale"
$as_user env -u HOME HEADSTART_STATE="$tmp/kept" "$headstart" status >"$tmp/out"
grep -qx "recorded  1 profile, 1 plan and 1 of single starts, in $tmp/kept" "$tmp/out" || fail "recorded: $(cat "$tmp/out")"

# A user sees root's plans and the user's own.
$as_user env -u HEADSTART_STATE -u XDG_STATE_HOME HOME="$tmp/nobody" "$headstart" status >"$tmp/out"
[ "$(grep -c '^recorded' "$tmp/out")" = 2 ] || fail "folders: $(cat "$tmp/out")"
grep -qx "recorded  0 profiles, 0 plans, in $tmp/nobody/.local/state/headstart" "$tmp/out" ||
	fail "the user's own: $(cat "$tmp/out")"

# Names need not be UTF-8, but JSON is.
odd=$(printf '%s/odd\377' "$tmp")
mkdir -m 755 "$odd"
$as_user env HEADSTART_STATE="$odd" "$headstart" status --json >"$tmp/out"
[ "$(json "$tmp/out" 'TOP["recorded"][0]["folder"].endswith("/odd\ufffd")')" = True ] || fail "a name that is not UTF-8: $(cat "$tmp/out")"
$as_user env HEADSTART_STATE="$odd" "$headstart" status >"$tmp/out"
grep -aqxF "recorded  0 profiles, 0 plans, in $odd" "$tmp/out" || fail "a name that is not UTF-8, as text: $(cat "$tmp/out")"

printf '[budget]\nmemory = lots\n' >"$tmp/conf"
chmod 644 "$tmp/conf"
$as_user env HEADSTART_CONFIG="$tmp/conf" "$headstart" status >"$tmp/out"
grep -qx "settings  1 error: see 'headstart config check'" "$tmp/out" || fail "wrong settings: $(cat "$tmp/out")"
printf '[budget]\nmemory = 1M\n' >"$tmp/conf"
$as_user env HEADSTART_CONFIG="$tmp/conf" "$headstart" status >"$tmp/out"
grep -qx 'settings  good' "$tmp/out" || fail "good settings: $(cat "$tmp/out")"
check_witness
echo ok
