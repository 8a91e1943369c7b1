// tables.js: tables that sort by a click on a head, and filter where they are long.
(() => {
  const FILTERED = 8; // rows from which on a table can be filtered
  const factors = { p: 1e-12, n: 1e-9, "µ": 1e-6, u: 1e-6, m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };

  // key is what a cell sorts by: its number, in base units where a prefix stands before a unit, or its text.
  A.key = text => {
    const t = text.trim().replace(/[−]/g, "-").replace(/^[≈<>]\s*/, "");
    const m = /^([+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:([pnµumkKMGTPE])(i?)(?=s\b|B|b|Hz|W|J|V|A\b|FLOP|IOP|OP|\/| |$))?(.*)$/i.exec(t);
    if (!m) return t === "" || t === "–" || t === "missing" || t === "None" ? null : t.toLowerCase();
    const v = parseFloat(m[1].replace(/,/g, ""));
    if (!m[2]) return v;
    if (m[3]) return v * 1024 ** (1 + "KMGTPE".indexOf(m[2].toUpperCase()));
    return v * (factors[m[2]] || 1);
  };
  const order = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };

  // sortable lets the heads of a table sort it, and returns what sorts it again after its rows have changed.
  A.sortable = (table, filter) => {
    let column = -1, down = false;
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const natural = new Map([...body.rows].map((r, i) => [r, i]));
    const sort = () => {
      if (column < 0) return;
      const rows = [...body.rows], keys = new Map(rows.map(r => {
        const cell = r.cells[column];
        return [r, !cell ? null : cell.dataset.value !== undefined ? (Number.isNaN(+cell.dataset.value) ? null : +cell.dataset.value) : A.key(cell.innerText || cell.textContent)];
      }));
      rows.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        if (x === null || y === null) return (x === null) - (y === null); // missing ones last, whichever way
        return (down ? -1 : 1) * order(x, y);
      });
      body.append(...rows);
    };
    heads.forEach((th, i) => {
      const b = A.element("button", "sort");
      b.type = "button";
      b.append(...th.childNodes);
      th.append(b);
      b.addEventListener("click", () => {
        if (column === i && down && natural.has(body.rows[0])) { // a third click: the order of the page
          column = -1;
          body.append(...[...body.rows].sort((x, y) => natural.get(x) - natural.get(y)));
        } else {
          down = column === i ? !down : false;
          column = i;
          sort();
        }
        heads.forEach((h, k) => { if (k === column) h.setAttribute("aria-sort", down ? "descending" : "ascending"); else h.removeAttribute("aria-sort"); });
      });
    });
    if (filter && body.rows.length >= FILTERED) {
      const input = A.element("input", "filter"), count = A.element("span", "sum");
      input.type = "search";
      input.placeholder = "Filter rows";
      input.setAttribute("aria-label", "Filter rows" + (table.caption ? " of " + table.caption.textContent : ""));
      count.setAttribute("aria-live", "polite");
      input.addEventListener("input", () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
        let shown = 0;
        for (const r of body.rows) {
          const text = r.textContent.toLowerCase();
          r.hidden = !words.every(w => text.includes(w));
          if (!r.hidden) shown++;
        }
        count.textContent = words.length ? " " + shown + " of " + body.rows.length + " rows" : "";
      });
      const line = A.element("p", "filter-line");
      line.append(input, count);
      table.parentElement.before(line);
    }
    return sort;
  };

  A.tables = () => {
    for (const table of document.querySelectorAll("table")) {
      if (table.tHead && table.tBodies[0] && table.tBodies[0].rows.length > 1) A.sortable(table, true);
    }
  };
})();
