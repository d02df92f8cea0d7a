#!/bin/sh
# install --app and uninstall --app: the written files work, and uninstalling takes exactly them back.
. "$HEADSTART_TEST_SOURCE/tests/install/install-lib.sh"

make_program "$tmp/real/painter"
ln -s "$tmp/real/painter" "$tmp/programs/painter"
cat >"$XDG_DATA_DIRS/applications/org.example.Painter.desktop" <<EOF
[Desktop Entry]
Name=Painter
Name[de]=Maler
TryExec=painter
Exec=env LANG=C "$tmp/real/painter" --new %U
DBusActivatable=true
Actions=fresh;other;

[Desktop Action fresh]
Exec=painter --fresh

[Desktop Action other]
Exec=sh -c "echo 1"

[X-Vendor]
Exec=painter
EOF
echo '[Desktop Entry]
Exec=sh' >"$XDG_DATA_DIRS/applications/shell.desktop"
mkdir -p "$HOME/.config"
before=$(home_now)

"$headstart" install --app painter --dry-run >"$tmp/out" || fail "dry run"
grep -qx "would write $bin/painter" "$tmp/out" || fail "dry run does not say what: $(cat "$tmp/out")"
[ "$(home_now)" = "$before" ] || fail "a dry run wrote something"
[ ! -e "$HEADSTART_STATE" ] || fail "a dry run made the state folder"

"$headstart" install --app painter >"$tmp/out" 2>"$tmp/err" || fail "install: $(cat "$tmp/err")"
grep -qx "wrote $bin/painter" "$tmp/out" || fail "does not say what: $(cat "$tmp/out")"
grep -q "there is no plan for '$tmp/real/painter'.*sudo headstart record --until idle:3 --kill -- $tmp/real/painter" "$tmp/err" ||
	fail "does not say that there is no plan: $(cat "$tmp/err")"
[ "$(wc -l <"$tmp/err")" = 1 ] || fail "another remark: $(cat "$tmp/err")"
[ "$(painter 'a b' c)" = "$tmp/real/painter:a b c" ] || fail "the wrapper does not start the program: $(painter 'a b' c)"
grep -q "run -- '*$tmp/programs/painter'* \"\$@\"" "$bin/painter" || fail "the wrapper does without headstart"
diff "$XDG_DATA_DIRS/applications/org.example.Painter.desktop" "$menus/org.example.Painter.desktop" |
	grep '^>' >"$tmp/new" || :
cat >"$tmp/wanted" <<EOF
> Exec=env LANG=C $bin/painter --new %U
> DBusActivatable=false
> Exec=$bin/painter --fresh
EOF
cmp -s "$tmp/wanted" "$tmp/new" || fail "the menu entry: $(diff "$tmp/wanted" "$tmp/new")"
[ ! -e "$menus/shell.desktop" ] || fail "a menu entry of another program was written"
"$headstart" status | grep -qx 'app       painter: installed' || fail "status: $("$headstart" status)"

# The wrapper comes first in PATH, but headstart's other verbs mean the program behind it.
refuses 1 "'$tmp/real/painter' was not recorded" "$headstart" plan --program painter
chmod u+s "$tmp/real/painter"
"$headstart" doctor painter >"$tmp/out" 2>&1 || :
grep -qF "'$tmp/real/painter' is set-user-ID" "$tmp/out" || fail "the doctor has not looked at the program: $(cat "$tmp/out")"
chmod u-s "$tmp/real/painter"

refuses 1 "cannot write to standard output" sh -c "'$headstart' status >/dev/full"

# Installing again changes nothing. After an update of the system's file, the copy is updated too.
installed=$(home_now | sed 's/ [0-9]* $//')
"$headstart" install --app painter >/dev/null || fail "a second time"
[ "$(home_now | sed 's/ [0-9]* $//')" = "$installed" ] || fail "a second time changed something"
sed -i 's/^Name=.*/Name=New/' "$XDG_DATA_DIRS/applications/org.example.Painter.desktop"
printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$tmp/real/painter" "$tmp/real/painter" | "$make_profile" "$tmp/profile"
"$headstart" plan --device solid "$tmp/profile" >/dev/null
"$headstart" install --app painter >/dev/null 2>"$tmp/err" || fail "after an update"
[ ! -s "$tmp/err" ] || fail "a remark although there is a plan: $(cat "$tmp/err")"
grep -qx 'Name=New' "$menus/org.example.Painter.desktop" || fail "the copy did not follow an update"

"$headstart" uninstall --app painter >"$tmp/out" || fail "uninstall"
[ "$(home_now)" = "$before" ] || fail "uninstall left: $(home_now)"
"$headstart" uninstall --app painter 2>"$tmp/err" || fail "uninstall twice"
grep -qx "headstart: 'painter' is not installed; 'headstart status' lists what is" "$tmp/err" || fail "uninstall twice says: $(cat "$tmp/err")"

