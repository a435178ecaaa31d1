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
