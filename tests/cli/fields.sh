# fields.sh - the table of tiling fields in the README is the program's.
# UPDATE=1 sh fields.sh writes the program's table into the README.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" fields
if [ "${UPDATE:-}" = 1 ]; then
    sed -e '/<!-- fields -->/r out' -e '/<!-- fields -->/,/<!-- \/fields -->/{/<!--/!d;}' "$REPO_DIR/README.md" >new
    cp new "$REPO_DIR/README.md"
fi
sed -n '/<!-- fields -->/,/<!-- \/fields -->/{/<!--/d;p;}' "$REPO_DIR/README.md" >readme
[ -s readme ] || fail "README.md has no table between <!-- fields --> marks"
cmp readme out || fail "README.md is not up to date: UPDATE=1 TILESCOPE=$TILESCOPE REPO_DIR=$REPO_DIR TESTS_DIR=$TESTS_DIR sh tests/cli/fields.sh"
