# layers.sh - networks: layers.csv, their section of summary.txt, their picture.
. "$TESTS_DIR/cli/common.inc"

cat >net.csv <<'X'
layer,C,H,W,Cout,kh,kw,stride_h,stride_w,pad_h,pad_w,count
first,3,20,20,32,3,3,2,2,1,1,
mid_a,32,10,10,32,1,1,1,1,0,0,3
mid_b,32,10,10,32,1,1,1,1,0,0,
last,32,10,10,48,3,3,1,1,1,1,2
broken,32,2,2,48,5,5,1,1,0,0,
X
cat >net.yaml <<'X'
name: net
target: [ascend910b1, ascend950pr_9589]
problem:
  - {op: conv, shapes: net.csv, merge: true, N: 1}
  - {op: conv, name: big, shapes: net.csv, merge: true, N: 4}
tiling: {baseM: [32, 64], baseN: [32], baseK: [32, 48]}
variants:
  - {name: half}
  - {name: int8, set: {A.dtype: int8, B.dtype: int8}}
report: {plots: [layers]}
X
expect 0 env PATH=/nowhere "$TILESCOPE" run net.yaml
# net.csv has four different layers, one of which cannot be
out=results/net
[ "$(wc -l <$out/layers.csv)" = 33 ] || fail "layers.csv has $(wc -l <$out/layers.csv) lines, not 1 + 2 x 2 x 2 x 4"
matches() {
    grep -q -e "$1" $out/layers.csv || fail "no row of layers.csv is like $1"
}
matches '^"net, N 1",ascend910b1,half,0,first,"3x3 stride 2 pad 1, 3 to 32, 20x20 to 10x10",1,feasible,'
matches '^"big, N 4",ascend950pr_9589,int8,[0-9]*,mid_a,"1x1, 32 to 32, 10x10",4,feasible,'
matches '^"big, N 4",ascend910b1,half,[0-9]*,broken,,1,failed,.*the filter 5x5 does not fit'

# The same sums in both files: 2 targets x 2 lists x 2 variants; no quoted field behind `layer` but shape
awk -v summary=$out/summary.txt '
function split_csv(line, f,   n, i, c, q, s) { n = 1; f[1] = ""; q = 0
    for (i = 1; i <= length(line); i++) { c = substr(line, i, 1)
        if (c == "\"") q = !q; else if (c == "," && !q) f[++n] = ""; else f[n] = f[n] c }
    return n }
NR == 1 { n = split_csv($0, h); for (i = 1; i <= n; i++) at[h[i]] = i; next }
{ split_csv($0, f); if (f[at["status"]] != "feasible") next
  key = f[at["network"]] "|" f[at["target"]] "|" f[at["variant"]]
  d = f[at["total_us"]] - f[at["count"]] * f[at["task_us"]]; if (d < -0.01 || d > 0.01) { print "total of", $0; bad = 1 }
  sum[key] += f[at["total_us"]]; share[key] += f[at["time_share"]]; layers[key] += f[at["count"]]
  launch[key] += f[at["launch_us"]] * f[at["count"]]; macs[key] += f[at["macs"]] * f[at["count"]]
  issued[key] += f[at["issued_macs"]] * f[at["count"]]
  bound[key, f[at["bound"]]] += (f[at["task_us"]] - f[at["launch_us"]]) * f[at["count"]]
  if (f[at["issued_macs"]] + 0 < f[at["macs"]] + 0) { print "fewer products than needed:", $0; bad = 1 } }
function near(x, y, by, what) { x += 0; y += 0; if (x - y > by || y - x > by) { print what ":", x, "is not", y; bad = 1 } }
END {
  while ((getline line < summary) > 0) {
    if (line !~ /^  (net|big), N [0-9] +ascend/ || split(line, w, " ") < 15) continue
    key = w[1] " " w[2] " " w[3] "|" w[4] "|" w[5]; seen++
    near(w[6], layers[key], 0, key " layers"); near(w[7], sum[key], 0.02, key " us")
    near(w[8], 2e-6 * macs[key] / sum[key], 0.06, key " TFLOP/s")
    near(w[10], issued[key] / macs[key], 0.006, key " issued")
    near(w[11], 100 * launch[key] / sum[key], 0.06, key " launch")
    near(w[12], 100 * bound[key, "M"] / sum[key], 0.06, key " M"); near(w[13], 100 * bound[key, "MTE1"] / sum[key], 0.06, key " MTE1")
    near(w[14], 100 * bound[key, "MTE2"] / sum[key], 0.06, key " MTE2"); near(w[15], 100 * bound[key, "FIX"] / sum[key], 0.06, key " FIX")
    near(w[11] + w[12] + w[13] + w[14] + w[15], 100, 0.3, key " parts"); near(share[key], 1, 0.0001, key " shares")
    near(layers[key], 7, 0, key " occurrences") }
  if (seen != 8) { print seen + 0 " networks in the summary, not 8"; bad = 1 }
  exit bad }' $out/layers.csv >sums 2>&1 || fail "sums differ: $(cat sums)"
