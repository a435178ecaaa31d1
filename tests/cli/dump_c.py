#!/usr/bin/env python3
"""C of --dump-c against a product computed here, from the same raw files.

Pure Python on purpose: nothing of tilescope, no numpy needed. Integers must be
equal. Floats: tilescope adds products in float, k ascending, and rounds once to
C's dtype; the bound for an element is gamma_K * sum |a||b| + half a unit in the
last place of C (Higham, sums of K rounded additions: gamma_K = K u / (1 - K u)).

usage: dump_c.py TILESCOPE WORKDIR
"""
import math
import os
import random
import struct
import subprocess
import sys

SHAPES = [
    (16, 16, 16), (17, 33, 19), (1, 64, 48), (1, 1, 1), (64, 1, 40), (5, 7, 300), (31, 31, 31), (48, 80, 64),
    (33, 65, 129), (16, 100, 70), (40, 70, 50), (2, 130, 96), (96, 32, 17), (29, 37, 41), (64, 64, 64),
    (15, 15, 241), (80, 48, 33), (1, 257, 33), (128, 16, 16), (3, 5, 515),
]
# dtype of A and B, of C, struct letters, target
TYPES = [
    ("half", "half", "e", "e", "ascend910b1"),
    ("half", "float", "e", "f", "ascend950pr_9589"),
]
UNIT = {"half": 2.0 ** -11, "float": 2.0 ** -24}
SMALLEST = {"half": 2.0 ** -25, "float": 2.0 ** -150}


def write_matrix(path, letter, rows):
    with open(path, "wb") as f:
        for row in rows:
            f.write(struct.pack("<%d%s" % (len(row), letter), *row))


def rounded(letter, x):
    return struct.unpack("<" + letter, struct.pack("<" + letter, x))[0]


def random_matrix(rng, rows, cols, letter, integers):
    draw = (lambda: float(rng.randint(-4, 4))) if integers else (lambda: rounded(letter, rng.gauss(0, 1)))
    return [[draw() for _ in range(cols)] for _ in range(rows)]


def transposed(m):
    return [list(column) for column in zip(*m)]


def make_case(work, number, shape, kind, case, integers):
    """Operand files of one transpose case; @return the matrices and the problem's YAML."""
    m, n, k = shape
    dtype, c_dtype, letter = kind[:3]
    trans_a, trans_b = case & 1 != 0, case & 2 != 0
    rng = random.Random(4 * number + case)
    a, b = random_matrix(rng, m, k, letter, integers), random_matrix(rng, k, n, letter, integers)
    files = [os.path.join(work, "%s%d_%d.bin" % (name, number, case)) for name in "ab"]
    write_matrix(files[0], letter, transposed(a) if trans_a else a)
    write_matrix(files[1], letter, transposed(b) if trans_b else b)
    yaml = "  - name: case%d\n    M: %d\n    N: %d\n    K: %d\n" % (case, m, n, k)
    yaml += "    A: {dtype: %s, transpose: %s, file: %s}\n" % (dtype, str(trans_a).lower(), files[0])
    yaml += "    B: {dtype: %s, transpose: %s, file: %s}\n" % (dtype, str(trans_b).lower(), files[1])
    yaml += "    C: {dtype: %s}\n" % c_dtype
    return a, b, yaml


def compare(path, shape, kind, case, a, b, integers):
    m, n, k = shape
    c_dtype, c_letter = kind[1], kind[3]
    with open(path, "rb") as f:
        got = struct.unpack("<%d%s" % (m * n, c_letter), f.read())
    columns = transposed(b)
    u = 2.0 ** -24
    gamma = k * u / (1 - k * u)
    for i in range(m):
        for j in range(n):
            products = [x * y for x, y in zip(a[i], columns[j])]
            want = math.fsum(products)
            bound = 0.0 if integers else gamma * math.fsum(abs(p) for p in products)
            if not integers:
                bound += UNIT[c_dtype] * abs(want) * (1 + gamma) + SMALLEST[c_dtype] + UNIT[c_dtype] * bound
            if abs(got[i * n + j] - want) > bound:
                sys.exit("%s case %d: C[%d][%d] is %r, %r +- %g expected"
                         % (shape, case, i, j, got[i * n + j], want, bound))


def check(tilescope, work, number, shape, kind):
    """All four transpose cases of a shape in one run."""
    cases = [make_case(work, number, shape, kind, case, (number // 2 + case) % 3 == 0) for case in range(4)]
    config = os.path.join(work, "dump%d.yaml" % number)
    with open(config, "w") as f:
        f.write("name: dump%d\ntarget: %s\nproblem:\n" % (number, kind[4]))
        f.write("".join(case[2] for case in cases))
        f.write("tiling:\n  baseM: [16, 32]\n  baseK: 32\nverify: full\n")
    out = os.path.join(work, "c%d.bin" % number)
    subprocess.run([tilescope, "run", config, "--results", os.path.join(work, "results"), "--no-plots", "--quiet",
                    "--dump-c", out], check=True, stdout=subprocess.DEVNULL)
    for case, (a, b, _) in enumerate(cases):
        compare("%s.%d" % (out, case), shape, kind, case, a, b, (number // 2 + case) % 3 == 0)


def main():
    tilescope, work = sys.argv[1:3]
    for number, shape in enumerate(SHAPES):
        check(tilescope, work, number, shape, TYPES[number % len(TYPES)])
    print("%d products equal" % (4 * len(SHAPES)))


main()
