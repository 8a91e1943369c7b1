// print.js: what goes onto paper: every lane that is shown, in the light theme, as wide as a sheet. A lane is drawn as pixels, and only once it was in
// sight, so that paper would have what the screen happens to have.
(() => {
  A.print = view => {
    const root = document.documentElement;
    let theme = null;
    const draw = () => {
      A.forgetColours();
      for (const l of view.shown) { l.open(); l.resize(); l.update(); }
      view.drawRuler();
      view.placeSelection();
    };
    addEventListener("beforeprint", () => {
      theme = root.dataset.theme || "";
      root.dataset.theme = "light";
      root.dataset.paper = "";
      draw();
    });
    addEventListener("afterprint", () => {
      if (theme === null) return;
      if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
      theme = null;
      delete root.dataset.paper;
      draw();
      view.changed();
    });
  };
})();
