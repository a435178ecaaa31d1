# mx_vs_plain_long.sh - configs/mx_vs_plain.yaml whole: every tiling verified, how long it takes.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" run "$REPO_DIR/configs/mx_vs_plain.yaml" -q -j 2
last_line out '^3024 tilings, 1728 feasible, 1728 verified, 0 mismatched$'
[ "$(grep -c '^best: ' out)" -eq 28 ] || fail "a format has no feasible tiling"
# reported, not asserted: other work may be going on
echo "mx_vs_plain: $(sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' results/mx_vs_plain/manifest.json) s, pictures not counted"
for file in png svg dat gp; do
    [ -s results/mx_vs_plain/plots/mx_compare.$file ] || ! command -v gnuplot >/dev/null || fail "no mx_compare.$file"
done
expect 0 "$TILESCOPE" compare mx_vs_plain --out cmp
has out "== square_8192: M 8192, N 8192, K 8192 on ascend950pr_9589"
