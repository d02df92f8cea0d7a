#!/bin/sh
# Makes LINKS/LAYER/ with a symbolic link for LAYER itself and for each layer it may include. The links of a room,
# LAYER/ROOM, lie in LINKS/LAYER-ROOM/.
#   link-layers.sh SRC LINKS LAYER USES…
set -eu
src=$1 links=$2 layer=$3
shift 3
folder=$links/$(echo "$layer" | tr / -)
rm -rf "${folder:?}"
mkdir -p "$folder"
[ "$layer" = all ] || set -- "$layer" "$@"
for used in "$@"; do
	mkdir -p "$(dirname "$folder/$used")"
	ln -sfn "$src/$used" "$folder/$used"
done
