// data.js: the columns of the page. interactive/column.go describes the form.
(() => {
  function column(head, bytes, at) {
    const n = head.length, out = new Float64Array(n);
    if (head.double) {
      const raw = new Uint8Array(out.buffer);
      for (let k = 0; k < 8; k++) for (let i = 0; i < n; i++) raw[8 * i + k] = bytes[at + k * n + i];
      return out;
    }
    for (let k = 0, power = 1; k < head.width; k++, power *= 256) {
      for (let i = 0; i < n; i++) out[i] += bytes[at + k * n + i] * power;
    }
    const base = head.base || 0;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const v = out[i] === 0 ? NaN : out[i] - 1 + base;
      out[i] = head.delta ? (sum += v) : v;
    }
    return out;
  }

  // bind gives axes and lanes the arrays of their columns; count says how many buckets an axis has.
  A.bind = model => {
    const get = k => k < 0 ? null : model.columns[k];
    for (const a of model.axes) {
      [a.starts, a.ends, a.counts] = [get(a.start), get(a.end), get(a.rows)];
      if (a.count === undefined) a.count = a.starts ? a.starts.length : 0;
    }
    for (const l of model.lanes) {
      l.of = model.axes[l.axis];
      l.least = get(l.min);
      l.most = get(l.max) || l.least; // one sample each
      l.sums = get(l.sum) || l.least;
      l.present = get(l.count);
      for (const s of l.steps) s.arrays = (s.columns || []).map(get);
    }
    return model;
  };

  // parse reads what was unpacked: the head as JSON behind its length, then the columns.
  A.parse = buffer => {
    const bytes = new Uint8Array(buffer);
    const length = new DataView(buffer).getUint32(0, true);
    const model = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    let at = 4 + length;
    model.columns = (model.columns || []).map(head => {
      const out = column(head, bytes, at);
      at += head.length * head.width;
      return out;
    });
    model.bands = model.bands || [];
    model.notes = model.notes || [];
    return A.bind(model);
  };

  A.load = async text => {
    const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return A.parse(await new Response(stream).arrayBuffer());
  };

  // find is the first bucket that starts at t or later.
  A.find = (axis, t) => {
    let lo = 0, hi = axis.count;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if (axis.starts[mid] < t) lo = mid + 1; else hi = mid;
    }
    return lo;
  };

  // snap widens a stretch of time to whole buckets [i, j). Buckets that start at one time stay together, as in a slice.
  A.snap = (axis, from, to) => {
    if (axis.count === 0) return [0, 0];
    let i = A.find(axis, from);
    if (i > 0 && (i === axis.count || axis.starts[i] > from) && axis.ends[i - 1] > from) i = A.find(axis, axis.starts[i - 1]);
    return [i, Math.max(i, A.find(axis, to))];
  };
})();
