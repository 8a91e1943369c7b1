// gestures.js: mouse, wheel, fingers and keys on the lanes.
(() => {
  A.gestures = view => {
    const stage = view.stage, fingers = new Map();
    let drag = null, pinch = null, pressed = false; // pressed: the last press was on a lane

    const onLanes = e => e.target.closest(".lane-box") !== null || e.target === view.mark;

    stage.addEventListener("wheel", e => {
      if (!onLanes(e)) return;
      const all = view.from <= view.first && view.to >= view.last;
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        e.preventDefault();
        view.pan((e.deltaX || e.deltaY) / 800);
      } else if (!(all && e.deltaY > 0)) { // with all in view the page scrolls on
        e.preventDefault();
        view.zoom(Math.pow(2, Math.max(-1, Math.min(1, e.deltaY / 240))), view.timeAt(e.clientX));
      }
    }, { passive: false });

    stage.addEventListener("pointerdown", e => {
      pressed = onLanes(e);
      if (!pressed || e.button > 1) return;
      fingers.set(e.pointerId, e.clientX);
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()];
        pinch = { times: [view.timeAt(a), view.timeAt(b)] };
        drag = null;
        return;
      }
      const mode = e.shiftKey ? "select" : e.altKey || e.button === 1 ? "pan" : view.mode.value;
      drag = { mode, x: e.clientX, t: view.timeAt(e.clientX), from: view.from, to: view.to, moved: false };
      stage.setPointerCapture(e.pointerId);
    });

    stage.addEventListener("pointermove", e => {
      if (fingers.has(e.pointerId)) fingers.set(e.pointerId, e.clientX);
      if (pinch && fingers.size === 2) {
        const [a, b] = [...fingers.values()], box = stage.getBoundingClientRect(), width = box.width - A.GUTTER();
        const share = x => (x - box.left - A.GUTTER()) / width;
        if (Math.abs(share(b) - share(a)) < 0.02) return;
        const length = (pinch.times[1] - pinch.times[0]) / (share(b) - share(a));
        if (length > 0) view.set(pinch.times[0] - share(a) * length, pinch.times[0] + (1 - share(a)) * length);
        return;
      }
      if (drag) {
        drag.moved = drag.moved || Math.abs(e.clientX - drag.x) > 3;
        if (drag.moved && drag.mode === "pan") {
          const by = (drag.x - e.clientX) / (stage.clientWidth - A.GUTTER()) * (drag.to - drag.from);
          view.set(drag.from + by, drag.to + by);
        } else if (drag.moved) {
          view.select(drag.t, view.timeAt(e.clientX));
        }
      }
      view.point(onLanes(e) || drag ? view.timeAt(e.clientX) : null);
    });

    const end = e => {
      fingers.delete(e.pointerId);
      if (fingers.size < 2) pinch = null;
      const d = drag;
      drag = null;
      if (!d || e.type === "pointercancel") return;
      if (!d.moved) return;
      if (d.mode === "zoom" && view.selection) {
        const [from, to] = view.selection;
        view.select(null);
        view.set(from, to);
      } else if (d.mode === "select" && view.selection) {
        view.say("selected " + A.time(view.selection[0], view.last) + " to " + A.time(view.selection[1], view.last));
      }
    };
    stage.addEventListener("pointerup", end);
    stage.addEventListener("pointercancel", end);
    stage.addEventListener("pointerleave", () => { if (!drag) view.point(null); });
    stage.addEventListener("dblclick", () => { if (pressed) { view.select(null); view.reset(); } });

    // step moves the cursor by a bucket of the first lane, or by what a column of pixels shows.
    const step = by => {
      const axis = view.shown.length ? view.shown[0].data.of : view.model.axes[0];
      const pixel = (view.to - view.from) / Math.max(1, stage.clientWidth - A.GUTTER());
      let t = view.cursor === null ? (view.from + view.to) / 2 : view.cursor + by * Math.max(4 * pixel, 1);
      const i = axis && axis.count ? A.find(axis, view.cursor === null ? t : view.cursor) : -1;
      if (view.cursor !== null && i >= 0) {
        let j = by > 0 ? (axis.starts[i] > view.cursor ? i : i + 1) : i - 1;
        if (j >= 0 && j < axis.count && Math.abs(axis.starts[j] - view.cursor) > 4 * pixel) t = axis.starts[j];
      }
      view.point(Math.min(view.last, Math.max(view.first, t)));
      if (view.cursor < view.from || view.cursor > view.to) view.pan(by / 4);
      view.say(A.time(view.cursor, view.last) + ": " + view.shown.slice(0, 4).map(l => l.data.name + " " + l.at(view.cursor)).join(", "));
    };
    let begun = null;
    const keys = {
      ArrowLeft: e => e.shiftKey ? view.pan(-0.1) : step(-1), ArrowRight: e => e.shiftKey ? view.pan(0.1) : step(1),
      "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), "0": () => view.reset(),
      Home: () => view.set(view.first, view.first + view.to - view.from), End: () => view.set(view.last - view.to + view.from, view.last),
      "[": () => { begun = view.cursor === null ? view.from : view.cursor; view.say("selection begins at " + A.time(begun, view.last)); },
      "]": () => { view.select(begun === null ? view.from : begun, view.cursor === null ? view.to : view.cursor); view.say("selection ends"); },
      Escape: () => { begun = null; view.select(null); view.point(null); },
      "/": () => view.root.querySelector(".lane-search").focus(),
    };
    stage.addEventListener("keydown", e => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input,select") || !keys[e.key]) return;
      if (e.target.closest("button") && (e.key === "Enter" || e.key === " ")) return;
      e.preventDefault();
      keys[e.key](e);
    });

    // The overview moves the window: a press centres it.
    const centre = e => {
      const box = view.overview.getBoundingClientRect(), gutter = A.GUTTER();
      const t = view.first + (e.clientX - box.left - gutter) / (box.width - gutter) * (view.last - view.first), half = (view.to - view.from) / 2;
      view.set(t - half, t + half);
    };
    view.overview.addEventListener("pointerdown", e => { view.overview.setPointerCapture(e.pointerId); centre(e); });
    view.overview.addEventListener("pointermove", e => { if (e.buttons) centre(e); });
  };
})();
