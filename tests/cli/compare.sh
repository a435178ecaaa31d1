# compare.sh - variants and runs side by side: tables, CSV, pictures, bad input.
. "$TESTS_DIR/cli/common.inc"

cat >formats.yaml <<'YAML'
name: formats
target: ascend950pr_9589
problem:
  - {name: square, M: 128, N: 128, K: 512, A: {dtype: half}, B: {dtype: half, transpose: true}, C: {dtype: half}}
  - {name: flat, M: 16, N: 256, K: 512, A: {dtype: half}, B: {dtype: half, transpose: true}, C: {dtype: half}}
tiling:
  usedCoreNum: 1
  baseM: [16, 64]
  baseN: [32, 64]
  baseK: [64, 128]
variants:
  - {name: half}
  - {name: bf16, set: {A.dtype: bf16, B.dtype: bf16, C.dtype: bf16}}
  - {name: mxfp8, set: {A.dtype: mxfp8, B.dtype: mxfp8}}
  - {name: wide, set: {baseM: 512, baseN: 512}}
verify: classes
report: {plots: none}
YAML
expect 0 "$TILESCOPE" run formats.yaml -q
last_line out ', 0 mismatched$'

# ---- tables ----
expect 0 "$TILESCOPE" compare results/formats
[ ! -s err ] || fail "comparing says something"
has out "== square: M 128, N 128, K 512 on ascend950pr_9589"
has out "== flat: M 16, N 256, K 512 on ascend950pr_9589"
has out "none of 2 tilings is feasible"
has out "speed-up: time of half over time"
has out "~ not distinguishable: within the model's error (10.0 %)"
has out "- error of C: not known"
grep -qE '^half +[0-9.]+[* ] +1\.00x  ' out || fail "the baseline is not 1.00x"
grep -qE '^bf16 +[0-9.]+[* ] +1\.00x~ ' out || fail "bf16 is not marked as a tie"
has out "same tiling against same tiling, by canonical name"
grep -qE '^  bf16: 8 tilings, speed-up 1\.00x \(geometric mean\), 1\.00x to 1\.00x$' out || fail "same tilings of bf16"
cp out first
expect 0 "$TILESCOPE" compare formats # its name in results/
same out first
expect 0 "$TILESCOPE" compare results/formats --same baseM,baseN --top 1 --shape flat
has out "by these fields"
has out "baseM=16 baseN=64"
has out "more (--top"
lacks out "== square"
expect 0 "$TILESCOPE" compare results/formats --top 0
lacks out "same tiling"

# ---- CSV: the figures hang together ----
expect 0 "$TILESCOPE" compare results/formats --csv
[ "$(wc -l <out)" -eq 9 ] || fail "not 8 rows"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; columns = NF; next }
    NF != columns { print "line " NR " has " NF " columns"; bad = 1; next }
    $c["status"] == "infeasible" { none++; next }
    {
        if ($c["side"] == "half") base[$c["shape"]] = $c["task_us"]
        ratio = base[$c["shape"]] / $c["task_us"]
        if (ratio / $c["speedup"] > 1.0005 || ratio / $c["speedup"] < 0.9995) { print "speed-up of line " NR; bad = 1 }
        sum = $c["cube_us"] + $c["mte2_exposed_us"] + $c["mte1_exposed_us"] + $c["fixpipe_exposed_us"] + $c["flags_us"] + $c["launch_us"]
        if (sum - $c["task_us"] > 0.004 || $c["task_us"] - sum > 0.004) { print "parts of line " NR " are " sum; bad = 1 }
        mx = $c["side"] == "mxfp8"
        if (mx != ($c["gm_l1_scale_B"] > 0) || mx != ($c["l1_l0_scale_B"] > 0)) { print "scales of line " NR; bad = 1 }
        if ($c["gm_l1_elements"] != $c["gm_l1_data_B"] / (mx ? 1 : 2)) { print "elements of line " NR; bad = 1 }
        if ($c["l1_used_B"] > $c["l1_usable_B"] || $c["l1_used_B"] == 0) { print "L1 of line " NR; bad = 1 }
    }
    END { if (none != 2) { print none " infeasible"; bad = 1 }; exit bad }' out || fail "compare.csv does not hang together"