has $out/summary.txt "(1 layers without a tiling are missing)"

# The picture: one bar a layer in each panel, in the order of the list, each as long as its time
[ "$(ls $out/plots)" = "$(printf 'layers.dat\nlayers.gp')" ] || fail "plots: [layers] makes $(ls $out/plots)"
[ "$(grep -c '"no feasible tiling"$' $out/plots/layers.dat)" = 8 ] || fail "a layer without a tiling has no bar"
has $out/plots/layers.dat '"mid_a 1×1  ×4"'
has $out/plots/layers.dat '"first 3×3/2"'
has $out/plots/layers.dat '"big, N 4 · int8"'
if command -v gnuplot >/dev/null 2>&1; then
    (cd $out/plots && gnuplot layers.gp && head -c 8 layers.png | grep -q PNG) || fail "layers.gp does not draw"
fi

# One layer is no network: none of it
expect 0 "$TILESCOPE" run small.yaml --set verify=none --set report.plots=all -f
[ ! -e results/small/layers.csv ] && [ ! -e results/small/plots/layers.gp ] || fail "a single problem has layers"
lacks results/small/summary.txt "== networks"

# a few layers make a narrow panel: the picture still holds its title, grey lines, legend and labels
cat >few.csv <<'X'
layer,C,H,W,Cout,kh,kw
a,32,20,20,32,3,3
b,32,10,10,32,1,1
X
cat >few.yaml <<'X'
target: ascend910b1
problem: {op: conv, shapes: few.csv}
tiling: {baseM: 64, baseN: 32, baseK: 32}
verify: none
report: {plots: [layers]}
X
expect 0 env PATH=/nowhere "$TILESCOPE" run few.yaml -q
awk -F"'" '/^W = / { split($0, w, " ") } /^(sub1|sub2|title) = / { if (length($2) > longest) longest = length($2) }
    END { exit !(longest > 40 && w[3] > 24 + 6.7 * longest) }' results/few/plots/layers.gp || fail "the words are wider than layers.png"
width=$(sed -n 's/^W = \([0-9]*\).*/\1/p' results/few/plots/layers.gp)
awk -v width="$width" '/"?Fixpipe/ { seen++; if ($1 + 50 > width) exit 1 } /all 2 layers/ { seen++; if ($1 < 24 + 70) exit 1 }
    END { if (seen != 2) exit 1 }' results/few/plots/layers.dat || fail "legend or labels leave layers.png"
has results/few/summary.txt "few on ascend910b1, base"

# problems side by side are no network, unless the config counts them
cat >two.yaml <<'X'
target: ascend910b1
problem: [{M: 256, N: 64, K: 64}, {M: 64, N: 64, K: 128}]
tiling: {baseM: 64, baseN: 64, baseK: [64, 32]}
verify: none
X
expect 0 "$TILESCOPE" run two.yaml -q --no-plots
lacks results/two/summary.txt "network"
printf 'target: ascend910b1\nproblem: {M: 64, N: 64, K: 512}\ntiling: {baseK: 64, stepKa: 1}\n' >steps.yaml
expect 0 "$TILESCOPE" explain steps.yaml
has out "every step:      copy A"
lacks out "every   1 steps"
printf 'target: ascend910b1\nproblem: [{M: 256, N: 64, K: 64, count: 2}, {M: 64, N: 64, K: 128}]\nverify: none\n' >counted.yaml
expect 0 "$TILESCOPE" run counted.yaml -q --no-plots
has results/counted/summary.txt "network"
