"""bands.py TILESCOPE RUNS - the tie bands of a target are what `validate` says of the held-out runs."""
import csv
import re
import statistics
import subprocess
import sys

tilescope, runs = sys.argv[1:3]
rows = csv.DictReader(subprocess.run([tilescope, "validate", "--csv", runs], stdout=subprocess.PIPE, text=True,
                                     check=True).stdout.splitlines())
held = []
for r in rows:
    if r["use"] == "holdout" and r["measured_task_us"] and r["task_us"]:
        us = float(r["measured_task_us"])
        held.append((r["id"], "conv" if r["op"].startswith("conv") else "matmul", "950" in r["target"], us,
                     100 * abs(float(r["task_us"]) / us - 1)))
bad = False
for target, is_950 in (("ascend910b1", False), ("ascend950pr_9589", True)):
    text = subprocess.run([tilescope, "targets", target], stdout=subprocess.PIPE, text=True, check=True).stdout
    for op in "matmul", "conv":
        mine = [h for h in held if h[1] == op and h[2] == is_950]
        if not mine:
            bad |= "error_" + op in re.sub(r"error_%s_(short|long)\s+0\b" % op, "", text)
            continue
        bands = {}
        for name, like in (("long", [h for h in mine if h[3] >= 50]), ("short", [h for h in mine if 10 <= h[3] < 50])):
            if len(like) < 5:
                like = mine
                band = max(h[4] for h in mine)
            else:
                band = statistics.median(h[4] for h in like)
                band = max(band, statistics.median(h[4] for h in mine) if name == "long" else bands["long"])
            bands[name] = band
            line = re.search(r"error_%s_%s +([0-9.]+) .*" % (op, name), text)
            ids = sorted(h[0] for h in like)
            if not line or line.group(1) != "%.1f" % band or not all(i in line.group(0) for i in ids):
                print(target, op, name, "should be %.1f" % band, ids, "is", line and line.group(0))
                bad = True
sys.exit(bad)