# NAME may be the name of a .desktop file, or a path.
"$headstart" install --app org.example.Painter >/dev/null || fail "by .desktop name"
[ -x "$bin/painter" ] && [ -e "$menus/org.example.Painter.desktop" ] || fail "by .desktop name: nothing written"
"$headstart" uninstall --app org.example.Painter >/dev/null
"$headstart" install --app "$tmp/real/painter" >/dev/null || fail "by path"
grep -q "run -- '*$tmp/real/painter'* " "$bin/painter" || fail "by path: another program"
"$headstart" uninstall --app painter >/dev/null
[ "$(home_now)" = "$before" ] || fail "uninstall by path or name left: $(home_now)"

# By its name, by a relative path, or by the path of its .desktop file: the result is the same.
for odd in 'Big Tool (x86).AppImage' "it's" 'é$a`b"c\d%e' 'a=b;c&d'; do
	mkdir -p "$tmp/my programs"
	printf '#!/bin/sh\nprintf "%%s:%%s" "$0" "$*"\n' >"$tmp/my programs/$odd"
	chmod +x "$tmp/my programs/$odd"
	exec=$(printf %s "$odd" | sed 's,[`"$],\\\\&,g; s,\\\([^\\`"$]\),\\\\\\\\\1,g; s,%,%%,g')
	printf '[Desktop Entry]\nExec="%s/my programs/%s" --new %%U\n' "$tmp" "$exec" >"$XDG_DATA_DIRS/applications/odd.desktop"
	for name in "./$odd" "$tmp/my programs/$odd" "$XDG_DATA_DIRS/applications/odd.desktop" odd.desktop odd; do
		for time in once again; do
			(cd "$tmp/my programs" && "$headstart" install --app "$name") >/dev/null 2>"$tmp/err" ||
				fail "$name, $time: $(cat "$tmp/err")"
		done
		[ "$("$bin/$odd" 'a b' c)" = "$tmp/my programs/$odd:a b c" ] || fail "$name: the wrapper: $(cat "$bin/$odd")"
		grep -q "^Exec=.*/bin/.* --new %U$" "$menus/odd.desktop" || fail "$name: the menu entry: $(cat "$menus/odd.desktop")"
		"$headstart" uninstall --app "${name%.desktop}" >/dev/null || fail "uninstall $name"
		[ "$(home_now)" = "$before" ] || fail "uninstall $name left: $(home_now)"
	done
done
rm "$XDG_DATA_DIRS/applications/odd.desktop"
(unset HOME && refuses 1 "HOME is not set" "$headstart" install --app painter)
refuses 1 "cannot write '/proc/none/install/app-painter.json': No such file or directory; 'headstart uninstall' takes back" \
	env HEADSTART_STATE=/proc/none "$headstart" install --app painter

# Two names of one program: what is said of it is said once.
(
	export HEADSTART_STATE="$tmp/no-plans"
	for name in libreoffice soffice; do ln -s "$tmp/real/painter" "$tmp/programs/$name"; done
	"$headstart" install --app libreoffice >"$tmp/out" 2>"$tmp/err" || fail "libreoffice: $(cat "$tmp/err")"
	grep -qx "wrote $bin/libreoffice" "$tmp/out" && grep -qx "wrote $bin/soffice" "$tmp/out" || fail "not both names: $(cat "$tmp/out")"
	[ "$(grep -c "there is no plan for" "$tmp/err")" = 1 ] || fail "two names: $(cat "$tmp/err")"
	"$headstart" uninstall --app libreoffice >/dev/null || fail "uninstall libreoffice"
	rm "$tmp/programs/libreoffice" "$tmp/programs/soffice"
)
[ "$(home_now)" = "$before" ] || fail "two names left: $(home_now)"

