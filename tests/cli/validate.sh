# validate.sh - board runs against the model, fits, the picture.
. "$TESTS_DIR/cli/common.inc"

runs=$TESTS_DIR/data/measurements/open.csv
expect 0 "$TILESCOPE" validate "$runs"
has out "R001"
has out "calibrate"
expect 0 "$TILESCOPE" validate -q "$runs"
has out "MAPE task "
has out " order "
last_line out "^MAPE task [0-9.]+ mac [0-9.]+ mte1 [0-9.]+ mte2 [0-9.]+ fixpipe [0-9.]+ order [0-9.]+ \([0-9]+ rows\)$"
expect 0 "$TILESCOPE" validate --csv "$runs"
has out "id,target,use,op,task_us"
expect 0 "$TILESCOPE" validate -q --leave-out "$runs"
has out "leave one family out"
expect 2 "$TILESCOPE" validate -q --fit sync -o mine.yaml "$runs"
has err "2 architectures"
grep -e '^id,' -e ',910B1,' "$runs" >a2.csv
expect 0 "$TILESCOPE" validate -q --fit row_width,sync -o mine.yaml a2.csv
has out "fit of architecture 2201"
expect 0 "$TILESCOPE" targets ./mine.yaml
has out "row_width"
expect 2 "$TILESCOPE" validate --fit row_widht "$runs"
has err "'row_widht' is no number of the time model"
expect 2 "$TILESCOPE" validate --output x.yaml "$runs"
expect 2 "$TILESCOPE" validate --fit
expect 2 "$TILESCOPE" validate
expect 3 "$TILESCOPE" validate absent.csv
expect 0 "$TILESCOPE" validate -q --plot drawn "$runs"
for file in validate.dat validate.gp; do
    [ -s "drawn/$file" ] || { echo "no drawn/$file"; exit 1; }
done