# and are those of the run
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["side"] == "mxfp8" && $c["shape"] == "square" { print $c["tiling"] "," $c["task_us"] "," $c["gm_l1_data_B"] + $c["gm_l1_scale_B"] }' out >mine
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["variant"] == "mxfp8" && $c["M"] == 128 { print $c["name"] "," $c["task_us"] "," $c["gm_read_B"] }' results/formats/tilings.csv >theirs
grep -qxF "$(cat mine)" theirs || fail "the best of mxfp8 is not a row of tilings.csv"

expect 0 "$TILESCOPE" compare results/formats --baseline mxfp8
grep -qE '^mxfp8 +[0-9.]+[* ] +1\.00x  ' out || fail "--baseline"

# ---- errors of C ----
cp -r results/formats results/errors
printf 'cell,variant,target,shape,dtypes,elements,total,max_abs,rms,rel_rms,cosine\n0,half,t,s,d,10,10,0.25,0.125,3e-4,0.9999999\n2,mxfp8,t,s,d,10,10,4,2,0.02,0.999\n' >results/errors/errors.csv
expect 0 "$TILESCOPE" compare results/errors
has out "     0.25     0.125    0.0003 0.9999999"
expect 0 "$TILESCOPE" compare results/errors --csv
has out ",4,2,0.02,0.999,"
sed -i 's/^2,/99,/' results/errors/errors.csv
expect 2 "$TILESCOPE" compare results/errors
has err "results/errors/errors.csv:3:1: error: the run has no cell 99"
sed -i 's/^99,/2,/; s/,0.125,/,much,/' results/errors/errors.csv
expect 2 "$TILESCOPE" compare results/errors
has err "errors.csv:2:25: error: 'much' is no number"

# of a run whose operands are a user's: its own errors, in the pictures of the run, too
users='problem={M: 64, N: 64, K: 128, A: {dtype: half}, B: {dtype: half, transpose: true}, inputs: {A: normal, B: normal, verify: false}}'
expect 0 env PATH=/nowhere "$TILESCOPE" run formats.yaml -q -s name=users -s "$users" -s 'report.plots=[mx_compare]'
last_line out ', 0 mismatched$'
has results/users/best/cell2.yaml "verify: false"
has results/users/plots/mx_compare.gp "errors = 1"
expect 0 "$TILESCOPE" compare users --csv
awk -F, 'NR == FNR { if (FNR > 1) error[$2] = $10; next }
    FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["status"] == "feasible" { n++; if ($c["rel_rms"] != error[$c["side"]]) { print $c["side"] ": " $c["rel_rms"]; bad = 1 } }
    END { exit bad || n != 3 }' results/users/errors.csv out || fail "errors are not those of errors.csv"

# ---- files and pictures ----
expect 0 "$TILESCOPE" compare results/formats --out made/cmp
for file in compare.csv same.csv mx_compare.dat mx_compare.gp periods.dat periods.gp; do
    [ -s made/cmp/$file ] || fail "$file is missing"
done
[ "$(ls -A made)" = cmp ] || fail "something is left beside the comparison"
has made/cmp/mx_compare.gp "speed-up over half"
sed -n '/^# boxes/,/^# texts/p' made/cmp/periods.dat >boxes
expect 0 "$TILESCOPE" compare results/formats --csv
same out made/cmp/compare.csv
if command -v gnuplot >/dev/null 2>&1; then
    for kind in mx_compare periods; do
        head -c 8 made/cmp/$kind.png | grep -q PNG || fail "$kind.png is no PNG"
        (cd made/cmp && gnuplot -e "out='again.svg'" $kind.gp && cmp again.svg $kind.svg) || fail "$kind.gp does not repeat its picture"
    done
