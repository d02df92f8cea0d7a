#!/bin/sh
# headstart relayout as a command: where its results go, what it skips, what it refuses and in which words.
. "$HEADSTART_TEST_SOURCE/tests/relayout/subject-lib.sh"
export LC_ALL=C.UTF-8
write_bulk
cat >"$tmp/lib.c" <<'EOF'
#include <stdint.h>
#include "bulk.inc"
const char *const names[] = {"a", "b", "c"};
uint64_t sum(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < BULK; i++)
		sum += bulk_table[i](i);
	return sum;
}
EOF
cat >"$tmp/main.c" <<'EOF'
#include <stdint.h>
#include <stdio.h>
uint64_t sum(void);
int main(void)
{
	return printf("%llx\n", (unsigned long long)sum()) < 0;
}
EOF
cd "$tmp"
gcc -shared -fPIC -I. lib.c -Wl,-soname,libsum.so -Wl,--build-id -o libsum.so
gcc -fPIE -pie main.c ./libsum.so -o program
gcc -fPIE -pie -I. main.c lib.c -Wl,--build-id=none -o plain
relayout() { # also what gains nothing: these files are small
	"$headstart" relayout --all "$@"
}
random_profile profile 3 30 program libsum.so plain

# -o: a file, a folder; the result has the mode of the original.
chmod 751 libsum.so
relayout --profile profile -o new.so libsum.so >out
loads=$(readelf -lW libsum.so | grep -c LOAD) # 4 on x86-64, 2 on AArch64, by default
grep -qE "^relaid 1 of 1 file: [0-9.]+ kB hot, $loads -> [0-9]+ PT_LOADs\$" out || fail "the summary is $(cat out)"
[ "$(stat -c %a new.so)" = 751 ] || fail 'the mode of the result is not that of the original'
mkdir folder
relayout --profile profile -o folder --jobs 2 program libsum.so plain >out
grep -q '^relaid 3 of 3 files: ' out || fail "the summary is $(cat out)"
cmp new.so folder/libsum.so || fail 'the result depends on where it is written, or how many are made at once'
[ "$(LD_LIBRARY_PATH=folder folder/program)" = "$(LD_LIBRARY_PATH=. ./program)" ] || fail 'relaid, it computes something else'
mkdir links
ln -s ../libsum.so links/libsum.so.1
relayout --profile profile -o folder links/libsum.so.1 >/dev/null
cmp new.so folder/libsum.so.1 || fail 'a file that was named by a link does not keep the name'
refuses 1 'and several files cannot go to one' relayout --profile profile -o one program libsum.so
refuses 1 'would both be written to' sh -c "mkdir -p other && cp libsum.so other &&
	'$headstart' relayout --profile profile -o folder libsum.so other/libsum.so"

# The file itself is replaced by --in-place alone.
inode=$(stat -c %i libsum.so)
for out in . libsum.so links/libsum.so.1; do
	refuses 1 "'$tmp/libsum.so' is the file that the result would be written to; use --in-place to replace it" \
		relayout --profile profile --compact -o $out libsum.so
done
[ "$(stat -c %i libsum.so)" = "$inode" ] || fail '-o has replaced the file itself'

# A relaid file is laid out anew from its original: the result is the same as from the original itself, with the newest profile.
cp new.so again.so
relayout --profile profile -o again2.so again.so >/dev/null 2>err || fail "relaid anew: $(cat err)"
cmp new.so again2.so || fail 'relaid anew by the same profile it is another file'
random_profile profile2 4 10 libsum.so
relayout --profile profile2 -o direct.so libsum.so >/dev/null
relayout --profile profile2 -o anew.so new.so >/dev/null
cmp direct.so anew.so || fail 'relaid anew by another profile it is not what it would have been'
poke again.so 5000 x
refuses 1 "'$tmp/again.so' " relayout --profile profile -o x again.so
# A profile of the relaid file has pages of its hot region, which are mapped back to those of the original.
random_profile profile3 5 100 new.so
relayout --profile profile3 --max-segments 8 -o all.so new.so >/dev/null
"$headstart" verify all.so >/dev/null || fail 'by a profile of the relaid file'

