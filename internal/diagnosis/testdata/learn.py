"""How well a program that learns tells what limits, from the same captures that the reports judge.

    go run ./internal/diagnosis/cmd/planted --simulated --families cpu-fourth --kinds archetype,single,random --cases 2000 --first 90001 --values cpu.jsonl
    python3 internal/diagnosis/testdata/learn.py cpu.jsonl            # learns from three quarters of a model, and tells the rest
    python3 internal/diagnosis/testdata/learn.py cpu.jsonl --of third.jsonl,second.jsonl   # learns from other models

The first tells how much the counters say to who has seen thousands of programs of that very model, and the second what is
learned from other models of the same hardware. It needs scikit-learn, and is no test: docs/diagnosis-limits.md has what it said.
"""

import argparse
import json

import numpy
from sklearn.ensemble import ExtraTreesClassifier

SHARE = 0.03  # of the cases: values that fewer have are left out
SIZES = [200, 800, 3200, None]  # cases to learn from; None for all


def read(paths):
    rows = [json.loads(line) for path in paths for line in open(path)]
    return [r for r in rows if not r["healthy"]]


def table(rows, names):
    out = numpy.full((len(rows), len(names)), -1, dtype=numpy.float32)
    at = {n: i for i, n in enumerate(names)}
    for i, r in enumerate(rows):
        for name, value in r["values"].items():
            if name in at:
                out[i, at[name]] = min(max(value, -1e30), 1e30)
    return out


def names_of(rows):
    count = {}
    for r in rows:
        for name in r["values"]:
            count[name] = count.get(name, 0) + 1
    return sorted(n for n, k in count.items() if k >= SHARE * len(rows))


def learned(rows):
    names = names_of(rows)
    trees = ExtraTreesClassifier(n_estimators=400, max_features=0.3, min_samples_leaf=2, n_jobs=-1, random_state=1)
    trees.fit(table(rows, names), [r["limiter"] for r in rows])
    return lambda cases: trees.predict(table(cases, names))


def right(told, cases):
    hits = [a == r["limiter"] for a, r in zip(told, cases)]
    return "%.0f %% of %d" % (100 * sum(hits) / len(hits), len(hits))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the values of a model")
    parser.add_argument("--of", default="", help="those of other models to learn from, separated by commas")
    args = parser.parse_args()
    rows = read([args.file])
    others = read(args.of.split(",")) if args.of else []
    test = [r for r in rows if others or r["seed"] % 4 == 0]
    # Where a capture cannot show the limiter, the right answer is what to record, which has no name here.
    test = [r for r in test if r["kind"] == "archetype" and r["shown"]]
    print("the report: %.0f %% of %d" % (100 * sum(r["right"] for r in test) / len(test), len(test)))
    if others:
        print("learned from %d cases of other models: %s" % (len(others), right(learned(others)(test), test)))
        return
    rest = [r for r in rows if r["seed"] % 4]
    order = numpy.random.RandomState(0).permutation(len(rest))
    for size in SIZES:
        if size is None or size < len(rest):
            print("learned from %d cases: %s" % (size or len(rest), right(learned([rest[i] for i in order[:size]])(test), test)))


if __name__ == "__main__":
    main()
