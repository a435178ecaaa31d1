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

# Any column but the six that must be there may be missing: an answer, never a crash.
printf '%s\n' 'id,target,M,N,K,dtype_a,task_us' 'a,910B1,1024,1024,1024,half,40' 'b,950PR,1024,1024,1024,mxfp8,20' \
    'c,910B1,1024,1024,1024,int8,30' >few.csv
expect 0 "$TILESCOPE" validate few.csv
has out "(3 rows)"
printf '%s\n' 'id,target,M,N,K,dtype_a,dtype_b,dtype_c,task_us' 'a,910B1,1024,1024,1024,half,half,half,40' \
    'b,950PR,1024,1024,1024,mxfp8,mxfp8,bf16,20' 'c,910B1,1024,1024,1024,int8,int8,int32,30' >all.csv
"$TILESCOPE" validate few.csv >few.out
"$TILESCOPE" validate all.csv >all.out
same few.out all.out
grep -e '^id,' -e ',910B1,' few.csv >a2_few.csv
expect 0 "$TILESCOPE" validate -q --fit row_width a2_few.csv
python3 - "$runs" "$TILESCOPE" <<'PY'
import csv, subprocess, sys
rows = list(csv.reader(open(sys.argv[1])))
few = [rows[0]] + [r for i, r in enumerate(rows[1:]) if r[5] != "matmul" or i % 12 == 0]
for drop in range(len(rows[0])):
    with open("dropped.csv", "w", newline="") as f:
        csv.writer(f).writerows([r[:drop] + r[drop + 1:] for r in few])
    done = subprocess.run([sys.argv[2], "validate", "-q", "dropped.csv"], capture_output=True, text=True)
    if done.returncode not in (0, 2) or (done.returncode == 2 and "error:" not in done.stderr):
        sys.exit(f"without column {rows[0][drop]}: status {done.returncode}: {done.stderr}")
PY

# Rows of one architecture and use draw too.
expect 0 "$TILESCOPE" validate -q --plot one a2_few.csv
if command -v gnuplot >/dev/null; then
    lacks err "gnuplot did not draw"
    [ -s one/validate.png ] || fail "no one/validate.png"
fi

# Too few rows for so many numbers; ND copies are never faster than HBM; what did not move is not measured.
printf '%s\n' 'id,target,M,N,K,dtype_a,task_us' 'a,910B1,16384,16384,2048,half,300' 'b,910B1,16384,256,16384,half,300' \
    'c,910B1,1024,1024,1024,half,40' >wild.csv
expect 0 "$TILESCOPE" validate -q --fit hbm_nd,row_width,fixpipe_unaligned -o wild.yaml wild.csv
has err "3 numbers are fitted to 3 rows"
grep -qF "# fixpipe_unaligned: stays 0" wild.yaml || fail "an unmoved number is written as measured"
! grep -qF "  fixpipe_unaligned: {" wild.yaml || fail "an unmoved number is written as measured"
sed -n 's/^  hbm_nd: {value: \([0-9.]*\),.*/\1/p' wild.yaml | awk '$1 > 1.55 { exit 1 }' || fail "hbm_nd above hbm"
expect 0 "$TILESCOPE" targets ./wild.yaml

# A column nothing reads is said; a file without times has nothing to compare.
sed '1s/task_us/time_us/' few.csv >misnamed.csv
expect 0 "$TILESCOPE" validate misnamed.csv
has err "nothing reads column 'time_us'"
has err "no column has a time"
sed '1s/task_us/tsak_us/' few.csv >misnamed.csv
expect 0 "$TILESCOPE" validate -q misnamed.csv
has err "did you mean 'task_us'?"
expect 0 "$TILESCOPE" validate -q "$runs"
[ ! -s err ] || fail "a warning of the file of the repository"
python3 "$TESTS_DIR/cli/bands.py" "$TILESCOPE" "$runs" || fail "tie bands are not those of the runs"