# --dry-run writes nothing, and predicts the gain.
mkdir dry
cp libsum.so program dry
find dry -type f -printf '%p %i %s %m %T@ %C@\n' | sort >was
for how in '-o dry' --in-place '--shadow dry/shadow'; do
	# shellcheck disable=SC2086 # they are words
	relayout --profile profile --dry-run --force $how "$tmp/dry/program" "$tmp/dry/libsum.so" >out
	grep -q '^2 of 2 files would be relaid: ' out || fail "--dry-run $how: $(cat out)"
	find dry -type f -printf '%p %i %s %m %T@ %C@\n' | sort | diff was - || fail "--dry-run $how wrote something"
done
relayout --profile profile --dry-run program libsum.so >out
grep -qE '^reads +[0-9]+ -> [0-9]+$' out || fail "--dry-run does not predict reads: $(cat out)"
relayout --profile profile --dry-run --json program libsum.so >out
json out - "$loads" <<'EOF' || fail "the JSON of --dry-run: $(cat out)"
assert TOP["done"] == 2 and TOP["refused"] == 0 and TOP["dry_run"] is True
file = TOP["files"][1]
assert file["status"] == "would be relaid" and file["path"].endswith("/libsum.so")
assert file["before"]["segments"] == int(ARGS[0]) < file["after"]["segments"]
assert file["after"]["reads"] <= file["before"]["reads"]
assert file["after"]["bytes"] == 4096 * file["after"]["pages"]
assert file["passes"]["hot"]["done"] and file["hot_bytes"] % 4096 == 0
EOF

# In place, for a file with another name in the folder, and for one with a name elsewhere, which has to be given.
mkdir place place/else
cp libsum.so program place
ln place/libsum.so place/libsum.so.1
relayout --profile profile --in-place --force place/libsum.so place/program >/dev/null 2>err
grep -q 'uprobes that a tool places by section headers do not fire in hot code' err || fail "--in-place does not warn of uprobes: $(cat err)"
[ "$(stat -c %i place/libsum.so)" = "$(stat -c %i place/libsum.so.1)" ] || fail 'a hard link was broken'
cmp place/libsum.so new.so || fail 'in place it is another file'
"$headstart" undo place/libsum.so place/libsum.so.1 place/program >/dev/null
cmp place/libsum.so libsum.so || fail 'undo'
ln place/libsum.so place/else/libsum.so
refuses 1 'has other names (hard links) in other folders; name them too' relayout --profile profile --in-place --force place/libsum.so
relayout --profile profile --in-place --force place/libsum.so place/else/libsum.so >/dev/null
cmp place/else/libsum.so new.so || fail 'the name elsewhere is another file'
[ -z "$(find place -name '.*.headstart-*')" ] || fail 'temporary files are left behind'

# --tree: names, links and the profile's paths are inside the tree.
mkdir -p tree/opt tree/links
cp libsum.so program tree/opt
ln -s /opt/libsum.so tree/links/lib.so
relayout --profile profile --tree tree --in-place --force /links/lib.so >/dev/null || fail '--tree'
cmp tree/opt/libsum.so new.so || fail '--tree by build-id gives another file'
[ -L tree/links/lib.so ] || fail 'the link was replaced'
mkdir -p "tree$tmp"
cp libsum.so "tree$tmp"
relayout --profile profile --tree tree --in-place --force --all >out || fail '--tree without names'
grep -q '^relaid 1 of 1 file: ' out || fail "--tree without names: $(cat out)"
cmp "tree$tmp/libsum.so" new.so || fail '--tree without names gives another file'
refuses 1 "cannot relayout '/../$tmp/program'" relayout --profile profile --tree tree --dry-run "/../$tmp/program"

