# fields.sh - the table of tiling fields in the README is the program's.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" fields
sed -n '/<!-- fields -->/,/<!-- \/fields -->/{/<!--/d;p;}' "$REPO_DIR/README.md" >readme
[ -s readme ] || fail "README.md has no table between <!-- fields --> marks"
same readme out
