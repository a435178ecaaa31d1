# help.sh - help, version, and what is said to a wrong command or option.
. "$TESTS_DIR/cli/common.inc"

expect 0 "$TILESCOPE" --help
has out "Usage: tilescope COMMAND"
last_line out '^  tilescope '
for command in $("$TILESCOPE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    expect 0 "$TILESCOPE" "$command" --help
    [ ! -s err ] || fail "$command --help writes to stderr"
    sed -n '/^Examples:/,$p' out | grep -q "tilescope $command" || fail "$command --help shows no example"
    last_line out '^  tilescope|^ +#|^$'
done
expect 0 "$TILESCOPE" --version
last_line out '^tilescope [0-9.]+ \(model: [0-9]+, format: [0-9]+\)$'
expect 0 "$TILESCOPE" help run
has out "Usage: tilescope run"

expect 2 "$TILESCOPE"
has err "a command is missing"
expect 2 "$TILESCOPE" rnu
has err "did you mean 'tilescope run'?"
[ ! -s out ] || fail "an error writes to stdout"
expect 2 "$TILESCOPE" zzzzzz
has err "tilescope --help"
expect 2 "$TILESCOPE" run --therads 2
has err "did you mean '--threads'?"
expect 2 "$TILESCOPE" run -Z
has err "no option '-Z'"
expect 2 "$TILESCOPE" run --set
has err "needs a value"
expect 2 "$TILESCOPE" run a.yaml b.yaml
has err "'b.yaml' is one word too many"
expect 2 "$TILESCOPE" run -j 0
has err "--threads: '0'"
expect 2 "$TILESCOPE" run -j two