# An image may have nodes of devices, and opening one would have effects: of this one there is no driver, so it would fail.
if mknod tree/opt/node c 4000 0 2>/dev/null; then
	for how in --in-place --dry-run '-o x'; do
		# shellcheck disable=SC2086 # they are words
		refuses 1 "'/opt/node' is not a regular file" relayout --profile profile --tree tree $how --force /opt/node
	done
	refuses 1 "'tree/opt/node' is not a regular file" "$headstart" undo tree/opt/node
	refuses 1 "'tree/opt/node' is not a regular file" "$headstart" undo --dry-run tree/opt/node
	refuses 1 "'tree/opt/node' is not a regular file" "$headstart" verify tree/opt/node
	refuses 1 "'tree/opt/node' is not a regular file" "$headstart" verify --original tree/opt/node libsum.so
	rm tree/opt/node
else
	untried 'a node of a device: none can be made here'
fi

# Without names, the ELF files of the profile are meant. Other files and missing ones are left out.
echo text >text
{
	cat profile.text
	echo "file regular $tmp/text"
	echo 'range 0 1 1000000 1'
	echo 'file regular /no/such/file'
	echo 'range 0 1 1000001 1'
} >all.text
"$make_profile" all.profile <all.text
relayout --profile all.profile --dry-run --all >out 2>err || fail "all files of a profile: $(cat err)"
grep -q '^3 of 3 files would be relaid' out || fail "all files of a profile: $(tail -n 1 out)"
# Of these, only the ones that gain: a large file that is touched in many places, and not a program of four pages.
echo 'const char padding[8 << 20] = {1};' >padding.c
gcc -shared -fPIC padding.c -Wl,--build-id -o large.so
{
	cat all.text
	echo "file regular $tmp/large.so"
	seq 50 | awk '{ print "range", 40 * $1, 1, 2000000 + $1, 1 }'
} >gains.text
"$make_profile" gains.profile <gains.text
"$headstart" relayout --profile gains.profile --dry-run >out 2>err || fail "files of a profile that gain: $(cat err)"
grep -qE '^[123] of 4 files would be relaid.*, [123] skipped$' out || fail "files of a profile that gain: $(tail -n 1 out)"
grep -q "$tmp/large.so" out || fail 'a large file is said to gain nothing'
! grep -q "$tmp/program" out || fail 'a program of four pages is said to gain'

# --shadow
relayout --profile profile --shadow shadow libsum.so >/dev/null
cmp "shadow$tmp/libsum.so" new.so || fail '--shadow'
grep -q "$tmp/libsum.so" shadow/headstart-shadow.list || fail '--shadow does not mount its copy'
cmp libsum.so other/libsum.so || fail '--shadow changed the original'
[ "$(sh shadow/headstart-shadow status)" = "off      $tmp/libsum.so" ] ||
	fail "--shadow does not know its original again: $(sh shadow/headstart-shadow status)"

# --shadow, by the program whose profile it is: one on the disk, so that it has a plan, whose name tells that of the profile
(
	export HEADSTART_STATE="$tmp/kept"
	mkdir kept
	starter=$(realpath "$(command -v env)")
	{
		printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$starter" "$starter"
		sed -n '/^file .*libsum/,/^file .*plain/{/plain/!p}' profile.text | awk '/^range/ { $4 += 1000 } { print }'
	} | "$make_profile" by-name
	"$headstart" plan by-name >/dev/null
	stored=$(find kept -name '*.plan' -type f | sed 's/plan$/profile/')
	cp by-name "$stored"
	relayout --profile env --shadow by-program libsum.so >/dev/null || fail '--shadow by the program'
	grep -qx "profile $tmp/$stored" by-program/headstart-shadow.list || fail "--shadow names another profile: $(cat by-program/headstart-shadow.list)"
)

# A file of which a start would read more than before is skipped, although it is named.
"$headstart" relayout --profile profile -o unchanged program >out 2>err || fail "a file that loses: $(cat err)"
grep -q "'$tmp/program' would take a cold start longer to read than it does now; use --all.*: 'unchanged' is an unchanged copy" err ||
	fail "a file that loses: $(cat err)"
