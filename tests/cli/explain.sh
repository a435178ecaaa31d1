# explain.sh - one tiling, from fields to instructions.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" explain small.yaml
for part in "1. Fields" "2. Buffers" "3. Loops" "4. Time on the model" "5. Instructions" "<- binds" \
    "before the first step" "-- step 0: tile 0 at (0, 0)" "after the last step" "Mmad L0C+0x0 <-" "event ids:"; do
    has out "$part"
done
expect 0 "$TILESCOPE" run small.yaml --no-plots -q
name=$(sed -n 's/.*"best": "\([^"]*\)".*/\1/p' results/small/manifest.json)
expect 0 "$TILESCOPE" explain small.yaml
has out "tiling $name"
expect 0 "$TILESCOPE" explain results/small/best.yaml --steps 1
has out "tiling $name"
expect 0 "$TILESCOPE" explain small.yaml --tiling b16x32x16_s1x1
has out "tiling b16x32x16_s1x1"
expect 1 "$TILESCOPE" explain small.yaml --tiling b256x256x64_s1x1
has err "is infeasible: "
expect 2 "$TILESCOPE" explain small.yaml --core 999
expect 2 "$TILESCOPE" explain small.yaml --cell 1
expect 1 "$TILESCOPE" explain small.yaml --set baseM=4080

# addresses of explain are those of budget: first and last byte
expect 0 "$TILESCOPE" explain small.yaml -t b32x64x64_s2x2
grep -oE '0x[0-9a-f]+ - 0x[0-9a-f]+' out >explained
expect 0 "$TILESCOPE" budget small.yaml -t b32x64x64_s2x2 --no-plots
sed -n '/^2\. /,/^3\. /p' out | grep -v ' B  -$' | grep -oE '0x[0-9a-f]+ - 0x[0-9a-f]+' >budgeted
same explained budgeted

# what makes a time unvalidated is named
expect 0 "$TILESCOPE" explain small.yaml -t b32x64x64_s2x2_l2x2x2
has out "unvalidated: no measured run stands behind dbL0C 2"
