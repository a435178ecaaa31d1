# run.sh - what a run prints, writes and returns.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" run small.yaml --no-plots
last_line out '^48 tilings, [0-9]+ feasible, [0-9]+ verified, 0 mismatched$'
has out "best: ascend910b1/128x160x192/base b"
has out "results: results/small"
[ ! -s err ] || fail "a quiet run writes to stderr"
for file in manifest.json tilings.csv reasons.csv summary.txt best.yaml config.yaml; do
    [ -s results/small/$file ] || fail "$file is missing"
done
[ "$(wc -l <results/small/tilings.csv)" -eq 49 ] || fail "tilings.csv has not all rows"
[ ! -e results/.small.part ] || fail "work is left behind"
has results/small/summary.txt "best of the model:"
! grep -q "$work" -r results || fail "a result names a path of this machine"

# every auto written out: the best reproduces to the last digit
best=$(sed -n 's/.*"task_mcyc": \([0-9]*\)}.*/\1/p' results/small/manifest.json)
expect 0 "$TILESCOPE" run results/small/best.yaml --no-plots
[ "$(sed -n 's/.*"task_mcyc": \([0-9]*\)}.*/\1/p' results/small_best/manifest.json)" = "$best" ] || fail "best.yaml gives another time"

# also of what Fixpipe does besides
for more in 'problem={M: 64, N: 64, K: 64, A: {dtype: int8}, B: {dtype: int8, transpose: true}, C: {dtype: half}, quant: {mode: scalar, scale: 0.0625}, relu: true}' \
    'problem={M: 64, N: 64, K: 64, A: {dtype: int8}, B: {dtype: int8, transpose: true}, quant: true}' \
    'problem={M: 64, N: 64, K: 64, A: {dtype: float}, B: {dtype: float, transpose: true}, hf32: true}'; do
    expect 0 "$TILESCOPE" run small.yaml -f --no-plots -s name=more -s "$more"
    time=$(sed -n 's/.*"task_mcyc": \([0-9]*\)}.*/\1/p' results/more/manifest.json)
    expect 0 "$TILESCOPE" run results/more/best.yaml -f --no-plots
    has out "1 tilings, 1 feasible, 1 verified, 0 mismatched"
    [ "$(sed -n 's/.*"task_mcyc": \([0-9]*\)}.*/\1/p' results/more_best/manifest.json)" = "$time" ] || fail "best.yaml of $more gives another time"
done
last_line out '^1 tilings, 1 feasible, 1 verified, 0 mismatched$'

# so does its name
name=$(sed -n 's/.*"best": "\([^"]*\)".*/\1/p' results/small/manifest.json)
expect 0 "$TILESCOPE" run small.yaml --tiling "$name" --set name=named --no-plots -q
[ "$(sed -n 's/.*"task_mcyc": \([0-9]*\)}.*/\1/p' results/named/manifest.json)" = "$best" ] || fail "--tiling gives another time"

# what a name leaves out the config fixes; where both speak the name holds
expect 1 "$TILESCOPE" run -t b128x256x64_s8x4 -s tiling.kernel=mix -n
has out "L1 needs 524288 B, has 524032 B"
expect 0 "$TILESCOPE" run -t b128x256x64_s8x4_k0 -s tiling.kernel=mix -n
has err "kernel is cube, not mix as the config fixes it"

# a clause that cannot be computed says so, with its text
expect 1 "$TILESCOPE" run small.yaml -n -s 'where=["baseK / (baseM - 64) >= 0"]' -s baseM=64
has out "where clause 1 divides by zero: baseK / (baseM - 64) >= 0"

# finished results: same key again is fine, another key needs --force
expect 0 "$TILESCOPE" run small.yaml --no-plots
expect 2 "$TILESCOPE" run small.yaml --no-plots --set K=256
has err "--force replaces it"
expect 0 "$TILESCOPE" run small.yaml --no-plots --set K=256 --force
expect 0 "$TILESCOPE" run small.yaml --no-plots --results elsewhere -q -v
[ -s elsewhere/small/manifest.json ] || fail "--results was not followed"
has out "rank"

# nothing fits
expect 1 "$TILESCOPE" run small.yaml --no-plots --set name=none --set baseM=4080 --set baseN=4080
has out "none: ascend910b1/128x160x192/base has no feasible tiling"
has out "L0C needs"
last_line out '^4 tilings, 0 feasible, 0 verified, 0 mismatched$'