cmp program unchanged || fail 'a file that loses is changed'
mkdir loses
cp program loses
"$headstart" relayout --profile profile --in-place --force loses/program >out 2>err || fail "a file that loses, in place: $(cat err)"
grep -q "'$tmp/loses/program' would take a cold start longer" err || fail "a file that loses, in place: $(cat err)"
cmp program loses/program || fail 'a file that loses is changed in place'

# A skipped file is no error, and -o writes it as it is.
skips() {
	words=$1
	shift
	rm -f unchanged
	relayout "$@" >out 2>err || fail "'$*' exited $?: $(cat err)"
	grep -qF "$words: 'unchanged' is an unchanged copy" err || fail "'$*' did not say '$words': $(cat err)"
	for skipped; do :; done
	cmp "$skipped" unchanged || fail "'$*' wrote something else"
}
cp /bin/true stranger
skips "'$tmp/stranger' is not in the profile" --profile profile -o unchanged stranger
cp plain longer
sed "s|$tmp/plain|$tmp/longer|" profile.text >longer.text
"$make_profile" longer.profile <longer.text
head -c 4096 /dev/zero >>longer
skips "is not the file that was recorded: its size differs" --profile longer.profile -o unchanged longer
cp libsum.so plain.so
cp /bin/true libsum.so
skips "is not the file that was recorded: its build-id differs" --profile profile -o unchanged libsum.so
mv plain.so libsum.so
skips "is not in the profile" --profile all.profile -o unchanged stranger

# Refused.
refuse() {
	words=$1
	shift
	refuses 1 "headstart: '$tmp/bad' $words" relayout --profile profile -o nothing "$@" bad
	[ ! -e nothing ] || fail "a file that is refused was written"
}
echo hello >bad
refuse 'is not an ELF file'
: >bad
refuse 'is not an ELF file'
head -c 3000 libsum.so >bad
refuse 'is truncated: a segment lies beyond the end of the file'
cp libsum.so bad
poke bad 4 '\001'
refuse 'is a 32-bit ELF file'
cp libsum.so bad
poke bad 18 '\363'
refuse 'is made for another machine than x86-64 or aarch64'
cp libsum.so bad
echo archive >>bad
refuse 'has data at its end that no header describes'
cp "$(readelf -lW /bin/true | sed -n 's/.*interpreter: \(.*\)\]/\1/p')" bad
refuse 'is the dynamic loader, which looks for its own program headers where they always were'
objcopy --only-keep-debug libsum.so bad
refuse 'holds only debug information that was split from another file'
cp program bad
poke bad 60 '\000\000' # e_shnum; e_phoff is 64
poke bad $((64 + 56 * $(readelf -hW program | awk '/Number of program headers/ { print $5 }') + 4)) 'UPX!'
refuse 'is packed by UPX'
gcc -c -I. lib.c -o bad
refuse 'is neither a program nor a shared library'
rm bad
mkdir bad
refuses 1 'Is a directory' relayout --profile profile -o nothing bad
rmdir bad
mkfifo bad
refuses 1 "'$tmp/bad' is not a regular file" relayout --profile profile -o nothing bad
rm bad
refuses 1 "cannot relayout 'bad': No such file" relayout --profile profile -o nothing bad
cp libsum.so bad
chmod u+s bad
refuse 'is setuid or setgid; use --force to relayout it anyway'
relayout --profile profile -o forced --force bad >/dev/null
"$headstart" verify forced >/dev/null || fail '--force'
chmod u-s bad
: >.bad.hmac
refuse 'is covered by a checksum in another file; use --force to relayout it anyway'
rm .bad.hmac bad
cp libsum.so fips.so
refuses 1 'is covered by a checksum in another file' relayout --profile profile -o nothing fips.so
cat >integrity.s <<'EOF'
	.section .note.fdo.integrity, "a", @note
	.long 4, 32
	.byte 0xca, 0xfe, 0x2a, 0x8e
	.asciz "FDO"
	.zero 32
