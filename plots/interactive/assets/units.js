// units.js: numbers and times as people read them.
(() => {
  const SI = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
  const IEC = [[2 ** 60, "Ei"], [2 ** 50, "Pi"], [2 ** 40, "Ti"], [2 ** 30, "Gi"], [2 ** 20, "Mi"], [2 ** 10, "Ki"], [1, ""]];
  const digits = (v, n) => String(parseFloat(v.toPrecision(n))).replace("-", "−");

  // quantity writes a value of a unit; one that is missing says so.
  A.quantity = (v, unit, n = 4) => {
    if (v === null || Number.isNaN(v)) return "missing";
    const behind = unit.class === "plain" ? (unit.symbol ? " " + unit.symbol : "") : unit.symbol;
    if (!Number.isFinite(v)) return (v < 0 ? "−∞ " : "∞ ") + unit.symbol;
    v *= unit.factor;
    const list = { plain: SI.slice(0, 7), si: SI, binary: IEC, fixed: [[1, ""]] }[unit.class];
    const [k, prefix] = list.find(p => Math.abs(v) >= p[0] * (1 - 1e-12)) || (v === 0 ? [1, ""] : list[list.length - 1]);
    const number = digits(v / k, n);
    return unit.class === "plain" ? number + prefix + behind : number + " " + prefix + behind;
  };

  // time writes ns in a unit that fits a span of time, with as many decimals as tell two points of it apart.
  A.time = (ns, span = Math.abs(ns)) => {
    const [k, name] = span >= 2e9 ? [1e9, "s"] : span >= 2e6 ? [1e6, "ms"] : span >= 2e3 ? [1e3, "µs"] : [1, "ns"];
    const decimals = k === 1 ? 0 : Math.max(0, Math.min(Math.log10(k), 3 + Math.floor(Math.log10(k)) - Math.floor(Math.log10(Math.max(span, 1)))));
    return (ns / k).toFixed(decimals).replace("-", "−") + " " + name;
  };
})();
