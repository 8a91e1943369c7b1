// range.js: what every lane is over the selection, or over the window where nothing is selected.
(() => {
  const named = { delta: "sum", gauge: "mean over time", constant: "constant", derived: "of the totals" };

  A.rangePanel = view => {
    const make = A.element, box = make("section", "range"), title = make("h3"), note = make("p", "sum");
    const copy = A.button("Copy as script", "Copy as script", () => {
      const text = script(view);
      source.textContent = text;
      shown.open = true;
      const done = ok => view.say(ok ? "the script is copied" : "the script is shown below: copy it from there");
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done(true), () => done(false)); else done(false);
    });
    copy.className = "copy-script";
    const clear = A.button("Clear the selection", "Clear", () => view.select(null));
    const zoom = A.button("Zoom to the selection", "Zoom to it", () => { if (view.selection) view.set(...view.selection); });
    const tools = make("p", "range-tools");
    tools.append(zoom, clear, copy);
    const wide = make("div", "wide"), table = make("table", "range-table");
    wide.tabIndex = 0;
    wide.setAttribute("role", "region");
    wide.setAttribute("aria-label", "Statistics of the stretch");
    const shown = make("details", "script"), source = make("code");
    const pre = make("pre");
    pre.append(source);
    shown.append(make("summary", "", "Script of this stretch"), pre);
    table.append(make("thead"), make("tbody"));
    wide.append(table);
    box.append(title, tools, wide, note, shown);
    view.root.append(box);

    const head = make("tr");
    for (const [name, help] of [["Lane", ""], ["Total", "of a count the sum, of a level the mean over time, of a metric its formula on the totals of what it reads: as total() of the slice"],
      ["Mean", "of the samples"], ["Sum", "of the samples"], ["Min", ""], ["Max", ""], ["p50", "approximate where buckets hold several samples"],
      ["p95", "approximate where buckets hold several samples"], ["Samples", "with a value, of all"]]) {
      const th = make("th", name === "Lane" ? "" : "n", name);
      th.scope = "col";
      if (help) th.title = help;
      head.append(th);
    }
    table.tHead.append(head);

    let pending = 0;
    const fill = () => {
      const [from, to] = view.selection || [view.from, view.to];
      title.textContent = (view.selection ? "Selection: " : "In view: ") + A.time(from, view.last) + " to " + A.time(to, view.last);
      zoom.hidden = clear.hidden = !view.selection;
      let approximate = false, some = false;
      table.tBodies[0].replaceChildren(...view.shown.map(lane => {
        const l = lane.data, [i, j] = A.snap(l.of, from, to), s = A.statistics(l, i, j);
        const tr = make("tr"), th = make("th");
        th.scope = "row";
        th.append(make("bdi", "", l.name));
        tr.append(th);
        const cell = (text, v, help) => {
          const td = make("td", "n", text);
          if (typeof v === "number") td.dataset.value = String(v);
          if (help) td.title = help;
          tr.append(td);
        };
        cell(l.noTotal ? "–" : A.quantity(s.total, l.unit), l.noTotal ? undefined : s.total, l.noTotal || named[l.kind]);
        cell(A.quantity(s.mean, l.unit), s.mean);
        cell(A.quantity(s.sum, l.unit), s.sum);
        cell(A.quantity(s.min, l.unit), s.min);
        cell(A.quantity(s.max, l.unit), s.max);
        for (const q of A.quantiles(l, i, j, [0.5, 0.95])) {
          approximate = approximate || q.error > 0;
          cell((q.error > 0 ? "≈ " : "") + A.quantity(q.value, l.unit) + (q.error > 0 ? " ± " + A.quantity(q.error, l.unit, 2) : ""), q.value);
        }
        cell(s.n === s.samples ? s.n.toLocaleString("en") : s.n.toLocaleString("en") + " of " + s.samples.toLocaleString("en"), s.n);
        some = some || l.of.counts !== null;
        tr.dataset.lane = l.name;
        return tr;
      }));
      note.textContent = (some ? "The stretch is widened to whole buckets of samples. Totals, means, sums and extremes are exact. " : "") +
        (approximate ? "Percentiles (≈) lie within ± of what is given." : "");
      if (view.sortRange) view.sortRange();
    };
    view.listeners.push(() => { clearTimeout(pending); pending = setTimeout(fill, 120); }); // when it has come to rest
    fill();
    view.sortRange = A.sortable(table, false);
  };

  // script is what gives the numbers of the stretch in a script.
  function script(view) {
    const [from, to] = view.selection || [view.from, view.to], out = [], seen = new Map();
    for (const lane of view.shown) {
      const l = lane.data, [i, j] = A.snap(l.of, from, to);
      if (!l.script || i >= j) continue;
      if (!seen.has(l.axis)) {
        // A recording goes on behind what the page has of it.
        const at = j < l.of.count ? l.of.starts[j] : view.model.fed ? l.of.ends[j - 1] : null, end = at === null ? "" : ', "' + at + 'ns"';
        seen.set(l.axis, true);
        out.push('part = cap.slice("' + l.of.starts[i] + 'ns"' + end + ")");
      }
      out.push("print(" + l.script + ".total(), " + l.script + ".mean())");
    }
    if (!out.length) {
      const end = Math.ceil(to);
      out.push('part = cap.slice("' + Math.floor(from) + 'ns", "' + end + 'ns")');
    }
    return out.join("\n");
  }
  A.script = script;
})();
