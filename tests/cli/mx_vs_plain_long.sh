# mx_vs_plain_long.sh - configs/mx_vs_plain.yaml whole: every tiling verified, how long it takes.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" run "$REPO_DIR/configs/mx_vs_plain.yaml" -q -j 2
last_line out '^3024 tilings, 1684 feasible, 1684 verified, 0 mismatched$'
[ "$(grep -c '^best: ' out)" -eq 28 ] || fail "a format has no feasible tiling"
# reported, not asserted: other work may be going on
echo "mx_vs_plain: $(sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' results/mx_vs_plain/manifest.json) s, pictures not counted"
for file in png svg dat gp; do
    [ -s results/mx_vs_plain/plots/mx_compare.$file ] || ! command -v gnuplot >/dev/null || fail "no mx_compare.$file"
done
expect 0 "$TILESCOPE" compare mx_vs_plain --out cmp
# the README's figures, with the model's error on 950PR as room for another model
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["shape"] == "square_8192" { us[$c["side"]] = $c["task_us"]; error[$c["side"]] = $c["rel_rms"] }
    END {
        ratio = us["half"] / us["mxfp4"]
        if (ratio < 3.6 || ratio > 4.1) { print "mxfp4 is " ratio " times as fast"; exit 1 }
        if (!(error["half"] < error["bf16"] && error["bf16"] < error["int8"] && error["int8"] < error["fp8_e4m3fn"] && error["mxfp8"] < error["mxfp4"])) { print "errors"; exit 1 }
    }' cmp/compare.csv || fail "figures of 8192^3"
has out "== square_8192: M 8192, N 8192, K 8192 on ascend950pr_9589"