# What is one file may be several programs, by their names. Names of links on the way to a program are its own.
(
	export HEADSTART_STATE="$tmp/no-plans"
	for name in vimlike gvimlike; do ln -s "$tmp/real/painter" "$tmp/programs/$name"; done
	ln -s vimlike "$tmp/programs/vimlike-short"
	for name in vimlike gvimlike vimlike-short; do printf '[Desktop Entry]\nExec=%s %%U\n' $name >"$XDG_DATA_DIRS/applications/$name.desktop"; done
	"$headstart" install --app vimlike-short >/dev/null 2>&1 || fail "install --app vimlike-short"
	[ ! -e "$menus/gvimlike.desktop" ] || fail "a menu entry of another program of the same file was written"
	for name in vimlike vimlike-short; do
		grep -qx "Exec=$bin/vimlike-short %U" "$menus/$name.desktop" || fail "the menu entry of $name: $(cat "$menus/$name.desktop")"
	done
	"$headstart" uninstall --app vimlike-short >/dev/null || fail "uninstall vimlike-short"
	rm "$tmp/programs"/*vimlike* "$XDG_DATA_DIRS/applications"/*vimlike*
)
[ "$(home_now)" = "$before" ] || fail "programs of one file left: $(home_now)"

# A menu entry is none even if it is executable.
printf '[Desktop Entry]\nExec=painter %%U\n' >"$tmp/launch.desktop"
chmod +x "$tmp/launch.desktop"
"$headstart" install --app "$tmp/launch.desktop" >/dev/null 2>&1 || fail "a menu entry that is executable"
[ -x "$bin/painter" ] && [ ! -e "$bin/launch.desktop" ] || fail "a menu entry that is executable was taken for a program: $(ls "$bin")"
"$headstart" uninstall --app "$tmp/launch" >/dev/null || fail "uninstall launch.desktop"
[ "$(home_now)" = "$before" ] || fail "a menu entry that is executable left: $(home_now)"

# As all apps of snap are.
make_program "$tmp/real/snap"
ln -s "$tmp/real/snap" "$tmp/programs/snapped"
refuses 1 "snap" "$headstart" install --app snapped
[ "$(home_now)" = "$before" ] || fail "an app of snap left: $(home_now)"

# Two apps share files that were made for the first; whichever goes last takes them away. The record is in the home, as it is for
# users; there was no state folder before.
(
	export HEADSTART_STATE=$HOME/.local/state/headstart
	make_program "$tmp/programs/brush"
	for order in 'painter brush' 'brush painter'; do
		"$headstart" install --app painter >/dev/null && "$headstart" install --app brush >/dev/null 2>&1 || fail "two apps"
		for name in $order; do
			"$headstart" uninstall --app "$name" >/dev/null || fail "uninstall $name"
		done
		[ "$(home_now)" = "$before" ] || fail "two apps, uninstalled as '$order', left: $(home_now)"
	done
	"$headstart" install --app painter >/dev/null
	touch "$HOME/.local/state/headstart/mine"
	"$headstart" uninstall --app painter >/dev/null || fail "uninstall beside another file"
	[ -e "$HOME/.local/state/headstart/mine" ] || fail "uninstall took what is not ours"
	rm -r "$HOME/.local"
)
# The program lies where its wrapper would be, under another name. A wrapper there would execute itself for ever.
make_program "$bin/pencil"
ln -s "$bin/pencil" "$tmp/programs/pencil-link"
mkdir -p "$tmp/links"
ln -s "$bin/pencil" "$tmp/links/pencil"
printf '[Desktop Entry]\nExec=%s\n' "$bin/pencil" >"$XDG_DATA_DIRS/applications/drawing.desktop"
own=$(home_now)
for name in pencil "$bin/pencil" "$HOME/.local/../.local/bin/pencil" "$tmp/links/pencil" drawing; do
	for option in '' --force; do
		refuses 1 "/pencil' lies where its wrapper would be" "$headstart" install --app "$name" $option
		[ "$(home_now)" = "$own" ] || fail "refused, '$name' $option wrote: $(home_now)"
	done
done
"$headstart" install --app pencil-link >/dev/null 2>&1 || fail "a link of another name to a program in the folder of wrappers"
[ "$(pencil-link 1)" = "$bin/pencil:1" ] || fail "the wrapper of pencil-link: $(cat "$bin/pencil-link")"
"$headstart" uninstall --app pencil-link >/dev/null || fail "uninstall pencil-link"
rm -r "$XDG_DATA_DIRS/applications/drawing.desktop" "$tmp/programs/pencil-link" "$HOME/.local"
# A wrapper does not get a wrapper either.
"$headstart" install --app painter >/dev/null
installed=$(home_now)
refuses 1 "belongs to '--app painter'" "$headstart" install --app "$bin/painter"
[ "$(home_now)" = "$installed" ] || fail "a wrapper was given a wrapper: $(cat "$bin/painter")"
"$headstart" uninstall --app painter >/dev/null || fail "uninstall after the path of a wrapper"
[ "$(home_now)" = "$before" ] || fail "after the path of a wrapper there is left: $(home_now)"

# If two apps want the same file, the second is refused, even with --force, and is told whose file it is.
"$headstart" install --app painter >/dev/null
installed=$(home_now)
for option in '' --force; do
	refuses 1 "belongs to '--app painter'" "$headstart" install --app org.example.Painter $option
	[ "$(home_now)" = "$installed" ] || fail "a second name $option: $(home_now)"
done
"$headstart" uninstall --app painter >/dev/null || fail "uninstall after a second name"
[ "$(home_now)" = "$before" ] || fail "a second name left: $(home_now)"

# The user's own files are not overwritten. With --force they are, and come back unchanged.
mkdir -p "$bin" "$menus"
make_program "$bin/painter"
chmod 711 "$bin/painter"
printf '[Desktop Entry]\nName=Mine\nExec=painter --mine' >"$menus/org.example.Painter.desktop"
before=$(home_now)
refuses 1 "was not written by headstart" "$headstart" install --app painter
[ "$(home_now)" = "$before" ] || fail "a refusal wrote something: $(home_now)"
"$headstart" install --app painter --force >/dev/null || fail "--force"
grep -qx "Exec=$bin/painter --mine" "$menus/org.example.Painter.desktop" || fail "--force took another menu entry"
"$headstart" install --app painter >/dev/null || fail "a second time after --force"
grep -qx "Exec=$bin/painter --mine" "$menus/org.example.Painter.desktop" || fail "a second time took another menu entry"
"$headstart" uninstall --app painter >"$tmp/out" || fail "uninstall after --force"
grep -qx "restored $bin/painter" "$tmp/out" || fail "does not say what was restored: $(cat "$tmp/out")"
[ "$(home_now)" = "$before" ] || fail "what the user had did not come back: $(home_now)"

# Files that the user has changed since are left and named.
rm -r "$bin" "$menus"
"$headstart" install --app painter >/dev/null
echo '# mine' >>"$bin/painter"
"$headstart" status --json | grep -q '"state": *"changed"' || fail "status does not tell of the change"
"$headstart" uninstall --app painter >/dev/null 2>"$tmp/err" || fail "uninstall after a change"
grep -qF "'$bin/painter' was changed since" "$tmp/err" || fail "the change is not named: $(cat "$tmp/err")"
tail -n 1 "$bin/painter" | grep -qx '# mine' || fail "the changed file is gone"
[ ! -e "$menus/org.example.Painter.desktop" ] || fail "the rest was left"
rm -r "$bin"

# A file that was changed is saved beside one that has been saved before, whether or not an installation still knows that one.
make_program "$bin/painter"
"$headstart" install --app painter --force >/dev/null || fail "--force over the user's own file"
echo '# once' >>"$bin/painter"
"$headstart" install --app painter --force >/dev/null || fail "--force over a changed file"
echo '# twice' >>"$bin/painter"
"$headstart" uninstall --app painter >/dev/null 2>&1 || fail "uninstall after two changes"
"$headstart" install --app painter --force >/dev/null || fail "--force beside files of an earlier installation"
"$headstart" uninstall --app painter >/dev/null || fail "uninstall beside files of an earlier installation"
tail -n 1 "$bin/painter" | grep -qx '# twice' || fail "the latest file did not come back: $(cat "$bin/painter")"
tail -n 1 "$bin/.painter.headstart-saved-2" | grep -qx '# once' || fail "the changed file is lost"
"$bin/.painter.headstart-saved" x | grep -qx "$bin/painter:x" || fail "the user's own file is lost"
rm -r "$bin"

# Refusals.
refuses 1 "neither a program 'nothing-like-it' in PATH nor a menu entry 'nothing-like-it.desktop'" "$headstart" install --app nothing-like-it
refuses 1 "cannot be the name" "$headstart" install --app "$(printf 'a\nb')"
refuses 1 "cannot be the name" "$headstart" install --app ..
refuses 2 "needs a value" "$headstart" install --app
refuses 2 "give --system, --user or --app NAME" "$headstart" install
mkdir -p "$bin"
ln -s /bin/true "$bin/painter"
refuses 1 "is not a regular file" "$headstart" install --app painter --force
rm "$bin/painter"
mkdir -p "$HEADSTART_STATE/install"
echo nonsense >"$HEADSTART_STATE/install/app-painter.json"
refuses 1 "is not a record" "$headstart" install --app painter
refuses 1 "is not a record" "$headstart" uninstall --app painter
rm "$HEADSTART_STATE/install/app-painter.json"

# The user is told if no shell would find a wrapper.
PATH=$tmp/programs:/usr/bin:/bin "$headstart" install --app painter >/dev/null 2>"$tmp/err" || fail "not in PATH"
grep -q 'is not in PATH' "$tmp/err" || fail "does not say that the wrapper is not in PATH"

# Names that people use.
make_program "$tmp/programs/firefox-esr"
"$headstart" install --app firefox >/dev/null 2>&1 || fail "firefox"
[ -x "$bin/firefox-esr" ] || fail "firefox is called firefox-esr here"
check_witness
echo ok
