#!/usr/bin/env python3
"""The work of astrolabe's benchmarks, done with numpy, pandas and matplotlib.

    peers.py formulas FILE ROWS     evaluate the formulas in FILE (one Streamline expression a line) with numpy
    peers.py means FILE FORMULAS    read a native file with pyarrow, average every formula over all samples with numpy
    peers.py csv FILE               read a wide CSV with pandas
    peers.py timeline OUT.png ROWS  draw a six-panel timeline of noise with matplotlib
    peers.py recording FILE         read a native recording with pyarrow, add up every column; print how even its intervals are
    peers.py ticks                  the same of what `perf script -F cpu,time` prints, from standard input
    peers.py guide CSV GPU          print the formulas of a GPU in testdata/guides/mali_formulas.csv, one a line
    peers.py turns N COMMAND...     run shell commands in turns, N times each, and print medians of the whole processes:
                                    wall and processor time, memory, and the ratios of the others to the first

The first four print the seconds of the work alone.
"""

import re
import sys
import time


def formulas(path, rows):
    import numpy as np

    text = [line.strip() for line in open(path) if line.strip()]
    names = sorted({n for line in text for n in re.findall(r"\$[A-Za-z0-9_]+", line)})
    rng = np.random.default_rng(1)
    env = {n[1:]: rng.integers(1, 5_000_000, rows).astype(float) for n in names}
    env["max"] = lambda *a: np.maximum(*a)
    env["min"] = lambda *a: np.minimum(*a)
    code = [compile(line.replace("$", ""), line, "eval") for line in text]
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        out = [eval(c, {"__builtins__": {}}, env) for c in code]
    print(f"numpy: {len(out)} formulas x {rows} rows in {time.perf_counter() - start:.3f} s")


def means(path, formulas_path):
    import numpy as np
    import pyarrow as pa

    start = time.perf_counter()
    table = pa.ipc.open_file(pa.memory_map(path)).read_all()
    text = [line.strip() for line in open(formulas_path) if line.strip()]
    names = sorted({n for line in text for n in re.findall(r"\$([A-Za-z0-9_]+)", line)})
    env = {n: table[n].to_numpy().astype(float) for n in names}
    env["max"] = lambda *a: np.maximum(*a)
    env["min"] = lambda *a: np.minimum(*a)
    with np.errstate(all="ignore"):
        out = [np.mean(eval(line.replace("$", ""), {"__builtins__": {}}, env)) for line in text]
    print(f"numpy: {len(out)} means x {table.num_rows} rows in {time.perf_counter() - start:.3f} s")


def csv(path):
    import pandas

    start = time.perf_counter()
    frame = pandas.read_csv(path)
    print(f"pandas: {frame.shape[0]} x {frame.shape[1]} in {time.perf_counter() - start:.3f} s")


def spread(name, ms):
    import numpy as np

    p50, p99 = np.percentile(ms, [50, 99])
    lost = int(sum(np.rint(ms / p50) - 1))
    print(f"{name}: {len(ms)} intervals of {p50:.3f} ms, p99 {p99:.3f} ms, longest {max(ms):.2f} ms, {lost} without a sample")


def recording(path):
    import pyarrow as pa
    import pyarrow.compute as pc

    start = time.perf_counter()
    table = pa.ipc.open_file(pa.memory_map(path)).read_all()
    opened = time.perf_counter()
    for name in table.column_names:
        if pa.types.is_floating(table[name].type) or pa.types.is_integer(table[name].type):
            pc.sum(table[name])
    print(f"pyarrow: open {opened - start:.3f} s, sums of {table.num_columns} columns {time.perf_counter() - opened:.3f} s")
    spread(path, (table["end"].to_numpy() - table["start"].to_numpy()) / 1e6)


def ticks():
    import numpy as np

    last, ms = {}, []
    for line in sys.stdin:
        cpu, at = line.split()[:2]
        at = float(at.rstrip(":")) * 1e3
        if cpu in last:
            ms.append(at - last[cpu])
        last[cpu] = at
    spread("perf record", np.array(ms))


def timeline(path, rows):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    rng = np.random.default_rng(1)
    x = np.arange(rows) * 1e-3
    series = [rng.random(rows) for _ in range(6)]
    start = time.perf_counter()
    fig, axes = plt.subplots(6, 1, sharex=True, figsize=(1600 / 96, 1200 / 96), dpi=96)
    for ax, y in zip(axes, series):
        ax.plot(x, y, linewidth=1)
    fig.savefig(path)
    print(f"matplotlib: 6 panels x {rows} rows in {time.perf_counter() - start:.3f} s")


def guide(path, gpu):
    import csv

    for row in csv.DictReader(open(path)):
        if row["gpu"] == gpu:
            print(" ".join(row["formula"].split()))


def turns(times, commands):
    import os
    import statistics
    import subprocess

    runs = [[] for _ in commands]
    for _ in range(times):
        for command, list_ in zip(commands, runs):
            start = time.perf_counter()
            child = subprocess.Popen(["sh", "-c", "exec " + command], stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                sys.exit(f"{command}: exit status {child.returncode}")
            list_.append((time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
    first = None
    for command, list_ in zip(commands, runs):
        wall, cpu, memory = (statistics.median(v) for v in zip(*list_))
        first = first or (wall, cpu)
        print(f"{wall:8.3f} s  {cpu:8.3f} s processor  {memory:6.0f} MiB  x{wall / first[0]:.2f} x{cpu / first[1]:.2f}  {command}")


if __name__ == "__main__":
    what, args = sys.argv[1], sys.argv[2:]
    if what == "formulas":
        formulas(args[0], int(args[1]))
    elif what == "means":
        means(args[0], args[1])
    elif what == "csv":
        csv(args[0])
    elif what == "recording":
        recording(args[0])
    elif what == "ticks":
        ticks()
    elif what == "guide":
        guide(args[0], args[1])
    elif what == "turns":
        turns(int(args[0]), args[1:])
    else:
        timeline(args[0], int(args[1]))
