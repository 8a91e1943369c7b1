// Reads, from standard input, lines of JSON {data, appends: [event], before, ranges: [[from, to]]}, feeds the appends, forgets what ends before, and writes what the page's scripts say of every lane in every range.
const fs = require("fs"), vm = require("vm"), path = require("path"), zlib = require("zlib");
const assets = path.join(__dirname, "..", "assets"), A = {};
for (const name of ["units.js", "data.js", "statistics.js", "lane.js", "feed.js"]) {
  vm.runInNewContext(fs.readFileSync(path.join(assets, name), "utf8"), { A, TextDecoder, window: {}, document: {}, Float64Array, console });
}
for (const line of fs.readFileSync(0, "utf8").split("\n")) {
  if (!line) continue;
  const { data, appends, before, ranges, width } = JSON.parse(line);
  const bytes = zlib.inflateRawSync(Buffer.from(data, "base64"));
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const model = A.parse(buffer);
  for (const e of appends || []) A.append(model, e);
  if (before !== undefined) A.trim(model, { axis: 0, before });
  const clean = v => typeof v === "number" && !Number.isFinite(v) ? String(v) : v;
  const out = ranges.map(([from, to]) => model.lanes.map(lane => {
    const [i, j] = A.snap(lane.of, from, to), s = A.statistics(lane, i, j), [p] = A.quantiles(lane, i, j, [0.95]);
    const drawn = width ? A.columns(lane, from, to, width) : { lo: [], hi: [] };
    return {
      start: lane.of.starts[i], end: j < lane.of.count ? lane.of.starts[j] : null, noTotal: lane.noTotal || "",
      total: clean(s.total), sum: clean(s.sum), mean: clean(s.mean), min: clean(s.min), max: clean(s.max), n: s.n, p95: clean(p.value), error: clean(p.error),
      lo: [...drawn.lo].map(clean), hi: [...drawn.hi].map(clean),
    };
  }));
  console.log(JSON.stringify(out));
}