fi
expect 2 "$TILESCOPE" compare results/formats --out made/cmp
has err "made/cmp: error: there is a comparison already"
expect 0 "$TILESCOPE" compare results/formats --out made/cmp --force --no-plots --baseline bf16
[ ! -e made/cmp/mx_compare.gp ] || fail "--force leaves old files"
mkdir made/other && touch made/other/mine
expect 2 "$TILESCOPE" compare results/formats --out made/other --force
has err "this is there, and is no comparison"
[ -e made/other/mine ] || fail "--force removed a directory that is no comparison"
# whole or not at all
touch file
expect 3 "$TILESCOPE" compare results/formats --out file/cmp --no-plots
expect 0 env PATH=/nowhere "$TILESCOPE" compare results/formats --out bare
has err "gnuplot is not installed"
[ -s bare/mx_compare.gp ] && [ ! -e bare/mx_compare.png ] || fail "without gnuplot"

# ---- two periods ----
expect 0 env PATH=/nowhere "$TILESCOPE" compare results/formats --out t1 --timeline half,mxfp8:b16x32x64
has t1/periods.dat "mxfp8, 16×32×64, "
grep -q ' 13983232$' t1/periods.dat || fail "no MX scales in the colour of their own" # 0xd55e00
expect 0 env PATH=/nowhere "$TILESCOPE" compare results/formats --out t2 --timeline half,bf16
! grep -q ' 13983232$' t2/periods.dat || fail "scales where there are none"
expect 2 "$TILESCOPE" compare results/formats --timeline half,mxfp8
has err "it goes with --out DIR"
expect 2 "$TILESCOPE" compare results/formats --out t3 --timeline half
has err "'half' does not name two sides"
expect 2 "$TILESCOPE" compare results/formats --out t3 --timeline half,none
has err "'none' is none of what is compared"
expect 2 "$TILESCOPE" compare results/formats --out t3 --timeline half,wide
has err "wide has no feasible tiling of square"
expect 2 "$TILESCOPE" compare results/formats --out t3 --timeline half,half:b16y
[ ! -e t3 ] || fail "a failed comparison left files"

# ---- pictures of a run with variants ----
expect 0 env PATH=/nowhere "$TILESCOPE" run formats.yaml -q -s name=drawn -s 'report.plots=[mx_compare]' -s verify=none
[ "$(ls results/drawn/plots)" = "$(printf '%s\n' mx_compare.dat mx_compare.gp)" ] || fail "plots of a run: $(ls results/drawn/plots)"
expect 0 env PATH=/nowhere "$TILESCOPE" compare results/drawn --out t4
same results/drawn/plots/mx_compare.dat t4/mx_compare.dat
expect 0 "$TILESCOPE" run small.yaml -q -s name=single -s 'report.plots=[mx_compare]' -s verify=none
has err "no mx_compare: one variant on one target"

# without MX it is not called so, and draws all the same
cp formats.yaml plain.yaml
sed -i '/name: mxfp8/d' plain.yaml
expect 0 "$TILESCOPE" run plain.yaml -q -s name=plain -s 'report.plots=[mx_compare]' -s verify=none
[ ! -s err ] || fail "the picture without MX: $(cat err)"
[ -s results/plain/plots/compare.gp ] && [ ! -e results/plain/plots/mx_compare.gp ] || fail "plots without MX: $(ls results/plain/plots)"
if command -v gnuplot >/dev/null 2>&1; then
    head -c 8 results/plain/plots/compare.png | grep -q PNG || fail "compare.png is no PNG"
fi

# K of a window is what its steps take, not whole base blocks
expect 0 env PATH=/nowhere "$TILESCOPE" run formats.yaml -q -s name=tail -s problem.K=1000 -s baseK=128 -s baseM=16 -s baseN=32 -s verify=none --no-plots
expect 0 env PATH=/nowhere "$TILESCOPE" compare results/tail --out t5 --timeline half,bf16
sed -n '/^# brackets/,/^$/p' t5/periods.dat | grep -q 'a whole tile: 8 steps, K 1000 in' || fail "K tail: $(sed -n '/^# brackets/,/^# l/p' t5/periods.dat)"

