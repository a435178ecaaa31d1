# names.sh - short names of chips are taken everywhere; a config's name that is nearly right is suggested.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" run small.yaml -n -s target=910B1
has out "ascend910b1/"
expect 0 "$TILESCOPE" run small.yaml -n -s target=950PR
has out "ascend950pr_9589/"
expect 2 "$TILESCOPE" run small.yaml -n -s 'target=[910B1, ascend910b1]'
has err "target 'ascend910b1' is named twice"
expect 0 "$TILESCOPE" insn -t 910B1 mmad m=16 n=16 k=16
has out "Legal on ascend910b1"
expect 0 "$TILESCOPE" targets 950PR
has out "ascend950pr_9589"
expect 2 "$TILESCOPE" insn -t 911B1 mmad m=16 n=16 k=16
has err "did you mean 'ascend910b1'?"

expect 2 "$TILESCOPE" run small
has err "there is no config 'small'"
has err "did you mean 'small.yaml'?"
expect 2 "$TILESCOPE" run matmul_haf
has err "did you mean 'matmul_half'?"
has err "built-in cosa_conv,"

# A wrong op is one mistake: the keys are read as what they are of.
conv='N: 1, C: 16, H: 8, W: 8, Cout: 16, kh: 3, kw: 3'
for problem in "{op: conv2d, $conv}" "{op: Conv, NCHW: [1, 16, 8, 8], Cout: 16, kh: 3, kw: 3}" "{$conv}" \
    '{op: mamtul, M: 16, N: 16, K: 16}' '{op: gemm, M: 16, N: 16, K: 16, groups: 2}'; do
    printf 'target: 910B1\nproblem: %s\n' "$problem" >op.yaml
    expect 2 "$TILESCOPE" run op.yaml -n
    [ "$(grep -c 'error:' err)" -eq 1 ] || fail "not one error of $problem"
done
printf 'target: 910B1\nproblem: {%s}\n' "$conv" >op.yaml
expect 2 "$TILESCOPE" run op.yaml -n
has err "add 'op: conv'"
# Other mistakes beside it are said in the same run.
printf 'target: 910B1\nproblem: {op: conv2d, %s, stirde: 2}\n' "$conv" >op.yaml
expect 2 "$TILESCOPE" run op.yaml -n
has err "did you mean 'conv'?"
has err "did you mean 'stride'?"
expect 2 "$TILESCOPE" run small.yaml -n -s A.dtype=mxfp9
has err "did you mean 'mxfp"
has err "mxfp4 = mx_fp4_e2m1"
