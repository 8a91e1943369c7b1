// statistics.js: what a lane is over buckets [i, j). It gives what a slice of these samples gives.
(() => {
  // add sums the present values of a column, NaN where there is none.
  const add = (v, i, j) => {
    let sum = 0, some = false;
    for (; i < j; i++) if (v[i] === v[i]) { sum += v[i]; some = true; }
    return some ? sum : NaN;
  };
  const pick = (v, i, j, better) => {
    let out = NaN;
    for (; i < j; i++) if (v[i] === v[i] && !(out === out && !better(v[i], out))) out = v[i];
    return out;
  };
  const orZero = v => v === v ? v : 0;

  const reductions = {
    sum: (c, i, j) => add(c[0], i, j),
    first: (c, i, j) => pick(c[0], i, j, () => false),
    least: (c, i, j) => pick(c[0], i, j, (a, b) => a < b),
    most: (c, i, j) => pick(c[0], i, j, (a, b) => a > b),
    mean: (c, i, j) => {
      const time = add(c[1], i, j);
      return time > 0 ? add(c[0], i, j) / time : add(c[2], i, j) / add(c[3], i, j);
    },
    std: (c, i, j) => { // Chan's way of joining parts
      let n = 0, mean = 0, m2 = 0;
      for (; i < j; i++) {
        const k = c[0][i];
        if (!(k > 0)) continue;
        const d = c[1][i] / k - mean;
        m2 += c[2][i] + d * d * n * k / (n + k);
        mean += d * k / (n + k);
        n += k;
      }
      return n === 0 ? NaN : n === 1 ? 0 : Math.sqrt(m2 / (n - 1));
    },
    turns: (c, i, j) => {
      if (!(add(c[0], i, j) > 0)) return add(c[1], i, j);
      let out = 0, some = false;
      for (let k = 2; k < c.length; k += 3) {
        const sum = add(c[k], i, j), enabled = orZero(add(c[k + 1], i, j)), counted = orZero(add(c[k + 2], i, j));
        const v = !(enabled > counted) ? sum : counted === 0 ? NaN : sum * (enabled / counted);
        if (v === v) { out += v; some = true; } else if (enabled > 0) { out = NaN; }
      }
      return some ? out : NaN;
    },
  };

  const truth = (a, b, f) => a !== a || b !== b ? NaN : f ? 1 : 0;
  const byZero = (a, zero) => zero && a === a ? 0 : NaN;
  const even = v => { const r = Math.round(v); return Math.abs(v % 1) === 0.5 && r % 2 !== 0 ? r - 1 : r; };
  function rounded(v, d) {
    if (d !== d) return d;
    const p = Math.pow(10, Math.trunc(d)), r = even(v * p) / p;
    return Number.isFinite(r) ? r : v;
  }

  // exact does the operations on whole numbers, which stay exact between them as BigInt.
  function exact(op, x, y, zero) {
    const nan = v => typeof v === "number" && v !== v;
    if (nan(x) || nan(y)) return NaN;
    const whole = v => typeof v === "bigint" ? v : Number.isInteger(v) ? BigInt(v) : null;
    const cut = v => typeof v === "bigint" ? v : BigInt(Math.trunc(v));
    if (!Number.isFinite(Number(x)) || !Number.isFinite(Number(y))) return NaN;
    let a = whole(x), b = whole(y);
    if ("+-*".includes(op) || op === "min" || op === "max") {
      if (a === null || b === null) { // of fractions it is an operation on doubles
        const [p, q] = [Number(x), Number(y)];
        const v = Math.trunc({ "+": p + q, "-": p - q, "*": p * q, "min": Math.min(p, q), "max": Math.max(p, q) }[op]);
        return v < 0 ? NaN : v;
      }
      const v = { "+": () => a + b, "-": () => a - b, "*": () => a * b, "min": () => a < b ? a : b, "max": () => a > b ? a : b }[op]();
      return v < 0n ? NaN : v;
    }
    [a, b] = [cut(x), cut(y)];
    const bits = v => BigInt.asUintN(64, v);
    switch (op) {
      case "/": return b === 0n ? byZero(0, zero) : a / b < 0n ? NaN : a / b;
      case "<": return a < b ? 1 : 0;
      case "<=": return a <= b ? 1 : 0;
      case ">": return a > b ? 1 : 0;
      case ">=": return a >= b ? 1 : 0;
    }
    if (a < 0n || b < 0n) return NaN;
    switch (op) {
      case "&": return bits(a) & bits(b);
      case "|": return bits(a) | bits(b);
      case "<<": return b > 63n ? 0 : bits(a << b);
      case ">>": return b > 63n ? 0 : bits(a) >> b;
    }
    return NaN;
  }

  const operations = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b,
    "/": (a, b, c, z) => b === 0 ? byZero(a, z) : a / b,
    "//": (a, b, c, z) => b === 0 ? byZero(a, z) : Math.floor(a / b),
    "%": (a, b, c, z) => { if (b === 0) return byZero(a, z); const m = a % b; return m !== 0 && (m < 0) !== (b < 0) ? m + b : m; },
    neg: a => -a, abs: a => Math.abs(a), trunc: a => Math.trunc(a), round: rounded,
    min: (a, b) => Math.min(a, b), max: (a, b) => Math.max(a, b),
    noise: (a, b) => b !== b ? NaN : Math.max(a, 0),
    clamp: (a, b, c) => b !== b || c !== c ? NaN : a < b ? b : a > c ? c : a,
    fill: (a, b) => a !== a ? b : a,
    if: (a, b, c) => a !== a ? NaN : a !== 0 ? b : c,
    not: a => truth(a, 0, a === 0),
    and: (a, b) => truth(a, b, a !== 0 && b !== 0), or: (a, b) => truth(a, b, a !== 0 || b !== 0),
    "<": (a, b) => truth(a, b, a < b), "<=": (a, b) => truth(a, b, a <= b), ">": (a, b) => truth(a, b, a > b),
    ">=": (a, b) => truth(a, b, a >= b), "==": (a, b) => truth(a, b, a === b), "!=": (a, b) => truth(a, b, a !== b),
  };

  // total is the counter over the stretch: the sum of a count, the mean of a level, the formula on the totals of what it reads.
  A.total = (lane, i, j) => {
    if (!lane.steps.length || lane.noTotal || i >= j) return NaN;
    const out = [];
    for (const s of lane.steps) {
      const args = (s.args || []).map(k => out[k]);
      if (s.op === "number") out.push(Number(s.value === undefined ? 0 : s.value));
      else if (reductions[s.op]) out.push(reductions[s.op](s.arrays, i, j));
      else if (s.op[0] === "u" && s.op.length > 1) out.push(exact(s.op.slice(1), args[0], args[1], s.zero));
      else out.push(operations[s.op](...[0, 1, 2].map(k => k < args.length ? Number(args[k]) : 0), s.zero));
    }
    return Number(out[out.length - 1]);
  };

  // statistics of the samples in the stretch. Sum and mean are of the samples as they are, as Counter.sum and Counter.mean.
  A.statistics = (lane, i, j) => {
    let n = 0, samples = 0;
    for (let k = i; k < j; k++) {
      n += lane.present ? orZero(lane.present[k]) : lane.least[k] === lane.least[k] ? 1 : 0;
      samples += lane.of.counts ? lane.of.counts[k] : 1;
    }
    const sum = add(lane.sums, i, j);
    return {
      samples, n, sum, mean: n ? sum / n : NaN, total: A.total(lane, i, j),
      min: reductions.least([lane.least], i, j), max: reductions.most([lane.most], i, j),
    };
  };

  // select is the sample that has k others before it in the order of values, where value i stands for weights[i] samples. It reorders both.
  function select(values, weights, k) {
    let lo = 0, hi = values.length - 1;
    while (lo < hi) {
      const a = values[lo], b = values[(lo + hi) >> 1], c = values[hi];
      const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
      let i = lo, j = hi;
      while (i <= j) {
        while (values[i] < pivot) i++;
        while (values[j] > pivot) j--;
        if (i <= j) {
          [values[i], values[j]] = [values[j], values[i]];
          [weights[i], weights[j]] = [weights[j], weights[i]];
          i++;
          j--;
        }
      }
      let left = 0, middle = 0;
      for (let x = lo; x <= j; x++) left += weights[x];
      for (let x = j + 1; x < i; x++) middle += weights[x];
      if (k < left) hi = j;
      else if (k < left + middle) return pivot;
      else { k -= left + middle; lo = i; }
    }
    return values[lo];
  }

  // quantiles are between two bounds: those of samples that are all the least, or all the greatest, of their bucket.
  A.quantiles = (lane, i, j, ps) => {
    const bounds = column => {
      const values = new Float64Array(j - i), weights = new Float64Array(j - i);
      let n = 0, samples = 0;
      for (let k = i; k < j; k++) {
        if (column[k] !== column[k]) continue;
        values[n] = column[k];
        samples += weights[n++] = lane.present ? lane.present[k] : 1;
      }
      const [v, w] = [values.subarray(0, n), weights.subarray(0, n)];
      return ps.map(p => {
        if (!n) return NaN;
        const at = p * (samples - 1), below = Math.floor(at), x = select(v, w, below);
        return at === below ? x : x + (at - below) * (select(v, w, below + 1) - x);
      });
    };
    const lo = bounds(lane.least), hi = lane.most === lane.least ? lo : bounds(lane.most);
    return ps.map((p, k) => ({ value: (lo[k] + hi[k]) / 2, error: (hi[k] - lo[k]) / 2 }));
  };
})();
