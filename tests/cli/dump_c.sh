#!/bin/sh
# C from raw operand files equals a product computed outside the program: 20
# shapes, all four transpose cases, integers exactly, floats within a bound.
. "$TESTS_DIR/cli/common.inc"

command -v python3 >/dev/null || { echo "python3 is missing"; exit 1; }
python3 "$TESTS_DIR/cli/dump_c.py" "$TILESCOPE" "$work" | grep -qx "80 products equal" || fail "C differs"
