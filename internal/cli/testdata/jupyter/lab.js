// Opens a notebook in JupyterLab and does what its users do. Prints what was seen as JSON: node lab.js ADDRESS BROWSER [FOLDER].
const { chromium } = require(process.env.ASTROLABE_PLAYWRIGHT + "/node_modules/playwright-core");
const [,, address, browser, shots] = process.argv;
const out = { checks: {}, errors: [] };
const check = (name, ok) => { out.checks[name] = !!ok; };

(async () => {
  const b = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  const p = await (await b.newContext({ viewport: { width: 1500, height: 1200 } })).newPage();
  p.setDefaultTimeout(Number(process.env.LAB_TIMEOUT || 120000));
  p.on("pageerror", e => out.errors.push(String(e)));
  const shot = name => shots ? p.screenshot({ path: `${shots}/lab-${name}.png` }) : null;
  const menu = async (bar, entry) => {
    await p.locator(`.lm-MenuBar-itemLabel:text-is("${bar}")`).click();
    await p.locator(`.lm-Menu-itemLabel:text-is("${entry}")`).click();
  };
  // A cell below all others, in which the cursor stands.
  const cell = async text => {
    await p.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").last().locator(".cm-content, .jp-MarkdownOutput").first().click();
    await p.keyboard.press("Escape");
    await p.keyboard.press("b");
    await p.keyboard.press("Enter");
    await p.keyboard.type(text);
    return p.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").last();
  };

  // What is run before the kernel has answered is not run, whatever the kernel.
  const ready = new Promise(done => p.on("websocket", ws => ws.on("framereceived", f => { if (String(f.payload).includes("history_reply")) done(); })));
  await p.goto(address);
  await p.waitForSelector('.jp-NotebookPanel .jp-CodeCell');
  await ready;
  await p.waitForFunction(() => document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "idle");
  await menu("Run", "Run All Cells");
  // The last cell of the notebook shows a report.
  const pages = p.locator('.jp-CodeCell').last().locator(".jp-OutputArea-output img");
  await pages.first().waitFor();
  await p.waitForFunction(() => [...document.querySelectorAll(".jp-OutputArea-output img")].every(i => i.complete && i.naturalWidth > 0));
  const images = await p.$$eval(".jp-OutputArea-output img", list => list.map(i => [i.naturalWidth, i.clientWidth]));
  check("the report and the chart are seen", images.length >= 1 && images.every(([w, c]) => w === 1920 && c > 400 && c <= 960));
  await pages.first().scrollIntoViewIfNeeded();
  await shot("report");
  const panel = p.locator(".jp-WindowedPanel-outer").first();
  await panel.evaluate(e => { e.scrollTop = 0; });
  await p.locator(".jp-RenderedHTMLCommon table").first().waitFor();
  check("a table is one", await p.locator(".jp-RenderedHTMLCommon table tbody tr").count() >= 8);
  await shot("table");
  const chart = p.locator(".jp-CodeCell").nth(3).locator("img");
  await chart.scrollIntoViewIfNeeded();
  await chart.waitFor();
  await shot("chart");
  check("no cell failed", await p.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]').count() === 0);

  // Tab in a new cell: the words that are offered, of which Enter takes the first.
  const completed = async (typed, taken) => {
    await cell(typed);
    await p.keyboard.press("Tab");
    await p.waitForSelector(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item");
    const words = await p.$$eval(".jp-Completer-item", list => list.map(e => e.textContent));
    await shot("completion");
    await p.keyboard.press("Enter");
    await p.waitForFunction(re => [...document.querySelectorAll(".jp-Cell .cm-content")].some(e => new RegExp(re).test(e.textContent)), taken.source);
    return words;
  };
  check("Tab completes an attribute", (await completed("plot.timel", /^plot\.timeline$/)).join() === "timeline");
  const words = await completed('cap["cpu_act', /^cap\["cpu_activity_(user|system)/);
  check("Tab offers metrics of the capture", ["cpu_activity_user", "cpu_activity_system"].every(w => words.some(t => t.includes(w))));
  await cell("plot.timeline(");
  await p.keyboard.press("Shift+Tab");
  await p.waitForSelector(".jp-Tooltip");
  check("Shift-Tab explains the function", (await p.textContent(".jp-Tooltip")).includes("plot.timeline("));
  await shot("inspection");
  await p.keyboard.press("Escape");

  const busy = await cell("print('begun')\n[0 for i in range(1 << 50)]");
  await p.keyboard.press("Shift+Enter");
  await p.locator('.jp-OutputArea-output:has-text("begun")').last().waitFor();
  await menu("Kernel", "Interrupt Kernel");
  await p.locator('.jp-OutputArea-output:has-text("interrupted")').last().waitFor();
  check("an interrupt stops a cell", true);
  await cell("switches.unit");
  await p.keyboard.press("Shift+Enter");
  await p.locator(`.jp-OutputArea-output:has-text('"switches"')`).last().waitFor();
  check("what was bound is still there", true);
  await shot("interrupt");
  await b.close();
  console.log(JSON.stringify(out));
})().catch(e => { console.error(e); process.exit(1); });
