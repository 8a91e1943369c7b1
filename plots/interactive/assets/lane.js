// lane.js: one counter over time. uPlot keeps the scales and draws the axes; what lies between them is drawn here, because a bucket has a least and a
// greatest value and holds over a stretch of time.
(() => {
  A.GUTTER = () => window.innerWidth < 600 ? 52 : 78; // room for the values of an axis

  A.element = (name, className, text) => {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const element = A.element;

  A.button = (label, text, run) => {
    const b = element("button", "", text);
    b.type = "button";
    b.setAttribute("aria-label", label);
    b.title = label;
    b.addEventListener("click", run);
    return b;
  };

  // colour is a colour of the page as it is now, light or dark.
  const kept = new Map();
  A.colour = name => {
    if (!kept.has(name)) kept.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
    return kept.get(name);
  };
  A.forgetColours = () => kept.clear();

  // columns reduces the buckets in view to the least and greatest value of every column of pixels, and what their mean is made of. NaN is a column
  // without a value.
  A.columns = (lane, from, to, width, into) => {
    const { starts, ends, count: buckets } = lane.of, { least, most, sums, present } = lane;
    const lo = into && into.lo.length === width ? into.lo : new Float64Array(width);
    const hi = into && into.hi.length === width ? into.hi : new Float64Array(width);
    const sum = into && into.lo.length === width ? into.sum : new Float64Array(width);
    const n = into && into.lo.length === width ? into.n : new Float64Array(width);
    lo.fill(NaN);
    hi.fill(NaN);
    sum.fill(0);
    n.fill(0);
    const k = width / (to - from);
    let i = A.find(lane.of, from);
    while (i > 0 && ends[i - 1] > from) i--;
    // Most buckets end in the column that they begin in: those of one column are gathered here, and put into it when the next begins.
    let x = -1, edge = -Infinity, a = NaN, b = NaN, total = 0, count = 0;
    const put = () => {
      if (!count) return;
      if (!(lo[x] <= a)) lo[x] = a;
      if (!(hi[x] >= b)) hi[x] = b;
      sum[x] += total;
      n[x] += count;
      a = b = NaN;
      total = count = 0;
    };
    for (; i < buckets && starts[i] < to; i++) {
      const low = least[i], high = most[i], start = starts[i], end = ends[i];
      if (low !== low || end < from) continue;
      if (!(start < edge) || x < 0) {
        put();
        x = Math.max(0, Math.floor((start - from) * k));
        edge = from + (x + 1) / k;
      }
      const samples = present ? present[i] : 1;
      if (end <= edge && start >= from) {
        if (!(a <= low)) a = low;
        if (!(b >= high)) b = high;
        total += sums[i];
        count += samples;
        continue;
      }
      put();
      const first = Math.max(0, Math.floor((start - from) * k)), last = Math.min(width - 1, Math.max(first, Math.ceil((end - from) * k) - 1));
      for (let c = first; c <= last; c++) {
        if (!(lo[c] <= low)) lo[c] = low;
        if (!(hi[c] >= high)) hi[c] = high;
        sum[c] += sums[i];
        n[c] += samples;
      }
      x = last;
      edge = from + (x + 1) / k;
    }
    put();
    return { lo, hi, sum, n, from, to };
  };

  // axis chooses the ends of the value axis for what is in view.
  function ends(drawn) {
    let lo = Infinity, hi = -Infinity;
    for (let x = 0; x < drawn.lo.length; x++) {
      if (drawn.lo[x] < lo && Number.isFinite(drawn.lo[x])) lo = drawn.lo[x];
      if (drawn.hi[x] > hi && Number.isFinite(drawn.hi[x])) hi = drawn.hi[x];
    }
    if (lo > hi) return [0, 1];
    if (lo === hi) return lo === 0 ? [0, 1] : lo > 0 ? [0, lo * 1.25] : [lo * 1.25, 0];
    const room = (hi - lo) * 0.08;
    if (lo >= 0 && lo < 0.5 * hi) return [0, hi + room];
    return [lo - room, hi + room];
  }

  class Lane {
    constructor(view, data, index) {
      Object.assign(this, { view, data, index });
      this.root = element("li", "lane");
      const head = element("div", "lane-head");
      const name = element("bdi", "lane-name", data.name);
      if (data.doc) name.title = data.doc;
      this.value = element("span", "lane-value");
      const tools = element("span", "lane-tools");
      tools.append(
        A.button("Move " + data.name + " up", "↑", () => view.move(this, -1)),
        A.button("Move " + data.name + " down", "↓", () => view.move(this, 1)),
        A.button("Hide " + data.name, "×", () => view.show(this, false)));
      head.append(name, element("span", "lane-unit", data.unit.symbol), this.value, tools);
      this.box = element("div", "lane-box");
      this.box.setAttribute("role", "img");
      this.root.append(head, this.box);
    }

    // open makes the chart, when the lane comes into sight for the first time.
    open() {
      if (this.plot) return;
      const ink = () => A.colour("muted"), grid = { stroke: () => A.colour("grid"), width: 1 };
      this.plot = new uPlot({
        width: this.width(), height: this.view.height,
        scales: { x: { time: false, auto: false }, y: { auto: false } },
        series: [{}, { paths: () => null, points: { show: false } }],
        legend: { show: false }, padding: [6, 0, 2, 0],
        cursor: { y: false, points: { show: false }, drag: { setScale: false, x: false, y: false }, bind: { mousemove: () => null, mousedown: () => null, mouseup: () => null, dblclick: () => null, click: () => null } },
        axes: [{ size: 0, grid, ticks: { show: false }, values: (u, splits) => splits.map(() => "") },
          { size: A.GUTTER(), stroke: ink, grid, ticks: { show: false }, font: "11px sans-serif", space: 22, gap: 4,
            values: (u, splits) => splits.map(v => A.quantity(v, this.data.unit, 3)) }],
        hooks: { drawClear: [u => A.shade(this.view, u)], draw: [u => this.paint(u)] },
      }, [[this.view.from, this.view.to], [null, null]], this.box);
      this.update();
    }

    width() { return Math.max(160, this.box.clientWidth); }

    resize() { if (this.plot) this.plot.setSize({ width: this.width(), height: this.view.height }); }

    // update shows the stretch of time that the view has.
    update() {
      if (!this.plot) return;
      const u = this.plot, { from, to } = this.view;
      this.drawn = A.columns(this.data, from, to, Math.max(1, Math.round(u.bbox.width)), this.drawn);
      const [min, max] = ends(this.drawn);
      u.batch(() => {
        u.setScale("x", { min: from, max: to });
        u.setScale("y", { min, max });
      });
    }

    // paint fills every column from its least to its greatest value, with their mean on top where these differ. A line joins neighbours, in a
    // lighter tone: it is no value.
    paint(u) {
      const { ctx, bbox } = u, drawn = this.drawn;
      if (!drawn || drawn.lo.length !== Math.max(1, Math.round(bbox.width))) return;
      const { min, max } = u.scales.y, k = bbox.height / (max - min), bottom = bbox.top + bbox.height;
      const y = v => Math.max(bbox.top, Math.min(bottom, bottom - (v - min) * k));
      const thick = Math.max(1, Math.round(1.4 * devicePixelRatio));
      const colour = A.colour("s" + this.index % 7);
      const { lo, hi } = drawn;
      ctx.save();
      ctx.fillStyle = colour;
      ctx.globalAlpha = 0.35;
      ctx.beginPath();
      for (let x = 1; x < lo.length; x++) {
        if (hi[x - 1] < lo[x]) ctx.rect(bbox.left + x, y(lo[x]), 1, y(hi[x - 1]) - y(lo[x]));
        else if (hi[x] < lo[x - 1]) ctx.rect(bbox.left + x, y(lo[x - 1]), 1, y(hi[x]) - y(lo[x - 1]));
      }
      ctx.fill();
      ctx.globalAlpha = 0.55;
      ctx.beginPath();
      for (let x = 0; x < lo.length; x++) if (hi[x] > lo[x]) ctx.rect(bbox.left + x, y(hi[x]), 1, y(lo[x]) - y(hi[x]));
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.beginPath();
      for (let x = 0; x < lo.length; x++) {
        if (lo[x] === lo[x]) ctx.rect(bbox.left + x, y(drawn.sum[x] / drawn.n[x]) - thick / 2, 1, thick);
      }
      ctx.fill();
      if (this.data.why && this.data.of.count) {
        ctx.fillStyle = A.colour("muted");
        ctx.font = 12 * devicePixelRatio + "px sans-serif";
        ctx.fillText("no data: " + this.data.why, bbox.left + 8, bbox.top + bbox.height / 2, bbox.width - 16);
      }
      ctx.restore();
    }

    // at says what the lane is at a time.
    at(t) {
      const axis = this.data.of;
      let i = A.find(axis, t);
      if (i === axis.count || axis.starts[i] > t) i--;
      if (i < 0 || axis.ends[i] < t) return "no sample";
      const lo = this.data.least[i], hi = this.data.most[i];
      if (lo !== lo) return "missing";
      if (lo === hi) return A.quantity(lo, this.data.unit);
      return A.quantity(lo, this.data.unit) + " to " + A.quantity(hi, this.data.unit);
    }

    // point moves the cursor to a time, or away (null).
    point(t) {
      if (this.plot) {
        const left = t === null ? -10 : this.plot.valToPos(t, "x");
        this.plot.setCursor({ left, top: t === null ? -10 : 1 }, false);
      }
      this.value.textContent = t === null ? "" : this.at(t);
    }
  }
  A.Lane = Lane;
})();