EOF
gcc -shared -fPIC -I. -o bad lib.c integrity.s
refuse 'has a checksum of itself in a note (FIPS), and would find that it was changed'
rm bad
cat >bss.c <<'EOF'
static char huge[100 << 20];
int main(void)
{
	return huge[0];
}
EOF
gcc -O0 bss.c -o bad
refuse 'would need a hole of more than 64 MiB'
if command -v dpkg-query >/dev/null && dpkg-query -S /bin/true >/dev/null 2>&1; then
	status=0
	relayout --profile profile --in-place --dry-run /bin/true >out 2>err || status=$?
	[ $status = 1 ] && grep -q "belongs to the package coreutils.*dpkg-divert" err || fail "a package's file: $status $(cat err)"
else
	untried "a package's file: dpkg knows none here"
fi
# A file belongs to a package by any of its names: whichever is named first, and if it is only beside the one that is named.
if command -v dpkg-query >/dev/null; then
	dpkg=image/var/lib/dpkg
	mkdir -p $dpkg/info $dpkg/updates image/usr/lib image/opt
	dpkg --print-architecture >$dpkg/arch
	echo 1 >$dpkg/info/format
	printf 'Package: sum\nStatus: install ok installed\nMaintainer: m\nVersion: 1\nArchitecture: all\nDescription: d\n\n' >$dpkg/status
	echo /usr/lib/libsum.so >$dpkg/info/sum.list
	cp libsum.so image/usr/lib
	refuses 1 "'/usr/lib/libsum.so' belongs to the package sum" relayout --profile profile --tree image --in-place /usr/lib/libsum.so
	ln image/usr/lib/libsum.so image/opt/name
	for names in '/usr/lib/libsum.so /opt/name' '/opt/name /usr/lib/libsum.so'; do
		# shellcheck disable=SC2086 # they are two
		refuses 1 'the package sum' relayout --profile profile --tree image --in-place $names
	done
	mv image/opt/name image/usr/lib/beside.so
	refuses 1 "'/usr/lib/beside.so' is a hard link to '/usr/lib/libsum.so', which belongs to the package sum" \
		relayout --profile profile --tree image --in-place /usr/lib/beside.so
	cmp image/usr/lib/libsum.so libsum.so || fail "a package's file was changed"
else
	untried "a package's file by another name: no dpkg-query"
fi

# The command line.
# A library in many pieces: whoever loads it in a thread with a small stack has to know.
echo '.section .rodata; .globl many; many: .fill 3072000, 4, 0x1234567' | gcc -shared -Wl,--build-id -x assembler - -o many.so || fail "no library"
{
	printf 'program %s/many.so\nfile regular %s/many.so\n' "$tmp" "$tmp"
	for i in $(seq 0 599); do printf 'range %d 1 %d 1\n' $((i * 5 + 2)) "$i"; done
} | "$make_profile" many.profile
relayout --profile many.profile -o many-new.so many.so >/dev/null 2>err || fail "many.so: $(cat err)"
grep -qE "^headstart: '$tmp/many.so': a thread that loads it by dlopen needs [0-9.]+ kB of its stack" err || fail "it says: $(cat err)"
relayout --profile many.profile --max-segments 100 -o few.so many.so >/dev/null 2>err || fail "many.so, in few pieces: $(cat err)"
! grep -q "its stack" err || fail "it says: $(cat err)"

refuses 2 'no profile given' relayout -o x libsum.so
refuses 2 'no output given' relayout --profile profile libsum.so
refuses 2 'only one of' relayout --profile profile --in-place -o x libsum.so
refuses 2 'no file given' relayout --profile profile -o x
refuses 2 'leave out --tree' relayout --profile profile --shadow x --tree tree
refuses 2 "'0' is not a number" relayout --profile profile --jobs 0 --dry-run
refuses 2 "'1' is not a number" relayout --profile profile --max-segments 1 --dry-run
refuses 1 "cannot read 'none'" relayout --profile none --dry-run
refuses 1 "'libsum.so' is not a headstart profile" relayout --profile libsum.so --dry-run
refuses 1 "cannot find 'none'" relayout --profile profile --tree none --dry-run
refuses 1 "'text' is not a folder" relayout --profile profile --tree text --dry-run
echo ok