# ---- several runs ----
expect 0 "$TILESCOPE" run small.yaml -q --no-plots -s verify=none
expect 0 "$TILESCOPE" run small.yaml -q --no-plots -s verify=none -s name=narrow -s baseK=16
expect 0 "$TILESCOPE" compare results/small results/narrow
grep -qE '^small +[0-9.]+[* ] +1\.00x' out || fail "runs go by their names"
grep -qE '^  narrow: [0-9]+ tilings, speed-up 1\.00x' out || fail "the same tilings of two runs"
expect 0 "$TILESCOPE" run small.yaml -q --no-plots -s verify=none -s name=chip -s target=ascend950pr_9589
expect 0 "$TILESCOPE" compare results/small results/chip --baseline chip/ascend950pr_9589
has out "== 128x160x192: M 128, N 160, K 192"
grep -qE '^small/ascend910b1 ' out || fail "chips stand side by side"
mkdir other && cp -r results/small other/
expect 0 "$TILESCOPE" compare results/small other/small
grep -qE '^other/small +[0-9.]+[* ] +1\.00x~' out || fail "runs of one name go by their paths"

# ---- what cannot be compared ----
expect 2 "$TILESCOPE" compare
has err "compare takes one run or more"
expect 3 "$TILESCOPE" compare results/absent
has err "there is no run 'results/absent'"
expect 2 "$TILESCOPE" compare made
has err "made: error: not the directory of a finished run: it has no manifest.json"
expect 2 "$TILESCOPE" compare results/small
has err "nothing to compare: the run has one variant on one target"
expect 2 "$TILESCOPE" compare results/small results/small
has err "'results/small' is named twice"
expect 0 "$TILESCOPE" run small.yaml -q --no-plots -s verify=none -s name=shape -s problem.M=64
expect 2 "$TILESCOPE" compare results/small results/shape
has err "the runs have no shape in common"
expect 2 "$TILESCOPE" compare results/formats --baseline haf
has err "did you mean 'half'?"
expect 2 "$TILESCOPE" compare results/formats --shape sqare
has err "did you mean 'square'?"
expect 2 "$TILESCOPE" compare results/formats --same baseQ
has err "'baseQ' is no tiling field"
expect 2 "$TILESCOPE" compare results/formats --top many

# change DIR SED: a copy of results/formats with a changed manifest
change() {
    rm -rf results/changed
    cp -r results/formats results/changed
    sed -i "$2" "results/changed/$1"
}
change manifest.json 's/"model": [0-9]*/"model": 1/'
expect 2 "$TILESCOPE" compare results/changed
has err "the run was made with time model 1, this program has"
change manifest.json 's/"format": [0-9]*/"format": 9/'
expect 2 "$TILESCOPE" compare results/changed
has err "the run was made with file format 9, this program has"
change manifest.json 's/"cells": \[/"cels": [/'
expect 2 "$TILESCOPE" compare results/changed
has err "the manifest has no 'cells'"
change manifest.json '1s/{/{{/'
expect 2 "$TILESCOPE" compare results/changed
change manifest.json 's/"name": "[^"]*square\/half"/"name": "square"/'
expect 2 "$TILESCOPE" compare results/changed
has err "'square' is not the name of a cell"
change best/cell0.yaml 's/  K: 512/  K: 256/; s/singleCoreK: 512/singleCoreK: 256/; s/ld: 512/ld: 256/g'
expect 2 "$TILESCOPE" compare results/changed
has err "results/changed/best/cell0.yaml: error: this tiling takes"
change best/cell1.yaml 's/bf16/bf61/'
expect 2 "$TILESCOPE" compare results/changed
rm results/changed/best/cell1.yaml
expect 3 "$TILESCOPE" compare results/changed
change tilings.csv '1s/task_mcyc/task/'
expect 2 "$TILESCOPE" compare results/changed
has err "column 'task_mcyc' is missing"
rm results/changed/tilings.csv
expect 3 "$TILESCOPE" compare results/changed
