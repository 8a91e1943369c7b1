// live.js: feeds the page with what the recording sends. interactive's feed.js says how a page is fed.
(() => {
  "use strict";
  const at = id => document.getElementById(id);
  const root = at("live"), last = Number(root.dataset.last);
  const SLACK = 1.05; // how much more than what is kept a page holds before it forgets: forgetting moves every column

  let source = null, after = -1, paused = false, over = false;
  let oldest = null, missedBefore = 0, missed = 0, judging = false, again = false;

  const say = text => { at("live-said").textContent = text; };
  const dispatch = (name, detail) => document.dispatchEvent(new CustomEvent("astrolabe:" + name, { detail }));
  const count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many);
  const seconds = s => (s < 10 ? s.toFixed(2) : s.toFixed(0)) + " s";

  function append(e) {
    const detail = JSON.parse(e.data);
    after = Number(e.lastEventId);
    dispatch("append", detail);
    const newest = Math.max(...detail.end);
    if (oldest === null) oldest = detail.start[0];
    if (newest - oldest > last * SLACK) {
      oldest = newest - last;
      dispatch("trim", { axis: 0, before: oldest });
    }
    root.dataset.samples = after;
  }

  function lost() {
    const all = missedBefore + missed;
    at("live-lost").hidden = all === 0;
    at("live-lost").textContent = all ? "This page missed " + count(all, "sample", "samples") + ", because the browser read too slowly; the recording has them. " +
      "Load the page again to see what is kept of them." : "";
    root.dataset.missed = all;
  }

  function status(s) {
    const parts = [seconds(s.elapsed) + " recorded", count(s.samples, "sample", "samples")];
    if (s.missed) parts.push(count(s.missed, "tick", "ticks") + " missed by the recorder");
    if (s.dropped) parts.push(count(s.dropped, "tick", "ticks") + " dropped");
    parts.push(count(s.viewers, "page is open", "pages are open"));
    if (s.unseen) parts.push(count(s.unseen, "sample", "samples") + " missed by pages");
    if (s.cut) parts.push(count(s.cut, "page", "pages") + " cut off that read nothing");
    if (s.file) parts.push("the file of the recording ended: " + s.file);
    at("live-status").textContent = [parts.join(" · "), ...s.notes].join(" ");
    if (s.script) script(s.script);
  }

  function script(s) {
    at("script").hidden = false;
    const parts = ["of the last " + seconds(s.window)];
    if (s.runs) parts.push("made in " + seconds(s.took));
    if (s.took > 1) parts.push("this takes longer than a second, so that it is made anew when it is done");
    if (s.running > 1) parts.push("the script has run for " + seconds(s.running));
    at("script-status").textContent = parts.join(" · ");
    at("script-fault").hidden = !s.fault;
    at("script-fault").textContent = s.fault;
    at("script-printed").hidden = !s.printed;
    at("script-printed").textContent = s.printed;
  }

  // judged takes over what the script says. It comes as markup of our own writer; a parsed document runs nothing, and the policy of the page forbids the rest.
  async function judged() {
    if (judging) { again = true; return; }
    judging = true;
    try {
      do {
        again = false;
        const answer = await fetch("judged");
        if (!answer.ok) throw new Error(await answer.text());
        const part = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!paused) at("judged").replaceChildren(...part.body.childNodes);
      } while (again && !paused);
    } catch (e) {
      if (!over) say("What the script says cannot be had: " + e.message);
    } finally {
      judging = false;
    }
  }

  function connect() {
    missedBefore += missed;
    missed = 0;
    source = new EventSource(after < 0 ? "events" : "events?after=" + after);
    source.addEventListener("append", append);
    source.addEventListener("bands", e => dispatch("bands", JSON.parse(e.data)));
    source.addEventListener("status", e => status(JSON.parse(e.data)));
    source.addEventListener("judged", judged);
    source.addEventListener("missed", e => { missed = Number(e.data); lost(); });
    source.addEventListener("end", () => {
      over = true;
      source.close();
      say("The recording has ended.");
      for (const b of root.querySelectorAll("button")) b.disabled = true;
      root.dataset.over = "yes";
    });
    source.onopen = () => { missedBefore += missed; missed = 0; if (root.dataset.broken) say(""); delete root.dataset.broken; };
    source.onerror = () => {
      if (over || paused) return;
      root.dataset.broken = "yes";
      say(source.readyState === EventSource.CLOSED ? "The recording is not there any more." : "The connection is lost; it is tried again.");
    };
  }

  function pause() {
    paused = !paused;
    at("live-pause").setAttribute("aria-pressed", String(paused));
    at("live-pause").textContent = paused ? "Resume" : "Pause";
    if (paused) source.close(); else connect(); // what came meanwhile is sent then, as far as it is kept
    say(paused ? "The page stands still; the recording goes on." : "");
  }

  // ask has something done, and says what became of it.
  async function ask(path, body) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  }

  function mark() {
    const name = at("live-name").value.trim() || "mark";
    ask("mark", { name }).then(() => say("marked: " + name), e => say(e.message));
  }

  function save(button, as) {
    button.disabled = true;
    say("writing a " + as);
    ask("save", { as }).then(a => { root.dataset.saved = a.path; say("written: " + a.path); }, e => say(e.message))
      .finally(() => { button.disabled = over; });
  }

  function begin() {
    at("live-pause").addEventListener("click", pause);
    at("live-mark").addEventListener("click", mark);
    at("live-name").addEventListener("keydown", e => { if (e.key === "Enter") mark(); });
    at("live-capture").addEventListener("click", e => save(e.target, "capture"));
    at("live-report").addEventListener("click", e => save(e.target, "report"));
    addEventListener("pagehide", () => source.close());
    connect();
  }

  // The lanes are made when their data are unpacked.
  const timeline = at("timeline");
  if (timeline.dataset.ready) begin();
  else {
    const wait = new MutationObserver(() => { if (timeline.dataset.ready) { wait.disconnect(); begin(); } });
    wait.observe(timeline, { attributes: true, attributeFilter: ["data-ready"] });
  }
})();
