// feed.js: a page that is fed while something is measured. Whoever feeds it dispatches events on the document:
//   astrolabe:append {axis, start: [ns], end: [ns], rows: [n], columns: {"12": [values]}}  more buckets of an axis, for every column of its lanes; null is missing
//                    noTotal, why: {"3": text}                                          of lanes: why there are no totals from now on, and why nothing has a value ("": something has)
//   astrolabe:trim   {axis, before: ns}                                                   forget the buckets that end before that
//   astrolabe:bands  [{kind, label, start, end, severity, href}]                          what happened, in place of what was said before
(() => {
  const grown = (v, n) => {
    if (v.length >= n) return v;
    const out = new Float64Array(Math.max(1024, n, 2 * v.length));
    out.set(v);
    return out;
  };

  // columnsOf are the numbers of the columns of an axis: its own, and those of its lanes.
  const columnsOf = (model, axis) => {
    const out = new Set();
    for (const l of model.lanes) {
      if (l.axis !== axis) continue;
      for (const k of [l.min, l.max, l.sum, l.count, ...l.steps.flatMap(s => s.columns || [])]) if (k >= 0) out.add(k);
    }
    return out;
  };

  A.append = (model, { axis, start, end, rows, columns, noTotal, why }) => {
    const a = model.axes[axis], n = a.count, all = n + start.length;
    const put = (k, values) => {
      const v = model.columns[k] = grown(model.columns[k], all);
      for (let i = 0; i < start.length; i++) v[n + i] = values && values[i] !== null && values[i] !== undefined ? values[i] : NaN;
    };
    put(a.start, start);
    put(a.end, end);
    if (a.rows >= 0) put(a.rows, rows);
    for (const k of columnsOf(model, axis)) put(k, columns[k]);
    a.count = all;
    for (const k in noTotal) model.lanes[k].noTotal = noTotal[k];
    for (const k in why) model.lanes[k].why = why[k];
    A.bind(model);
  };

  A.trim = (model, { axis, before }) => {
    const a = model.axes[axis];
    let gone = 0;
    while (gone < a.count && a.ends[gone] < before) gone++;
    if (!gone) return;
    const own = [a.start, a.end, ...(a.rows >= 0 ? [a.rows] : []), ...columnsOf(model, axis)];
    for (const k of own) model.columns[k].copyWithin(0, gone, a.count);
    a.count -= gone;
  };

  A.feed = (view, model) => {
    const moved = () => {
      const length = view.to - view.from, all = view.from <= view.first && view.to >= view.last;
      const follow = view.follow;
      view.find();
      if (follow) view.set(all ? view.first : view.last - length, view.last); else view.changed();
    };
    document.addEventListener("astrolabe:append", e => { model.fed = true; A.append(model, e.detail); moved(); });
    document.addEventListener("astrolabe:trim", e => { A.trim(model, e.detail); moved(); });
    document.addEventListener("astrolabe:bands", e => { model.bands = e.detail; view.listBands(); view.changed(); });
  };
})();
