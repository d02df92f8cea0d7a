#!/bin/sh
# headstart undo restores the original exactly. It leaves a file alone that anybody has changed since.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/relayout/relaid/relaid-lib.sh"
original=$1
file=$tmp/file

# Makes a good relaid file, $file.
fresh() {
	rm -f "$file"
	cp "$original" "$file"
	chmod 0751 "$file"
	relayout "$file"
	! cmp -s "$original" "$file" || fail "relayout changed nothing"
}

case_undo_gives_back_the_original() {
	for one in "$@"; do
		cp "$one" "$file"
		relayout "$file"
		"$headstart" undo "$file" >"$tmp/out" || fail "cannot undo $one"
		cmp "$one" "$file" || fail "undo does not give back $one"
		grep -q "^$file: " "$tmp/out" || fail "undo does not say what it did: $(cat "$tmp/out")"
		rm -f "$file"
	done
}

case_options_and_mode() {
	fresh
	"$headstart" verify -q "$file" || fail "verify does not take what relayout made"
	cp "$file" "$tmp/relaid"
	"$headstart" undo --dry-run "$file" >/dev/null || fail "--dry-run fails"
	cmp "$file" "$tmp/relaid" || fail "--dry-run changes the file"
	"$headstart" undo -o "$tmp/other" "$file" >/dev/null || fail "-o fails"
	cmp "$tmp/other" "$original" || fail "-o does not write the original"
	cmp "$file" "$tmp/relaid" || fail "-o changes the file itself"
	"$headstart" undo "$file" >/dev/null
	[ "$(stat -c %a "$file")" = 751 ] || fail "undo does not keep the mode"
	refuses 1 "is not a relaid file" "$headstart" undo "$file"
	cmp "$original" "$file" || fail "undo changes a file that is none of its own"
}

case_output_is_another_file() {
	fresh
	ln -s file "$tmp/link"
	inode=$(stat -c %i "$file")
	for out in "$file" "$tmp/link"; do
		refuses 1 "'$file' is the file that the original would be written to; leave out -o" "$headstart" undo -o "$out" "$file"
	done
	[ "$(stat -c %i "$file")" = "$inode" ] || fail "-o has replaced the file itself"
	rm "$tmp/link"
}

# A signature vouches for the relaid file: undo would have to drop it.
case_signed_file_is_left_alone() {
	fresh
	cp "$file" "$tmp/relaid"
	attr=security.ima # SHA-256: IMA_XATTR_DIGEST_NG, HASH_ALGO_SHA256, 32 bytes (Linux, security/integrity/integrity.h)
	/usr/bin/python3 -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], bytes([4, 4]) + bytes(32))' "$file" $attr 2>/dev/null || {
		untried "a signed file: no security.ima can be set here"
		return 0
	}
	for option in '' --dry-run; do
		refuses 1 "'$file' has an IMA digest or signature (security.ima), which would no longer hold; -o writes" \
			"$headstart" undo $option "$file"
	done
	cmp "$file" "$tmp/relaid" || fail "undo changes a signed file"
	/usr/bin/python3 -c 'import os, sys; os.getxattr(sys.argv[1], sys.argv[2])' "$file" $attr || fail "undo drops the signature"
	"$headstart" undo -o "$tmp/other" "$file" >/dev/null || fail "-o fails for a signed file"
	cmp "$tmp/other" "$original" || fail "-o does not write the original of a signed file"
}

# Of several files, a wrong one does not keep the others from being undone.
case_one_bad_file_keeps_no_other_from_being_undone() {
	fresh
	cp "$file" "$tmp/second"
	refuses 1 "'/dev/null/x'" "$headstart" undo "$file" /dev/null/x "$tmp/second"
	cmp "$original" "$file" && cmp "$original" "$tmp/second" || fail "not all of several files were undone"
}

case_what_is_no_file_is_refused_as_that() {
	mkfifo "$tmp/fifo"
	refuses 1 "'$tmp/fifo' is not a regular file" "$headstart" undo "$tmp/fifo"
}

