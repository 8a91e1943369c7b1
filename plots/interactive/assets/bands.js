// bands.js: findings, phases, regions, gaps and marks: shaded on the lanes, drawn in the overview, and listed to jump to.
(() => {
  const LISTED = 500; // in the list at once; searching finds the others
  const colours = { critical: "critical", warning: "warning", info: "link", good: "good" };
  const colour = b => A.colour(b.kind === "gap" ? "rule" : colours[b.severity] || (b.kind === "mark" || b.kind === "note" ? "ink" : "s2"));

  // shade draws what holds over time behind a lane. Regions, of which there may be thousands, are only in the overview.
  A.shade = (view, u) => {
    const { ctx, bbox } = u;
    ctx.save();
    for (const b of view.model.bands) {
      if (b.kind === "region" && b !== view.jumped || b.end < view.from || b.start > view.to) continue;
      const k = bbox.width / (view.to - view.from);
      const x = bbox.left + (Math.max(b.start, view.from) - view.from) * k, w = (Math.min(b.end, view.to) - Math.max(b.start, view.from)) * k;
      ctx.globalAlpha = b.start === b.end ? 0.9 : b.kind === "gap" ? 0.5 : b === view.jumped ? 0.3 : 0.13;
      ctx.fillStyle = colour(b);
      ctx.fillRect(x, bbox.top, Math.max(w, devicePixelRatio), bbox.height);
    }
    ctx.restore();
  };

  // drawOverview draws all of the time: a row for every kind of band, and the window. What does not move is drawn once and kept.
  A.drawOverview = view => {
    const canvas = view.overview, ctx = A.fit(canvas), width = canvas.clientWidth, height = canvas.clientHeight, gutter = A.GUTTER();
    if (!width) return;
    const lane = view.shown[0], { bands } = view.model, k = (width - gutter) / (view.last - view.first);
    const now = [canvas.width, canvas.height, lane, lane && lane.data.of.count, bands, view.first, view.last, A.colour("page")];
    if (!view.ground || !now.every((v, i) => v === view.ground.of[i])) {
      view.ground = { of: now, picture: document.createElement("canvas") };
      [view.ground.picture.width, view.ground.picture.height] = [canvas.width, canvas.height];
      const to = view.ground.picture.getContext("2d");
      to.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      drawGround(view, to, width, height, gutter, k);
    }
    ctx.clearRect(0, 0, width, height);
    ctx.drawImage(view.ground.picture, 0, 0, width, height);
    ctx.strokeStyle = A.colour("ink");
    ctx.lineWidth = 2;
    ctx.strokeRect(gutter + (view.from - view.first) * k + 1, 1, Math.max(4, (view.to - view.from) * k - 2), height - 2);
  };

  function drawGround(view, ctx, width, height, gutter, k) {
    const { bands } = view.model, kinds = [...new Set(bands.map(b => b.kind))], lane = view.shown[0];
    if (lane) { // the first lane, faintly
      const wide = Math.max(1, Math.round(width - gutter)), { lo, hi } = A.columns(lane.data, view.first, view.last, wide);
      let min = Infinity, max = -Infinity;
      for (let x = 0; x < wide; x++) { if (lo[x] < min) min = lo[x]; if (hi[x] > max) max = hi[x]; }
      ctx.fillStyle = A.colour("rule");
      const scale = max > min ? (height - 4) / (max - min) : 0;
      for (let x = 0; x < wide; x++) if (lo[x] === lo[x]) ctx.fillRect(gutter + x, 2 + (max - hi[x]) * scale, 1, Math.max(1, (hi[x] - lo[x]) * scale));
    }
    const row = Math.min(10, (height - 4) / Math.max(1, kinds.length));
    const drawn = new Set(); // columns of pixels of a row that are drawn already: bands may be many
    ctx.globalAlpha = 0.8;
    for (const b of bands) {
      const at = kinds.indexOf(b.kind), x = gutter + (b.start - view.first) * k, w = Math.max(2, (b.end - b.start) * k);
      const key = at * 1e7 + Math.floor(x);
      if (w <= 2 && drawn.has(key)) continue;
      drawn.add(key);
      ctx.fillStyle = colour(b);
      ctx.fillRect(x, 2 + at * row, w, Math.max(2, row - 2));
    }
  }

  // jump shows a band with some room around it.
  A.jump = (view, b) => {
    const room = Math.max((b.end - b.start) * 0.5, (view.last - view.first) * 1e-3, 100);
    view.set(b.start - room, b.end + room);
    view.select(b.start, b.end);
    view.jumped = b;
    view.say(b.label + ", from " + A.time(b.start, view.last) + " to " + A.time(b.end, view.last));
    view.root.scrollIntoView({ block: "start" });
  };

  A.listBands = (view, model) => {
    const box = A.element("details", "bands"), head = A.element("summary");
    const search = A.element("input");
    search.type = "search";
    search.placeholder = "Search what happened";
    search.setAttribute("aria-label", "Search what happened");
    const list = A.element("ul", "band-list"), more = A.element("p", "sum");
    const fill = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(w => w);
      const found = view.model.bands.filter(b => words.every(w => (b.kind + " " + b.label).toLowerCase().includes(w)));
      head.textContent = "Jump to (" + view.model.bands.length + ")";
      box.hidden = view.model.bands.length === 0;
      more.textContent = found.length > LISTED ? LISTED + " of " + found.length + " are listed: search for the others." : "";
      list.replaceChildren(...found.slice(0, LISTED).map(b => {
        const item = A.element("li"), go = A.element("button"), name = A.element("bdi", "", b.label);
        go.type = "button";
        go.append(A.element("span", "band-kind " + (b.severity || ""), b.kind), name,
          A.element("span", "sum", " " + A.time(b.start, view.last) + (b.end > b.start ? ", for " + A.time(b.end - b.start) : "")));
        go.addEventListener("click", () => A.jump(view, b));
        item.append(go);
        if (b.href) {
          const link = A.element("a", "", "finding");
          link.href = b.href;
          item.append(" ", link);
        }
        return item;
      }));
    };
    search.addEventListener("input", fill);
    box.append(head, search, list, more);
    view.root.append(box);
    view.listBands = fill;
    fill();

    // Findings and charts of the page lead back to the lanes.
    for (const article of document.querySelectorAll("[data-finding]")) {
      const own = model.bands.filter(b => b.href === "#" + article.id);
      if (!own.length) continue;
      let next = 0;
      const b = A.button("Show in the timeline", own.length > 1 ? "Show in the timeline (" + own.length + " places)" : "Show in the timeline",
        () => A.jump(view, own[next++ % own.length]));
      b.className = "to-timeline";
      article.append(b);
    }
  };
})();