# dry run
expect 2 "$TILESCOPE" run small.yaml -n -j 0
has err "--threads: '0' is no whole number"
expect 2 "$TILESCOPE" run small.yaml -n -j x
expect 0 "$TILESCOPE" run small.yaml -n --set name=dry
has out "48 tilings, "
lacks out "e.g."
expect 0 "$TILESCOPE" run small.yaml -n -v --set name=dry
has out "e.g."
expect 1 "$TILESCOPE" run small.yaml -n --set name=dry --set baseM=4080 --set baseN=4080
has out "4 tilings, 0 feasible, 4 buffer"
has out "L0C needs"
has out "legal with baseM: "
has out "e.g. b4080x4080x"
has err "no cell has a feasible tiling"
# tilings of cells that cannot be taken go nowhere
printf 'M,N,K\n128,160,192\n128,,192\n' >shapes.csv
expect 0 "$TILESCOPE" run small.yaml -n --set name=dry --set 'problem={shapes: shapes.csv}'
has out "cannot be taken: "
last_line out '^48 tilings in 1 cell, results would go to results/dry; 1 cell cannot be taken$'
[ ! -e results/dry ] || fail "a dry run wrote results"

# rows that cannot be taken: said once, however many targets, with what they give
expect 0 "$TILESCOPE" run small.yaml -n --set 'problem={shapes: shapes.csv}' -s 'target=[ascend910b1, ascend910b3]'
[ "$(grep -c 'cannot be taken: ' out)" -eq 1 ] || fail "a row is refused once per target"
printf 'M,N,K\n,160,192\n128,160,192\n' >less.csv
expect 0 "$TILESCOPE" run small.yaml -n --set 'problem={shapes: less.csv}'
has out "ascend910b1/Mx160x192/base: cannot be taken: "

# errors of a config, with place and suggestion
printf 'name: bad\ntarget: ascend910b1\nproblem: {M: 64, N: 64, K: 64}\ntiling:\n  baseMM: 16\n' >bad.yaml
expect 2 "$TILESCOPE" run bad.yaml
has err "bad.yaml:5:3: error: "
has err "did you mean 'baseM'?"
expect 3 "$TILESCOPE" run absent.yaml
expect 2 "$TILESCOPE" run small.yaml --set baseMM=16
expect 2 "$TILESCOPE" run small.yaml --tiling nonsense
expect 2 "$TILESCOPE" run small.yaml --set name=a/b

# paths of a config start at its directory, wherever the program is started:
# a target, a list of shapes, a file of an operand
mkdir -p there/chips
printf 'extends: ascend910b1\nchip:\n  cores: {value: 8, unit: count, confidence: assumed, source: "a test"}\n' >there/chips/small_chip.yaml
printf 'name,M,N,K\nx,32,48,64\n' >there/list.csv
head -c 4096 /dev/zero >there/a.bin
printf 'name: paths\ntarget: chips/small_chip.yaml\nproblem: {shapes: list.csv, A: {file: a.bin}}\ntiling: {baseM: 32, baseN: 48, baseK: 64}\n' >there/paths.yaml
mkdir -p elsewhere
cd elsewhere
expect 0 "$TILESCOPE" run ../there/paths.yaml --no-plots --results r
expect 0 "$TILESCOPE" run "$work/there/paths.yaml" -n
expect 0 "$TILESCOPE" run r/paths/best.yaml --no-plots --results r -s name=again
expect 0 "$TILESCOPE" run "$REPO_DIR/configs/llm_shapes.yaml" -n
cd ..
expect 0 "$TILESCOPE" run there/paths.yaml --no-plots
expect 0 "$TILESCOPE" run results/paths/best.yaml --no-plots -s name=again
expect 2 "$TILESCOPE" run there/paths.yaml -n -s problem.shapes=nowhere.csv
has err "there is no file 'nowhere.csv'"

# M, N and K beside a list leave nothing of it; fewer are said
list=$REPO_DIR/configs/shapes/deepbench_gemm.csv
expect 2 "$TILESCOPE" run -n -s "problem.shapes=$list"
has err "M, N and K beside it leave nothing of"
printf 'target: ascend910b1\nproblem: {shapes: "%s", M: 64}\ntiling: {baseM: 32, baseN: 64, baseK: 64}\n' "$list" >some.yaml
expect 0 "$TILESCOPE" run some.yaml -n
has err "M given beside shapes replaces that of every row"
