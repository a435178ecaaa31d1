# conform.sh - the vectors of tests/data, and vectors that must fail.
. "$TESTS_DIR/cli/common.inc"
data=$REPO_DIR/tests/data/conformance

expect 0 "$TILESCOPE" conform "$data"
last_line out '^666 passed, 0 failed$'
lacks out "FAIL"
expect 0 "$TILESCOPE" conform "$data" --kind error
last_line out '^121 passed, 0 failed$'
expect 0 "$TILESCOPE" conform "$data" --confidence proven
last_line out '^[1-9][0-9]* passed, 0 failed$'
expect 2 "$TILESCOPE" conform "$data" --kind no_such_kind
has err "has no case of kind no_such_kind"
[ ! -s out ] || fail "a verdict on no case"
expect 2 "$TILESCOPE" conform "$data" -k im2cl
has err "did you mean 'im2col'?"
expect 2 "$TILESCOPE" conform "$data" -c foo
has err "'foo' is not known; known are proven pseudo doc inferred"
expect 2 "$TILESCOPE" conform "$data" -c profen
has err "did you mean 'proven'?"
expect 2 "$TILESCOPE" conform "$data" -k error -c proven
has err "has no case of kind error of confidence proven"

# One case with a field changed: named, with the byte, the fractal and the element.
mkdir broken
awk '/^case /{n++} n==1' "$data/load2d.vec" >broken/one.vec
expect 0 "$TILESCOPE" conform broken
last_line out '^1 passed, 0 failed$'
id=$(awk '/^case /{print $2; exit}' broken/one.vec)
sed 's/^param repeatTimes .*/param repeatTimes 1/' broken/one.vec >broken/two.vec
mv broken/two.vec broken/one.vec
expect 1 "$TILESCOPE" conform broken
has out "FAIL $id"
has out "fractal"
has out "expected"
last_line out '^0 passed, 1 failed$'

# A rule that must be broken and is not.
head -2 "$data/errors.csv" | sed '2s/E_[A-Z_]*/E_OVERLAP/' >broken/errors.csv
expect 1 "$TILESCOPE" conform broken --kind error
has out "expected E_OVERLAP, got E_"

# Malformed: file, line, field; the good cases still run.
mkdir bad
{
    awk '/^case /{n++} n==1' "$data/load2d.vec"
    echo "case broken_one"
    echo "buf src many 0 rule 1"
    echo "end"
} >bad/bad.vec
expect 2 "$TILESCOPE" conform bad
has err "bad.vec:"
last_line out '^1 passed, 0 failed$'
mkdir empty
expect 2 "$TILESCOPE" conform empty
has err "holds no *.vec file"
expect 3 "$TILESCOPE" conform nowhere
expect 2 "$TILESCOPE" conform
has err "takes one directory"
expect 0 "$TILESCOPE" conform --help
has out "Examples:"