# relayout --in-place takes the other names in the folder of a file, and those that are given. So does undo.
case_what_was_relaid_in_place_can_be_undone_by_the_same_names() {
	fresh
	mkdir -p "$tmp/else"
	cp "$original" "$file"
	ln "$file" "$tmp/beside"
	relayout "$file"
	"$headstart" undo "$file" >/dev/null || fail "undo does not take a name beside"
	cmp "$original" "$file" || fail "undo of a name beside does not give back the original"
	[ "$file" -ef "$tmp/beside" ] || fail "a name beside became a file of its own"
	relayout "$file"
	ln "$file" "$tmp/else/name"
	cp "$file" "$tmp/relaid"
	refuses 1 "has 3 names (hard links), some in other folders; name them too" "$headstart" undo "$file"
	cmp "$file" "$tmp/relaid" || fail "a refused file was changed"
	"$headstart" undo "$file" "$tmp/else/name" >/dev/null || fail "undo of all names"
	cmp "$original" "$tmp/else/name" || fail "undo of all names does not give back the original"
	[ "$file" -ef "$tmp/beside" ] && [ "$file" -ef "$tmp/else/name" ] || fail "names became files of their own"
	rm "$tmp/beside" "$tmp/else/name"
}

# Two names of one file remain names of one file.
case_names_of_a_file_stay_names_of_it() {
	fresh
	ln "$file" "$tmp/name"
	ln -s "$file" "$tmp/link"
	cp "$file" "$tmp/relaid"
	"$headstart" undo "$file" "$tmp/link" "$tmp/name" >/dev/null || fail "cannot undo a file with two names"
	cmp "$original" "$file" || fail "undo of two names does not give back the original"
	[ "$file" -ef "$tmp/name" ] || fail "two names of one file became two files"
	[ -L "$tmp/link" ] || fail "a symbolic link became a file"
	rm "$tmp/name" "$tmp/link"
}

# changed WHAT: WHAT has changed $file; undo must refuse, and leave it alone.
changed() {
	cp "$file" "$tmp/relaid"
	status=0
	"$headstart" undo "$file" >/dev/null 2>"$tmp/err" || status=$?
	[ $status = 1 ] || fail "undo after $1 exits $status"
	grep -q "'$file' " "$tmp/err" || fail "undo after $1 does not say why: $(cat "$tmp/err")"
	cmp "$file" "$tmp/relaid" || fail "undo after $1 changed the file"
	refuses 1 "'$file'" "$headstart" verify "$file"
}

case_file_that_a_tool_changed_is_left_alone() {
	tools=0
	for tool in strip 'strip -g' eu-strip 'objcopy --add-section=.x=/etc/passwd' 'objcopy --strip-debug' \
		'patchelf --set-rpath /nowhere' 'patchelf --add-needed libm.so.6' 'debugedit -b / -d /usr/src/elsewhere'; do
		[ "${tool%% *}" = debugedit ] || have "${tool%% *}" || continue
		command -v "${tool%% *}" >/dev/null || continue
		fresh
		cp "$file" "$tmp/relaid"
		$tool "$file" >/dev/null 2>&1 || {
			cmp "$file" "$tmp/relaid" || changed "'$tool', which failed"
			echo "'$tool' refuses a relaid file" # patchelf 0.14: "cannot normalize PT_NOTE segment"
			continue
		}
		cmp -s "$file" "$tmp/relaid" || changed "'$tool'"
		tools=$((tools + 1))
	done
	echo "$tools tools changed a relaid file"
}

case_damaged_file_is_left_alone() {
	fresh
	size=$(stat -c %s "$file")
	for offset in 5 100 $(($(stat -c %s "$original") / 2)) $(($(stat -c %s "$original") - 1)) \
		$(($(stat -c %s "$original") + 5000)) $((size - 5000)) $((size - 1)); do
		fresh
		damage "$file" $offset
		changed "damage to the byte at $offset"
	done
	fresh
	truncate -s -1 "$file"
	changed "truncation by a byte"
	fresh
	truncate -s -4096 "$file"
	changed "truncation by a page"
	fresh
	echo >>"$file"
	changed "an appended byte"
	fresh
	dd if=/dev/null of="$file" 2>/dev/null
	changed "truncation to nothing"
}

# A compacted file does not contain its original. undo notices all the same that it was changed.
case_compacted_file_has_nothing_to_undo() {
	rm -f "$file"
	cp "$original" "$file"
	relayout "$file" --compact --force
	refuses 1 "with --compact, and does not contain its original" "$headstart" undo "$file"
	refuses 1 "with --compact, and does not contain its original" "$headstart" verify "$file"
	damage "$file" $(($(stat -c %s "$file") / 2))
	changed "damage to a byte of a compacted file"
}

case_wrong_arguments_are_refused() {
	refuses 2 "no file given" "$headstart" undo
	refuses 2 "-o takes only one FILE" "$headstart" undo -o "$tmp/x" "$file" "$tmp/second"
	refuses 1 "cannot" "$headstart" undo "$tmp/missing"
	[ -z "$(find "$tmp" -name '.*headstart*')" ] || fail "temporary files are left"
}

run_cases "$@"
