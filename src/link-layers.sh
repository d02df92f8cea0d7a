#!/bin/sh
# Makes LINKS/LAYER/ with a symbolic link for LAYER itself and for each layer it may include.
#   link-layers.sh SRC LINKS LAYER USES…
set -eu
src=$1 links=$2 layer=$3
shift 3
rm -rf "${links:?}/$layer"
mkdir -p "$links/$layer"
[ "$layer" = all ] || ln -s "$src/$layer" "$links/$layer/$layer"
for used in "$@"; do
	ln -sfn "$src/$used" "$links/$layer/$used"
done
