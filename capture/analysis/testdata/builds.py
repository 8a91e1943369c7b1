"""Judges runs of builds by scipy and ruptures: reads what a test asks as JSON, prints what they say as JSON."""

import json
import sys

import numpy as np
import ruptures
import scipy.stats

asked = json.load(sys.stdin)
p = [scipy.stats.ttest_ind(r["before"], r["after"], equal_var=True).pvalue for r in asked["runs"]]
said = {"p": p, "q": list(scipy.stats.false_discovery_control(p, method="bh")), "clearest": [], "cuts": []}
for series in asked["series"]:
    best = (0, 0, 0)
    for i in range(len(series)):
        for j in range(i + 1, len(series) + 1):
            inside = [v for b in series[i:j] for v in b]
            outside = [v for b in series[:i] + series[j:] for v in b]
            if outside:
                z = abs(scipy.stats.ranksums(inside, outside).statistic)
                if z > best[0] * (1 + 1e-9):
                    best = (z, i, j)
    said["clearest"].append(best)
    flat = np.array([v for b in series for v in b])
    found = ruptures.Dynp(model="rank", jump=1, min_size=2).fit(flat.reshape(-1, 1)).predict(n_bkps=1)
    ends = np.cumsum([len(b) for b in series])
    said["cuts"].append(int(np.argmin(abs(ends - found[0]))) + 1)
print(json.dumps(said, default=float))
