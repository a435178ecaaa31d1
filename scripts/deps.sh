#!/bin/sh
# Installs the Debian packages that building and testing need, and only those
# that are missing. Usage: scripts/deps.sh [--test] [--lint] [--bench]
set -eu

# package: what it is for
needed='
gcc: C compiler
libc6-dev: C library headers
make: build tool
cmake: build description
ninja-build: build tool
pkg-config: finds libraries
libyaml-dev: reads configs and targets
libhwloc-dev: binds threads to cores
libxxhash-dev: fingerprints of buffers and runs
libcmocka-dev: unit tests
gnuplot-nox: plots
fonts-dejavu-core: text in plots
'
for argument; do
    case $argument in
    --test) needed="$needed
python3: products computed outside the program
" ;;
    --lint) needed="$needed
clang-format: code layout check
clang-tidy: static checks
" ;;
    --bench) needed="$needed
libopenblas0-pthread: sgemm, a yardstick for the engine; nothing links it
" ;;
    *)
        echo "usage: scripts/deps.sh [--test] [--lint] [--bench]" >&2
        exit 2
        ;;
    esac
done

missing=$(printf '%s\n' "$needed" | while IFS=: read -r package purpose; do
    [ -n "$package" ] || continue
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || printf '%s:%s\n' "$package" "$purpose"
done)
# pkgconf stands in for pkg-config on newer releases.
if command -v pkg-config >/dev/null 2>&1; then
    missing=$(printf '%s\n' "$missing" | grep -v '^pkg-config:' || true)
fi
[ -n "$missing" ] || exit 0

echo "deps: these packages are missing and will be installed with apt-get:" >&2
printf '%s\n' "$missing" | sed 's/^/  /; s/:/ -/' >&2

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "deps: not root and no sudo here. As root, run:" >&2
        echo "  apt-get install" $(printf '%s\n' "$missing" | cut -d: -f1) >&2
        exit 3
    fi
    sudo=sudo
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "deps: no apt-get here; install the packages above with your system's tool." >&2
    exit 3
fi

# Other installers may hold dpkg's lock: wait for it instead of failing.
lock='-o DPkg::Lock::Timeout=120'
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get $lock update -qq >&2
$sudo apt-get $lock install -y -qq --no-install-recommends $(printf '%s\n' "$missing" | cut -d: -f1) >&2 || {
    echo "deps: apt-get install failed; see the lines above." >&2
    exit 3
}
