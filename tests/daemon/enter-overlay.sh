#!/bin/sh
# SPDX-License-Identifier: MIT
# Executes a command as a container does: in a mount namespace, which must be there already, whose root is an overlay.
#   enter-overlay.sh MOUNT-POINT LAYER SHARED COMMAND…     SHARED is there as /shared
# With MERGED in the environment, that is an overlay which is mounted already, as those that Docker makes are.
set -eu
point=$1 layer=$2 shared=$3
shift 3
mount -t tmpfs tmpfs "$point"
mkdir "$point/upper" "$point/work" "$point/root"
if [ -n "${MERGED-}" ]; then
	mount --bind "$MERGED" "$point/root"
else
	mount -t overlay -o "lowerdir=$layer,upperdir=$point/upper,workdir=$point/work" overlay "$point/root"
fi
mkdir -p "$point/root/shared" "$point/root/old"
mount --bind "$shared" "$point/root/shared"
cd "$point/root"
pivot_root . old
exec "$@"
