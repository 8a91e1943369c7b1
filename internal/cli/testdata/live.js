// Opens the page of a recording under way in browsers and does what their users do. Prints a line of JSON: what was asked for, what ran, what was read.
const { chromium } = require(process.env.ASTROLABE_PLAYWRIGHT + "/node_modules/playwright-core");
const [,, address, browser, shots] = process.argv;
const out = { requests: [], errors: [], dialogs: 0, checks: {}, rows: [] };
const check = (name, ok) => { out.checks[name] = !!ok; };
const base = address.split("?")[0];

async function open(b, options) {
  const c = await b.newContext(options), p = await c.newPage();
  p.on("request", r => { if (!r.url().startsWith(base) && !/^(data|blob):/.test(r.url())) out.requests.push(r.url()); });
  p.on("console", m => { if (m.type() === "error") out.errors.push(m.text()); });
  p.on("pageerror", e => out.errors.push(String(e)));
  p.on("dialog", d => { out.dialogs++; d.dismiss(); });
  await p.goto(address);
  await p.waitForSelector("#timeline[data-ready]");
  return p;
}

const samples = p => p.evaluate(() => Number(document.getElementById("live").dataset.samples || 0));
const more = async (p, n) => { const from = await samples(p); await p.waitForFunction(n => Number(document.getElementById("live").dataset.samples || 0) >= n, from + n); };
const settle = p => p.evaluate(() => new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 180))), 100)));

(async () => {
  const b = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  const p = await open(b, { viewport: { width: 1600, height: 1000 } });
  check("no secret is in the address bar", p.url() === base);
  check("no script of the page sees the cookie", await p.evaluate(() => document.cookie) === "");
  await more(p, 100);
  const first = await p.textContent(".timeline-window");
  await more(p, 100);
  await settle(p);
  check("the view follows", await p.textContent(".timeline-window") !== first);

  // What the script says.
  await p.waitForFunction(() => document.querySelector("#judged svg") && document.querySelector("#judged article, #judged section"));
  check("the script's findings and plots are there", await p.locator("#judged figure svg").count() > 0);
  check("the script's state is said", (await p.textContent("#script-status")).includes("of the last"));
  const figure = await p.evaluateHandle(() => document.querySelector("#judged figure"));
  await p.waitForFunction(f => !f.isConnected, figure);
  check("they are made anew", await p.locator("#judged figure svg").count() > 0);

  // A mark.
  await p.fill("#live-name", "<b>a mark</b>");
  await p.click("#live-mark");
  await p.waitForFunction(() => document.getElementById("live-said").textContent === "marked: <b>a mark</b>");
  await p.waitForFunction(() => [...document.querySelectorAll(".bands button bdi")].some(e => e.textContent === "<b>a mark</b>"));
  check("the mark is listed", true);

  // Another viewer comes late and has the same lanes from the start.
  const q = await open(b, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  await more(q, 100);
  check("a late page begins with what is kept", /^0\.0+ /.test(await q.textContent(".timeline-window")));
  await settle(q);
  check("no scroll sideways at 360 px", await q.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  if (shots) await q.screenshot({ path: shots + "/live-360-dark.png" });

  // It sleeps while the first page goes on, and then has everything again.
  await q.click("#live-pause");
  const asleep = await samples(q);
  await more(p, 100);
  check("a page that pauses stands still", await samples(q) === asleep);
  await q.click("#live-pause");
  await more(q, 150);
  check("it misses nothing", !(await q.evaluate(() => Number(document.getElementById("live").dataset.missed || 0))));

  // The first page stands still; its numbers are held against the file that is saved then.
  await p.click("#live-pause");
  await settle(p);
  await p.evaluate(() => { for (const d of document.querySelectorAll(".hidden-lanes button")) d.click(); });
  await settle(p);
  const read = async () => {
    await settle(p);
    await p.locator(".copy-script").click();
    out.rows.push({
      script: await p.locator(".script code").textContent(),
      rows: await p.locator(".range-table tbody tr").evaluateAll(rows => rows.map(r => ({ name: r.dataset.lane, values: [...r.cells].slice(1, 6).map(c => c.dataset.value || "NaN") }))),
    });
  };
  await read();
  for (const [from, to] of JSON.parse(process.env.RANGES)) {
    await p.locator(".lane-box").first().scrollIntoViewIfNeeded();
    await settle(p);
    const box = await p.locator(".lane-box").first().boundingBox();
    const x = share => box.x + 90 + (box.width - 95) * share;
    await p.keyboard.down("Shift");
    await p.mouse.move(x(from), box.y + 40);
    await p.mouse.down();
    await p.mouse.move(x(to), box.y + 40, { steps: 4 });
    await p.mouse.up();
    await p.keyboard.up("Shift");
    await read();
    check("a stretch is selected", (await p.textContent(".range h3")).startsWith("Selection"));
  }
  await p.click("#live-capture");
  await p.waitForFunction(() => document.getElementById("live").dataset.saved || !document.getElementById("live-said").textContent.startsWith("writing"));
  out.capture = await p.evaluate(() => document.getElementById("live").dataset.saved);
  await p.click("#live-report");
  await p.waitForFunction(s => document.getElementById("live").dataset.saved !== s || !/^writ/.test(document.getElementById("live-said").textContent), out.capture);
  out.report = await p.evaluate(() => document.getElementById("live").dataset.saved);
  if (shots) await p.screenshot({ path: shots + "/live-1600.png" });

  // A page of another origin gets nothing, with the cookie in the same browser.
  const evil = await p.context().newPage();
  await evil.goto("data:text/html,<p>evil</p>");
  check("another page cannot read", await evil.evaluate(u => fetch(u + "judged", { credentials: "include" }).then(() => false, () => true), base));
  check("another page cannot change anything", await evil.evaluate(u => fetch(u + "save", { method: "POST", mode: "no-cors", credentials: "include", body: '{"as":"capture"}' }).then(r => r.type === "opaque", () => true), base));
  await evil.goto(base).catch(() => {});
  check("the same browser opens it again without the token", (await evil.title()).length > 0 && evil.url() === base);
  await evil.close();

  await p.click("#live-pause");
  process.stdout.write(JSON.stringify(out) + "\n");
  await p.waitForFunction(() => document.getElementById("live").dataset.over, null, { timeout: 60000 }); // the test ends the recording now
  process.stdout.write(JSON.stringify({ said: await p.textContent("#live-said"), errors: out.errors }) + "\n");
  await b.close();
})().catch(e => { console.error(e); process.exit(1); });
