// main.js: begins when the page is there.
(() => {
  // theme adds the choice of light, dark, or what the system says.
  function theme() {
    const root = document.documentElement, choice = A.element("select", "theme");
    choice.setAttribute("aria-label", "Theme");
    for (const [value, text] of [["", "System theme"], ["light", "Light"], ["dark", "Dark"]]) {
      const o = A.element("option", "", text);
      o.value = value;
      choice.append(o);
    }
    choice.value = root.dataset.theme || "";
    choice.addEventListener("change", () => {
      if (choice.value) root.dataset.theme = choice.value; else delete root.dataset.theme;
      document.dispatchEvent(new Event("astrolabe:theme"));
    });
    document.querySelector("main").prepend(choice);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("astrolabe:theme")));
  }

  async function begin() {
    theme();
    A.tables();
    const data = document.getElementById("astrolabe-data"), root = document.getElementById("timeline");
    if (!data || !root) return;
    try {
      const model = await A.load(data.textContent);
      data.remove();
      const view = new A.View(model, root);
      A.rangePanel(view);
      A.listBands(view, model);
      A.feed(view, model);
      A.print(view);
      document.addEventListener("astrolabe:theme", () => { A.forgetColours(); view.changed(); });
      root.dataset.ready = "yes";
    } catch (e) {
      root.hidden = false;
      root.append(A.element("p", "", "The timeline cannot be shown by this browser: " + e.message));
    }
  }
  begin();
})();
