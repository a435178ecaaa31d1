# resume.sh - a run that is killed or interrupted goes on and leaves the same files.
. "$TESTS_DIR/cli/common.inc"

cat >long.yaml <<'YAML'
name: long
target: ascend910b1
problem: {M: 512, N: 512, K: 1024, inputs: normal, B: {transpose: true}}
tiling:
  baseM: {from: 16, to: 256, step: 16}
  baseN: {from: 16, to: 256, step: 16}
  baseK: [16, 32, 64]
  stepKa: [1, 2, 4]
  stepKb: [1, 2]
verify: none
YAML
expect 0 "$TILESCOPE" run long.yaml --no-plots --results whole -q

compare() {
    sed '/"run": /d' whole/long/manifest.json >want
    sed '/"run": /d' "$1/long/manifest.json" >got
    same want got
    for file in tilings.csv errors.csv reasons.csv summary.txt best.yaml; do
        same whole/long/$file "$1/long/$file"
    done
    [ ! -e "$1/.long.part" ] || fail "work is left behind in $1"
}

# start_busy DIR: starts a run in the background; returns once its journal has grown. Sets `pid`.
start_busy() {
    "$TILESCOPE" run long.yaml --no-plots --results "$1" -j 1 >out 2>err &
    pid=$!
    tries=0
    while [ "$(wc -c 2>/dev/null <"$1/.long.part/journal.bin" || echo 0)" -lt 100000 ] && kill -0 $pid 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 2000 ] || fail "the run does not get going"
        sleep 0.005
    done
}

# stop_when_busy SIGNAL DIR: ends such a run by a signal; sets `code`.
stop_when_busy() {
    start_busy "$2"
    kill "-$1" $pid 2>/dev/null || true
    code=0
    wait $pid || code=$?
}

stop_when_busy KILL killed
[ $code -eq 137 ] || fail "the run ended (status $code) before it could be killed"
[ ! -e killed/long ] || fail "half a run is published"
expect 0 "$TILESCOPE" run long.yaml --no-plots --results killed
has err "going on after"
compare killed

# twice, and with another number of threads
stop_when_busy KILL twice
stop_when_busy KILL twice
expect 0 "$TILESCOPE" run long.yaml --no-plots --results twice -q -j 2
compare twice

# Ctrl-C: within a second, exit 130, and it says how to go on
stop_when_busy TERM stopped
[ $code -eq 130 ] || fail "exit status $code after SIGTERM"
has err "the same command goes on from"
points=$(sed -n 's/.*interrupted after \([0-9]*\) of .*/\1/p' err)
expect 0 "$TILESCOPE" run long.yaml --no-plots --results stopped
has err "going on after $points of" # nothing that was done is lost
compare stopped

# the same where tilings are slow and few: far less than one round
sed 's/verify: none/verify: full/; s/from: 16, to: 256/from: 64, to: 128/; s/512/2048/g; s/inputs: normal, //' long.yaml >slow.yaml
"$TILESCOPE" run slow.yaml --no-plots --results slow -j 2 >out 2>err &
pid=$!
sleep 0.7
kill -TERM $pid 2>/dev/null || true
code=0
wait $pid || code=$?
if [ $code -eq 130 ]; then
    points=$(sed -n 's/.*interrupted after \([0-9]*\) of .*/\1/p' err)
    [ "$points" -gt 0 ] || fail "nothing was kept"
    "$TILESCOPE" run slow.yaml --no-plots --results slow -j 1 >out 2>err &
    pid=$!
    sleep 0.3
    kill -TERM $pid 2>/dev/null || true
    wait $pid || true
    has err "going on after $points of"
fi

# unfinished work of another config is dropped, with a word
stop_when_busy KILL other
expect 0 "$TILESCOPE" run long.yaml --no-plots --results other --set seed=2
has err "was dropped"

# a run already going on is not disturbed
start_busy locked
kill -STOP $pid 2>/dev/null || fail "the run ended before it could be stopped"
code=0
"$TILESCOPE" run long.yaml --no-plots --results locked >out 2>err || code=$?
kill -KILL $pid
[ $code -eq 3 ] || fail "exit status $code beside a running one"
has err "holds this lock"

# no lock file stays behind a run that ended by itself
for dir in whole stopped; do
    [ -z "$(find $dir -name '.*.lock')" ] || fail "a lock stays in $dir"
done
