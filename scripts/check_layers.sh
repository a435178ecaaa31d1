#!/bin/sh
# Checks the order of the rooms: a file of src/X may include "Y/..." only if Y
# is X or stands before X below, engine and timing never see each other, and
# only base/os*.c talk to the operating system about files and processes.
# Usage: scripts/check_layers.sh [--self-test] [SRC_DIR]
# --self-test first plants bad files in a copy and checks that each is caught.
set -eu

rooms='base text numeric target isa problem tiling experiment schedule engine timing record study sweep report cli'
here=$(cd "$(dirname "$0")" && pwd)
seam='fopen|fopen64|freopen|fdopen|open|openat|creat|rename|renameat|renameat2|unlink|unlinkat|remove|rmdir|mkdir|mkdirat|mkstemp|mkdtemp|tmpfile|fsync|fdatasync|ftruncate|truncate|opendir|popen|fork|vfork|posix_spawn|posix_spawnp|execl|execlp|execle|execv|execvp|execvpe|execve|getenv|secure_getenv|setenv|putenv|system'

# check SRC_DIR: prints each breach as file:line: words; fails if there is any.
check() {
    src=$1
    {
        find "$src" -type f \( -name '*.c' -o -name '*.h' \) | sort | while read -r file; do
            name=${file#"$src"/}
            grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$file" | sed "s|^|$name:|" || true
        done | awk -F: -v rooms="$rooms" '
            BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) rank[list[i]] = i }
            {
                split($1, part, "/"); user = part[1]
                match($0, /"[^"]*"/); path = substr($0, RSTART + 1, RLENGTH - 2)
                split(path, part, "/"); used = part[1]; place = "src/" $1 ":" $2
                if (!(user in rank)) print place ": room " user " is not in the list"
                else if (path !~ /\// || !(used in rank)) print place ": include \"" path "\" by its room: \"room/file.h\""
                else if (rank[used] > rank[user]) print place ": " user " may not include " path ": " used " stands after it"
                else if (user != used && (user == "timing" && used == "engine")) print place ": timing and engine never see each other"
            }'
        # Comments and strings are no calls; members (x.open, x->open) are not either.
        find "$src" -type f \( -name '*.c' -o -name '*.h' \) | sort | while read -r file; do
            name=${file#"$src"/}
            case $name in base/os.c | base/os_process.c) continue ;; esac
            sed -e 's|"\([^"\\]\|\\.\)*"|""|g' -e 's|//.*||' -e 's|/\*.*\*/||' -e 's|^[[:space:]]*\*.*||' "$file" |
                grep -nE "(^|[^A-Za-z0-9_.>])($seam)[[:space:]]*\(" |
                sed "s|^\([0-9]*\):.*|src/$name:\1: file or process call: go through base/os.h|" || true
        done
    } >"$report"
    cat "$report"
    [ ! -s "$report" ]
}

report=$(mktemp)
planted=$(mktemp -d)
trap 'rm -rf "$report" "$planted"' EXIT

# expect_caught FILE LINE: a tree with only this file must fail.
expect_caught() {
    rm -rf "$planted/src"
    mkdir -p "$planted/src/$(dirname "$1")"
    printf '%s\n' "$2" >"$planted/src/$1"
    if check "$planted/src" >/dev/null; then
        echo "check_layers: self-test: not caught: $1: $2" >&2
        exit 1
    fi
}

expect_clean() {
    rm -rf "$planted/src"
    mkdir -p "$planted/src/$(dirname "$1")"
    printf '%s\n' "$2" >"$planted/src/$1"
    if ! check "$planted/src" >&2; then
        echo "check_layers: self-test: wrongly caught: $1: $2" >&2
        exit 1
    fi
}

if [ "${1:-}" = --self-test ]; then
    shift
    expect_caught base/a.c '#include "text/csv.h"'
    expect_caught schedule/a.h '  #  include "cli/main.h"'
    expect_caught timing/a.c '#include "engine/engine.h"'
    expect_caught engine/a.c '#include "timing/bound.h"'
    expect_caught base/a.c '#include "diag.h"'
    expect_caught misc/a.c '#include "base/diag.h"'
    expect_caught report/a.c 'FILE *f = fopen(path, "w");'
    expect_caught cli/a.c 'if (getenv ("HOME")) {'
    expect_caught sweep/a.c 'return system(text);'
    expect_clean study/a.c '#include "engine/engine.h"'
    expect_clean study/a.c 'x->open(y); file.rename(z); my_open(q); /* then rename(2) it */'
    expect_clean base/os.c 'int fd = open(path, O_RDONLY);'
fi

if check "${1:-$here/../src}"; then
    echo "check_layers: rooms are in order"
else
    exit 1
fi
