#!/usr/bin/env python3
"""errors.csv of a run on raw files against figures computed here, in pure Python.

The operands are quantised by search in lists of all numbers of a format, ties to
the even one; block scales and factors are those of the documents' rules. Sums are
taken in double: tilescope adds in float, which is a millionth of these errors.

usage: inputs.py make WORKDIR            writes a.f32, b.f32 and inputs.yaml
       inputs.py check WORKDIR CSV       prints "N rows agree"
"""
import csv
import math
import os
import random
import struct
import sys

M, N, K = 20, 24, 70
VARIANTS = [  # name, dtype, C
    ("base", "half", "float"), ("bf16", "bf16", "float"), ("int8", "int8", "int32"), ("e4m3", "fp8_e4m3", "float"),
    ("e5m2", "fp8_e5m2", "float"), ("hif8", "hif8", "float"), ("mx8", "mx_fp8_e4m3", "float"),
    ("mx5", "mx_fp8_e5m2", "float"), ("mx4", "mx_fp4_e2m1", "float"), ("mx12", "mx_fp4_e1m2", "float"),
]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def minifloat(exp_bits, man_bits, bias, largest):
    """All numbers >= 0 of a format, ascending: an even place has an even mantissa."""
    out = []
    for e in range(1 << exp_bits):
        for m in range(1 << man_bits):
            out.append(math.ldexp(m + (1 << man_bits if e else 0), max(e, 1) - bias - man_bits))
    return [x for x in out if x <= largest]


def hif8():
    out = [0.0] + [2.0 ** e for e in range(-22, -15)]
    for e in range(-15, 16):
        bits = 3 if abs(e) < 4 else 2 if abs(e) < 8 else 1
        out += [math.ldexp(1 + m / (1 << bits), e) for m in range(1 << bits)]
    return [x for x in out if x <= 32768]


NUMBERS = {
    "half": minifloat(5, 10, 15, 65504.0), "int8": [float(i) for i in range(128)],
    "fp8_e4m3": minifloat(4, 3, 7, 448.0), "fp8_e5m2": minifloat(5, 2, 15, 57344.0), "hif8": hif8(),
    "fp4_e2m1": minifloat(2, 1, 1, 6.0), "fp4_e1m2": minifloat(1, 2, 1, 1.75),
}


def nearest(dtype, x):
    if dtype == "bf16":
        m, e = math.frexp(x)
        return math.ldexp(round(m * 256), e - 8)
    numbers, size, low = NUMBERS[dtype], abs(x), 0
    high = len(numbers)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if numbers[middle] <= size else (low, middle)
    if high < len(numbers):
        below, above = size - numbers[low], numbers[high] - size
        if above < below or (above == below and (dtype == "hif8" or low % 2)):
            low = high
    return math.copysign(numbers[low], x)


def quantised(dtype, lines):
    """Lines run along K. @return them as the product of stored values and scales."""
    if dtype.startswith("mx_"):
        element = dtype[3:]
        emax = math.frexp(NUMBERS[element][-1])[1] - 1
        out = []
        for line in lines:
            row = []
            for k in range(0, K, 32):
                block = line[k:k + 32]
                most = max(abs(x) for x in block)
                scale = 2.0 ** (math.frexp(most)[1] - 1 - emax) if most else 1.0
                row += [nearest(element, x / scale) * scale for x in block]
            out.append(row)
        return out
    if dtype in ("half", "bf16"):
        return [[nearest(dtype, x) for x in line] for line in lines]
    top = 15 if dtype == "hif8" else NUMBERS[dtype][-1]
    factor = f32(max(abs(x) for line in lines for x in line) / top)
    return [[nearest(dtype, f32(x / factor)) * factor for x in line] for line in lines]


def data():
    rng = random.Random(7)
    a = [[f32(rng.gauss(0, 1) * 2.0 ** rng.randint(-6, 3)) for _ in range(K)] for _ in range(M)]
    b = [[f32(rng.uniform(-1, 1)) for _ in range(N)] for _ in range(K)]
    a[3] = [0.0] * K  # blocks of zeros
    return a, b


def make(work):
    a, b = data()
    for name, rows in (("a", a), ("b", b)):
        with open(os.path.join(work, name + ".f32"), "wb") as f:
            for row in rows:
                f.write(struct.pack("<%df" % len(row), *row))
    with open(os.path.join(work, "inputs.yaml"), "w") as f:
        f.write("name: inputs\ntarget: ascend950pr_9589\nverify: full\nproblem:\n  M: %d\n  N: %d\n  K: %d\n" % (M, N, K))
        f.write("  dtype: half\n  C: {dtype: float}\n  inputs: {A: {file: a.f32}, B: {file: b.f32}}\n")
        f.write("tiling: {baseM: [16, 32], baseN: 32, baseK: 64}\nvariants:\n")
        for i, (name, dtype, c) in enumerate(VARIANTS[1:]):
            f.write("- {name: %s, set: {dtype: %s, C.dtype: %s, B.transpose: %s}}\n"
                    % (name, dtype, c, "true" if i % 2 else "false"))


def product(a, columns):
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def figures(dtype):
    a, b = data()
    columns = [list(c) for c in zip(*b)]
    exact = [x for row in product(a, columns) for x in row]
    c = [x for row in product(quantised(dtype, a), quantised(dtype, columns)) for x in row]
    error2 = math.fsum((x - y) ** 2 for x, y in zip(c, exact))
    exact2, c2 = math.fsum(x * x for x in exact), math.fsum(x * x for x in c)
    cross = math.fsum(x * y for x, y in zip(c, exact))
    return {"max_abs": max(abs(x - y) for x, y in zip(c, exact)), "rms": math.sqrt(error2 / (M * N)),
            "rel_rms": math.sqrt(error2 / exact2), "cosine": cross / math.sqrt(c2 * exact2)}


def check(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    assert [r["variant"] for r in rows] == [v[0] for v in VARIANTS], rows
    for row, (_, dtype, c) in zip(rows, VARIANTS):
        assert row["dtypes"] == "%s*%s->%s" % (dtype, dtype, c), row
        assert row["shape"] == "%dx%dx%d" % (M, N, K) and row["elements"] == row["total"] == str(M * N), row
        for name, want in figures(dtype).items():
            got = float(row[name])
            assert abs(got - want) <= (1e-7 if name == "cosine" else 2e-3 * want), (row, name, want)
    print("%d rows agree" % len(rows))


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(sys.argv[3])
