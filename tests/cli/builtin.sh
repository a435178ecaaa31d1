# builtin.sh - a built-in config runs by name in any directory, with the lists of shapes it was built with.
. "$TESTS_DIR/cli/common.inc"

# a list of the working directory under the same name is not the built-in one
mkdir -p empty decoy/shapes mine/shapes
for list in "$REPO_DIR"/configs/shapes/*.csv; do
    printf 'M,N,K,dtype\n16,16,16,half\n' >"decoy/shapes/${list##*/}"
done
for config in "$REPO_DIR"/configs/*.yaml; do
    name=$(basename "$config" .yaml)
    expect 0 "$TILESCOPE" run "$config" -n -q
    sed "s|$REPO_DIR/configs/||" out >whole # a row's reason names its list
    for place in empty decoy; do
        (cd $place && expect 0 "$TILESCOPE" run "$name" -n -q && mv out err ..) || fail "$name does not run by name"
        same whole out
    done
done

# a user's config may name a built-in list, also the copy of a config among its results; a file of his own goes first
cat >mine/own.yaml <<'YAML'
target: ascend910b1
problem: {op: conv, shapes: shapes/resnet50_conv.csv, merge: true, dtype: half}
tiling: {baseM: 64, baseN: 64, baseK: 64}
verify: none
YAML
expect 0 "$TILESCOPE" run mine/own.yaml -n -q
has out "conv2_1_1x1a"
printf 'layer,N,C,H,W,Cout,kh,kw\nonly,1,16,8,8,16,3,3\n' >mine/shapes/resnet50_conv.csv
expect 0 "$TILESCOPE" run mine/own.yaml -n -q
lacks out "conv2_1_1x1a"
has out "only"
expect 2 "$TILESCOPE" run mine/own.yaml -n -s problem.shapes=shapes/resnet51.csv
has err "there is no file 'shapes/resnet51.csv'"
