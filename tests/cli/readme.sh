# readme.sh - every config in the README runs as it stands there.
. "$TESTS_DIR/cli/common.inc"

ln -s "$REPO_DIR/configs" configs
awk '/^```yaml$/ { file = sprintf("block%d.yaml", ++n); next } /^```$/ { file = ""; next } file { print >file }' \
    "$REPO_DIR/README.md"
ls block*.yaml >blocks
[ "$(wc -l <blocks)" -ge 6 ] || fail "README.md has only $(wc -l <blocks) configs"
for kind in 'op: conv' mxfp8 variants: groupM shapes: inputs: where: search: ld:; do
    grep -q -e "$kind" block*.yaml || fail "no config of README.md has $kind"
done
while read -r file; do
    expect 0 "$TILESCOPE" run "$file" -n
    lacks err "warning:"
    lacks out "cannot be taken"
done <blocks
