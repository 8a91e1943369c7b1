// Opens a report in a browser and does what a reader does. Prints a line of JSON: what was asked for over the network, what ran, what was read.
const { chromium } = require(process.env.ASTROLABE_PLAYWRIGHT + "/node_modules/playwright-core");
const [,, page, browser, shots] = process.argv;
const out = { requests: [], errors: [], dialogs: 0, ranges: [], steps: [], checks: {} };
const check = (name, ok) => { out.checks[name] = !!ok; };

async function open(b, options) {
  const p = await b.newPage(options);
  p.on("request", r => { if (!/^(file|data|blob):/.test(r.url())) out.requests.push(r.url()); });
  p.on("console", m => { if (m.type() === "error") out.errors.push(m.text()); });
  p.on("pageerror", e => out.errors.push(String(e)));
  p.on("dialog", d => { out.dialogs++; d.dismiss(); });
  await p.goto("file://" + page);
  await p.waitForSelector("#timeline[data-ready]", { timeout: 120000 });
  await settle(p);
  return p;
}

// settle waits until everything is drawn and the statistics are written.
const settle = p => p.evaluate(() => new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 180))), 100)));
const shownWindow = p => p.textContent(".timeline-window");

(async () => {
  const b = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  const p = await open(b, { viewport: { width: 1600, height: 1000 } });
  const lanes = await p.locator(".lane").count();
  let box = await p.locator(".lane-box").first().boundingBox();
  // showAll shows all of the time, the first lane in view and the lanes in focus.
  const showAll = async () => {
    await p.locator(".lane-box").first().scrollIntoViewIfNeeded();
    await p.locator(".lanes").focus();
    for (const key of ["Escape", "0"]) await p.keyboard.press(key);
    await settle(p);
    box = await p.locator(".lane-box").first().boundingBox();
  };
  const at = share => [box.x + 90 + (box.width - 90) * share, box.y + box.height / 2];
  const all = await shownWindow(p);

  // Hover: one cursor over all lanes, with values.
  await p.mouse.move(...at(0.4));
  await settle(p);
  check("a value at the cursor in every lane", (await p.locator(".lane-value").allTextContents()).every(t => t !== ""));

  // Wheel, drag, double click.
  await p.mouse.wheel(0, -240);
  await settle(p);
  const zoomed = await shownWindow(p);
  check("the wheel zooms", zoomed !== all);
  await p.mouse.move(...at(0.3));
  await p.mouse.down();
  await p.mouse.move(...at(0.6), { steps: 5 });
  await p.mouse.up();
  await settle(p);
  check("a drag zooms", await shownWindow(p) !== zoomed);
  await p.mouse.dblclick(...at(0.5));
  await settle(p);
  check("a double click shows all", await shownWindow(p) === all);

  // Keys.
  await p.locator(".lanes").focus();
  for (const key of ["+", "+", "Shift+ArrowRight"]) await p.keyboard.press(key);
  await settle(p);
  check("keys zoom and pan", await shownWindow(p) !== all);
  await p.keyboard.press("ArrowRight");
  await p.keyboard.press("[");
  for (let i = 0; i < 5; i++) await p.keyboard.press("ArrowRight");
  await p.keyboard.press("]");
  await settle(p);
  check("keys select", (await p.textContent(".range h3")).startsWith("Selection"));
  check("a screen reader is told", (await p.textContent("#timeline > .visually-hidden")) !== "");
  await p.keyboard.press("Escape");
  await p.keyboard.press("0");
  await p.keyboard.press("/");
  check("a key leads to the search", await p.evaluate(() => document.activeElement.className === "lane-search"));

  // Search, hide, reorder.
  await p.keyboard.type("beta");
  await settle(p);
  check("a search leaves the lanes that it finds", await p.locator(".lane").count() === 1);
  await p.fill(".lane-search", "");
  check("without a search they are back", await p.locator(".lane").count() === lanes);
  const second = await p.locator(".lane-name").nth(1).textContent();
  await p.locator(".lane").nth(1).locator("button").first().click();
  check("a lane moves up", await p.locator(".lane-name").first().textContent() === second);
  await p.locator(".lane").first().locator("button").nth(2).click();
  check("a lane hides", await p.locator(".lane").count() === lanes - 1);
  await p.locator(".hidden-lanes summary").click();
  await p.locator(".chips button").first().click();
  check("a hidden lane is back", await p.locator(".lane").count() === lanes);

  // Bands and findings lead to their time.
  await p.locator(".to-timeline").first().click();
  await settle(p);
  check("a finding leads to its time", await shownWindow(p) !== all && (await p.textContent(".range h3")).startsWith("Selection"));
  await p.locator(".bands summary").click();
  await p.locator(".band-list button").last().click();
  await settle(p);
  check("a band leads to its time", await shownWindow(p) !== all);

  // Tables.
  const table = p.locator("table:has(th:has-text('Order'))").first();
  await table.locator("th button.sort").first().click();
  check("a table sorts by number", (await table.locator("tbody tr td:first-child").allTextContents()).join() === "950 ns,12.5 µs,2 ms,1,500 ms,3 s,4 s,5 s,6 s,7 s");
  await table.locator("th button.sort").first().click();
  check("a table sorts the other way", (await table.locator("th").first().getAttribute("aria-sort")) === "descending");
  await p.locator("input.filter").first().fill("12.5 row");
  check("a table filters", await table.locator("tbody tr:visible").count() === 1);

  // Pan steps, and what one costs.
  await showAll();
  await p.keyboard.press("+");
  for (let i = 0; i < 40; i++) {
    await p.keyboard.press(i % 20 < 10 ? "Shift+ArrowRight" : "Shift+ArrowLeft");
    await p.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    out.steps.push(Number(await p.locator("#timeline").getAttribute("data-step")));
  }

  // Ten stretches, chosen by the test that runs this, and what the page says of them.
  for (const [from, to] of JSON.parse(process.env.RANGES)) {
    await showAll();
    await p.keyboard.down("Shift");
    await p.mouse.move(...at(from));
    await p.mouse.down();
    await p.mouse.move(...at(to), { steps: 3 });
    await p.mouse.up();
    await p.keyboard.up("Shift");
    await settle(p);
    await p.locator(".copy-script").click();
    out.ranges.push({
      script: await p.locator(".script code").textContent(),
      rows: await p.locator(".range-table tbody tr").evaluateAll(rows => rows.map(r => ({ name: r.dataset.lane, values: [...r.cells].slice(1, 6).map(c => c.dataset.value || "") }))),
    });
  }

  // What is on the canvas: every column that has a value is painted, from its least to its greatest value, and no other.
  await p.mouse.move(5, 5);
  await showAll();
  out.pixels = await p.evaluate(() => {
    const canvas = document.querySelector(".lane .u-wrap canvas"), ctx = canvas.getContext("2d");
    const over = document.querySelector(".lane .u-over"), k = devicePixelRatio;
    const left = Math.round(over.offsetLeft * k), width = Math.round(over.offsetWidth * k), top = Math.round(over.offsetTop * k), height = Math.round(over.offsetHeight * k);
    const data = ctx.getImageData(left, top, width, height).data, list = [];
    for (let x = 0; x < width; x++) {
      let first = -1, last = -1;
      for (let y = 0; y < height; y++) {
        const i = 4 * (y * width + x), [r, g, bl] = [data[i], data[i + 1], data[i + 2]];
        if (data[i + 3] > 128 && Math.max(r, g, bl) - Math.min(r, g, bl) > 40) { if (first < 0) first = y; last = y; }
      }
      list.push([first, last]);
    }
    return { height, list };
  });
  out.lane = await p.locator(".lane-name").first().textContent();
  if (shots) await p.screenshot({ path: shots + "/page-after.png" });
  await p.close();

  for (const width of [1600, 800, 360]) {
    for (const colorScheme of ["light", "dark"]) {
      const q = await open(b, { viewport: { width, height: 1000 }, colorScheme });
      check("no wider than the window at " + width, await q.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      if (shots) await q.screenshot({ path: shots + "/page-" + width + "-" + colorScheme + ".png", fullPage: true });
      await q.close();
    }
  }

  // Paper: of a dark page that was never scrolled, zoomed into. All lanes, light, and no wider than a sheet.
  const q = await open(b, { viewport: { width: 1600, height: 400 }, colorScheme: "dark" });
  await q.locator(".lanes").focus();
  await q.keyboard.press("+");
  await settle(q);
  out.printed = await q.locator(".lane-name").allTextContents();
  const inView = await shownWindow(q), wide = await q.locator(".lane").first().evaluate(e => e.clientWidth);
  await q.evaluate(() => addEventListener("beforeprint", () => queueMicrotask(() => queueMicrotask(() => {
    window.onPaper = [...document.querySelectorAll(".lane")].map(lane => {
      const canvas = lane.querySelector("canvas");
      const data = canvas ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data : [];
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) {
        const most = Math.max(data[i], data[i + 1], data[i + 2]), least = Math.min(data[i], data[i + 1], data[i + 2]);
        if (data[i + 3] > 128 && (most - least > 40 || most < 190)) coloured++; // one lane is grey; labels are some hundred
      }
      return { coloured, width: lane.getBoundingClientRect().width, theme: document.documentElement.dataset.theme };
    });
  }))));
  await q.pdf({ path: process.env.PRINTED, format: "A4", margin: { top: "1cm", bottom: "1cm", left: "1cm", right: "1cm" } });
  out.paper = await q.evaluate(() => window.onPaper);
  await settle(q);
  check("the screen is as it was behind paper", await q.evaluate(() => !("theme" in document.documentElement.dataset)) &&
    await shownWindow(q) === inView && await q.locator(".lane").first().evaluate(e => e.clientWidth) === wide);
  await q.close();
  await b.close();
  console.log(JSON.stringify(out));
})().catch(e => { console.error(e); process.exit(1); });
