// timeline.js: the lanes together: one window of time, one cursor, one selection.
(() => {
  const SHOWN = 12; // lanes that are shown at first; the others are one click away

  class View {
    constructor(model, root) {
      Object.assign(this, { model, root, listeners: [], cursor: null, selection: null, follow: true });
      this.height = window.innerWidth < 600 ? 84 : 104;
      this.find();
      this.reset(false);
      this.build();
    }

    // find works out how far the data reach.
    find() {
      let start = Infinity, end = -Infinity;
      for (const a of this.model.axes) {
        if (!a.count) continue;
        start = Math.min(start, a.starts[0]);
        for (let i = Math.max(0, a.count - 1000); i < a.count; i++) end = Math.max(end, a.ends[i]);
      }
      if (!(start < end)) [start, end] = [this.model.start, Math.max(this.model.end, this.model.start + 1)];
      [this.first, this.last] = [start, end];
    }

    build() {
      const make = A.element, root = this.root;
      root.hidden = false;
      const bar = make("div", "timeline-bar");
      bar.setAttribute("role", "toolbar");
      bar.setAttribute("aria-label", "Timeline");
      const search = make("input", "lane-search");
      search.type = "search";
      search.placeholder = "Search lanes";
      search.setAttribute("aria-label", "Search lanes");
      search.addEventListener("input", () => this.search(search.value));
      const mode = make("select");
      mode.setAttribute("aria-label", "What a drag does");
      for (const [value, text] of [["zoom", "Drag zooms"], ["select", "Drag selects"], ["pan", "Drag pans"]]) {
        const o = make("option", "", text);
        o.value = value;
        mode.append(o);
      }
      this.mode = mode;
      bar.append(search, mode,
        A.button("Zoom in", "+", () => this.zoom(0.5)), A.button("Zoom out", "−", () => this.zoom(2)),
        A.button("Earlier", "←", () => this.pan(-0.25)), A.button("Later", "→", () => this.pan(0.25)),
        A.button("Show all of the time", "All", () => this.reset()));
      this.window = make("span", "timeline-window");
      bar.append(this.window);
      this.overview = make("canvas", "overview");
      this.overview.setAttribute("aria-hidden", "true");
      this.ruler = make("canvas", "ruler");
      this.ruler.setAttribute("aria-hidden", "true");
      this.stage = make("div", "lanes");
      this.stage.tabIndex = 0;
      this.stage.setAttribute("role", "group");
      this.stage.setAttribute("aria-label", "Lanes over time");
      this.stage.setAttribute("aria-describedby", "timeline-keys");
      this.list = make("ol", "lane-list");
      this.mark = make("div", "selection");
      this.mark.hidden = true;
      this.stage.append(this.list, this.mark);
      const keys = make("details", "keys");
      keys.append(make("summary", "", "Keys and gestures"));
      const text = make("p", "", "With the lanes in focus: left and right move the cursor, with Shift they pan; + and − zoom; [ and ] begin and end a selection; Escape clears it; " +
        "0 or a double click shows all; / searches. The wheel zooms, Shift with the wheel pans; Shift with a drag selects, Alt with a drag pans; two fingers zoom.");
      text.id = "timeline-keys";
      keys.append(text);
      this.hiddenBox = make("details", "hidden-lanes");
      this.hiddenHead = make("summary");
      this.hiddenList = make("div", "chips");
      this.hiddenBox.append(this.hiddenHead, this.hiddenList);
      this.said = make("p", "visually-hidden");
      this.said.setAttribute("aria-live", "polite");
      for (const note of this.model.notes) root.append(make("p", "sum", note));
      root.append(bar, this.overview, this.ruler, this.stage, this.hiddenBox, keys, this.said);

      this.lanes = this.model.lanes.map((data, i) => new A.Lane(this, data, i));
      this.shown = this.lanes.slice(0, SHOWN);
      this.arrange();
      this.seen = new IntersectionObserver(entries => {
        for (const e of entries) {
          const lane = this.lanes.find(l => l.root === e.target);
          lane.visible = e.isIntersecting;
          if (lane.visible) { lane.open(); lane.update(); lane.point(this.cursor); }
        }
      }, { rootMargin: "20px" });
      for (const l of this.lanes) this.seen.observe(l.root);
      new ResizeObserver(() => { for (const l of this.lanes) l.resize(); this.changed(); }).observe(this.stage);
      A.gestures(this);
      this.changed();
    }

    // arrange puts the shown lanes into their order.
    arrange() {
      this.list.replaceChildren(...this.shown.map(l => l.root));
      const hidden = this.lanes.filter(l => !this.shown.includes(l));
      this.hiddenBox.hidden = hidden.length === 0;
      this.hiddenHead.textContent = hidden.length + (hidden.length === 1 ? " hidden lane" : " hidden lanes");
      this.hiddenList.replaceChildren(...hidden.map(l => A.button("Show " + l.data.name, "+ " + l.data.name, () => this.show(l, true))));
      this.tell();
    }

    show(lane, on) {
      this.shown = on ? [...this.shown.filter(l => l !== lane), lane] : this.shown.filter(l => l !== lane);
      this.arrange();
      this.say(lane.data.name + (on ? " is shown" : " is hidden"));
    }

    move(lane, by) {
      const i = this.shown.indexOf(lane), j = i + by;
      if (i < 0 || j < 0 || j >= this.shown.length) return;
      [this.shown[i], this.shown[j]] = [this.shown[j], this.shown[i]];
      const focus = document.activeElement;
      this.arrange();
      focus.focus();
      this.say(lane.data.name + " is lane " + (j + 1) + " of " + this.shown.length);
    }

    // search shows the lanes whose name, unit or meaning has every word; without words those of before.
    search(text) {
      const words = text.toLowerCase().split(/\s+/).filter(w => w);
      if (!words.length) {
        if (this.before) this.shown = this.before;
        this.before = null;
      } else {
        this.before = this.before || this.shown;
        this.shown = this.lanes.filter(l => {
          const in_ = (l.data.name + " " + l.data.unit.symbol + " " + (l.data.doc || "")).toLowerCase();
          return words.every(w => in_.includes(w));
        });
      }
      this.arrange();
      this.say(this.shown.length + " of " + this.lanes.length + " lanes");
    }

    // set shows a stretch of time, within what there is. Where it would end at nothing it keeps its length.
    set(from, to) {
      const length = Math.min(Math.max(to - from, 10), this.last - this.first);
      from = Math.min(Math.max(from, this.first), this.last - length);
      this.follow = from + length >= this.last;
      [this.from, this.to] = [from, from + length];
      this.changed();
    }
    reset(draw = true) {
      [this.from, this.to, this.follow] = [this.first, this.last, true];
      if (draw) this.changed();
    }
    zoom(by, at = this.cursor === null ? (this.from + this.to) / 2 : this.cursor) {
      const k = (at - this.from) / (this.to - this.from), length = (this.to - this.from) * by;
      this.set(at - k * length, at + (1 - k) * length);
    }
    pan(share) {
      const by = share * (this.to - this.from);
      this.set(this.from + by, this.to + by);
    }

    select(from, to) {
      this.selection = from === null || from === to ? null : [Math.min(from, to), Math.max(from, to)];
      if (!this.selection) this.jumped = null;
      this.changed();
    }

    point(t) {
      this.cursor = t;
      for (const l of this.shown) l.point(t);
      this.drawRuler();
    }

    // changed draws at the next frame, once for all that happened since the last.
    changed() {
      if (this.pending || !this.lanes) return;
      this.pending = requestAnimationFrame(() => {
        this.pending = 0;
        const began = performance.now();
        for (const l of this.shown) if (l.visible) l.update();
        this.drawRuler();
        A.drawOverview(this);
        this.placeSelection();
        this.window.textContent = A.time(this.from, this.last) + " to " + A.time(this.to, this.last);
        this.root.dataset.step = (performance.now() - began).toFixed(3);
        this.root.dataset.steps = Number(this.root.dataset.steps || 0) + 1;
        this.tell();
      });
    }
    tell() { for (const f of this.listeners) f(this); }
    say(text) { this.said.textContent = text; }

    // left is where a time stands on the stage, in CSS pixels.
    left(t) {
      const gutter = A.GUTTER(), width = this.stage.clientWidth - gutter;
      return gutter + (t - this.from) / (this.to - this.from) * width;
    }
    timeAt(x) {
      const gutter = A.GUTTER(), box = this.stage.getBoundingClientRect();
      const share = (x - box.left - gutter) / (box.width - gutter);
      return this.from + Math.min(1, Math.max(0, share)) * (this.to - this.from);
    }

    placeSelection() {
      const s = this.selection;
      this.mark.hidden = !s || s[1] < this.from || s[0] > this.to;
      if (this.mark.hidden) return;
      const a = this.left(Math.max(s[0], this.from)), b = this.left(Math.min(s[1], this.to));
      this.mark.style.left = a + "px";
      this.mark.style.width = Math.max(1, b - a) + "px";
    }

    // drawRuler writes the times above the lanes, and the time at the cursor.
    drawRuler() {
      const ctx = A.fit(this.ruler), width = this.ruler.clientWidth, height = this.ruler.clientHeight;
      if (!width) return;
      ctx.clearRect(0, 0, width, height);
      ctx.font = "11px sans-serif";
      ctx.textBaseline = "middle";
      const length = this.to - this.from, step = A.nice(length / Math.max(2, (width - A.GUTTER()) / 110));
      ctx.fillStyle = A.colour("muted");
      ctx.strokeStyle = A.colour("rule");
      ctx.beginPath();
      for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
        const x = this.left(t), text = A.time(t, Math.max(Math.abs(this.from), Math.abs(this.to)) > 1e3 * length ? length : this.last);
        ctx.moveTo(x, height - 5);
        ctx.lineTo(x, height);
        if (x + ctx.measureText(text).width / 2 < width) ctx.fillText(text, x - ctx.measureText(text).width / 2, height / 2 - 1);
      }
      ctx.stroke();
      if (this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to) {
        const text = A.time(this.cursor, Math.min(this.last, 100 * length)), w = ctx.measureText(text).width + 10;
        const x = Math.min(width - w, Math.max(0, this.left(this.cursor) - w / 2));
        ctx.fillStyle = A.colour("ink");
        ctx.fillRect(x, 1, w, height - 7);
        ctx.fillStyle = A.colour("page");
        ctx.fillText(text, x + 5, height / 2 - 1);
      }
    }
  }
  A.View = View;

  // nice is the least step of 1, 2 or 5 times a power of ten that is not below v.
  A.nice = v => {
    const p = 10 ** Math.floor(Math.log10(v));
    return [1, 2, 5, 10].map(k => k * p).find(k => k >= v * 0.999999);
  };

  // fit gives a canvas the pixels that it covers.
  A.fit = canvas => {
    const k = devicePixelRatio, w = Math.round(canvas.clientWidth * k), h = Math.round(canvas.clientHeight * k);
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const ctx = canvas.getContext("2d");
    ctx.setTransform(k, 0, 0, k, 0, 0);
    return ctx;
  };
})();
