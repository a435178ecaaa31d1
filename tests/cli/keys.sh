# keys.sh - the table of config keys in the README is the program's.
# UPDATE=1 sh keys.sh writes the program's table into the README.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" keys
if [ "${UPDATE:-}" = 1 ]; then
    sed -e '/<!-- keys -->/r out' -e '/<!-- keys -->/,/<!-- \/keys -->/{/<!--/!d;}' "$REPO_DIR/README.md" >new
    cp new "$REPO_DIR/README.md"
fi
sed -n '/<!-- keys -->/,/<!-- \/keys -->/{/<!--/d;p;}' "$REPO_DIR/README.md" >readme
[ -s readme ] || fail "README.md has no table between <!-- keys --> marks"
cmp readme out || fail "README.md is not up to date: UPDATE=1 TILESCOPE=$TILESCOPE REPO_DIR=$REPO_DIR TESTS_DIR=$TESTS_DIR sh tests/cli/keys.sh"
for word in Cout mx_fp8_e4m3 mxfp8 groupM resident swizzle tp_split_dim pBufferFlag matmul_half; do
    has out "$word"
done
