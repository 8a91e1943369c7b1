package documents

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"astrolabe/capture/progress"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
	"astrolabe/plots/interactive"
)

// maxInlineSVG is up to how many bytes a chart stands in an HTML page as SVG, whose text can be searched and copied.
// Larger ones are PNG at twice the density, so that a report of hundreds of counters stays small enough to open.
const maxInlineSVG = 160 << 10

// html returns the report as one HTML file, which needs no network. Without its script, which a static page has none
// of, it reads the same: the script adds lanes to zoom, and tables that sort.
func (r *Report) html() ([]byte, error) {
	t := r.Theme
	if t == nil {
		t = canvas.Light()
	}
	h := &htmlWriter{r: r, theme: t}
	if !r.Static {
		h.theme = canvas.Light() // and dark, by variables of the style
	}
	// Drawing the pictures takes nearly all of the time, so only they are counted.
	r.Progress.Begin(int64(r.pictures()), progress.Pictures)
	title := r.Title
	if title == "" {
		title = "Report"
	}
	data, err := h.timelineData()
	if err != nil {
		return nil, err
	}
	style, script := h.css(), ""
	var scripts []string
	attrs := ""
	if !r.Static {
		style += interactive.Style()
		script = interactive.Script(data != "")
		scripts = []string{script}
		if r.Theme != nil {
			attrs = fmt.Sprintf(" data-theme=\"%s\"", r.Theme.Name)
		}
	}
	// The policy lets nothing load, and nothing run or be styled but the script and the style below: should a name from
	// a capture slip through unescaped, the browser still refuses its script and its request. Pictures are in the file,
	// as data.
	h.f("<!DOCTYPE html>\n<html lang=\"en\"%s>\n<head>\n<meta charset=\"utf-8\">\n", attrs)
	h.f("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n",
		interactive.Policy(scripts, []string{style}))
	h.f("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
	h.f("<meta name=\"generator\" content=\"astrolabe\">\n")
	h.f("<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", esc(title), style, esc(title))
	if err := h.body(data != ""); err != nil {
		return nil, err
	}
	h.f("</main>\n")
	if data != "" {
		h.f("<script type=\"text/plain\" id=\"astrolabe-data\">%s</script>\n", data)
	}
	if script != "" {
		h.f("<script>%s</script>\n", script)
	}
	h.f("</body>\n</html>\n")
	return h.out.Bytes(), nil
}

// body writes what a page says; zoomed is with a place for the lanes.
func (h *htmlWriter) body(zoomed bool) error {
	r := h.r
	if s := r.Summary; s != nil {
		h.f("<section class=\"finding %s\">\n<h2>%s</h2>\n", esc(s.Severity.String()), esc(s.Verdict))
		if s.Note != "" {
			h.f("<p>%s</p>\n", esc(s.Note))
		}
		h.f("</section>\n")
		if err := h.plots(r.lead()); err != nil {
			return err
		}
		if len(s.Quality) > 0 {
			h.f("<ul class=\"sum\">\n")
			for _, n := range s.Quality {
				h.f("<li>%s</li>\n", esc(n.Text))
			}
			h.f("</ul>\n")
		}
	}
	if zoomed {
		h.f("<section id=\"timeline\" class=\"timeline\" aria-labelledby=\"timeline-title\" hidden>\n" +
			"<h2 id=\"timeline-title\">Timeline</h2>\n</section>\n")
	}
	findings := r.shownFindings()
	if len(findings) > 0 {
		h.f("<p class=\"sum\">%s</p>\n", esc(countFindings(findings)))
		// Up to three findings are seen at a glance; a list of contents above them would only push them down.
		if len(findings) > 3 {
			h.contents(findings)
		}
		h.f("<section aria-labelledby=\"findings\">\n<h2 id=\"findings\">Findings</h2>\n")
	}
	t0, t1 := r.extent()
	for i, f := range findings {
		if err := h.finding(i, f, t0, t1); err != nil {
			return err
		}
	}
	if len(findings) > 0 {
		h.f("</section>\n")
	}
	for _, it := range r.shownItems() {
		switch it := it.(type) {
		case Chart:
			if err := h.plots([]*charts.Plot{r.painting(it.Plot)}); err != nil {
				return err
			}
		case Text:
			h.text(string(it))
		case Table:
			h.table(it)
		}
	}
	if th := r.thresholds(); len(th) > 0 {
		h.f("<h2>Thresholds used</h2>\n")
		h.keyValues(th)
	}
	if r.Command != "" {
		h.f("<h2>%s</h2>\n<pre><code>%s</code></pre>\n", reproduceTitle, escLines(r.Command))
	}
	// Only now is it known which letters the fonts lacked: the warnings and the list of fonts are of everything above.
	r.warnOf(h.use)
	if made := r.withFonts(h.use); len(made) > 0 {
		h.f("<h2>Made from</h2>\n")
		h.keyValues(made)
	}
	return nil
}

type htmlWriter struct {
	r     *Report
	theme *canvas.Theme
	out   bytes.Buffer
	use   canvas.FontUse // of the pictures
}

// f writes markup. Arguments that come from data have passed esc.
func (h *htmlWriter) f(format string, args ...any) { fmt.Fprintf(&h.out, format, args...) }

// esc writes a text as HTML, in one line and without control characters.
func esc(s string) string { return html.EscapeString(canvas.Undirected(s)) }

// escLines keeps the line breaks.
func escLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = esc(strings.ReplaceAll(l, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// css is the style of the page. Its colours are variables, which a page with a script has for a light and a dark theme.
func (h *htmlWriter) css() string {
	if h.r.Static {
		return fmt.Sprintf(":root{color-scheme:%s;%s}", h.theme.Name, variables(h.theme)) + pageStyle
	}
	light, dark := "color-scheme:light;"+variables(canvas.Light()), "color-scheme:dark;"+variables(canvas.Dark())
	return ":root{" + light + "}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark +
		"}}\n:root[data-theme=dark]{" + dark + "}\n@media print{:root:root:root{" + light + "}}" + pageStyle
}

const pageStyle = `
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 "Liberation Sans",Arial,Arimo,Helvetica,sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px 20px 48px}
h1,h2,h3,h4,h5,h6,p,li,th,td,caption,figcaption{unicode-bidi:plaintext}
h1{font-size:1.9em;line-height:1.2;margin:.2em 0 .3em;overflow-wrap:anywhere}
h2{font-size:1.35em;margin:1.8em 0 .5em;border-bottom:1px solid var(--grid);padding-bottom:.15em}
h3,h4,h5,h6{font-size:1.08em;margin:1.2em 0 .4em}
p,ul,ol{margin:.5em 0}
a{color:var(--link)}
.sum,.foot,.spans,.none{color:var(--muted)}
.foot,.spans{font-size:.88em}
.finding{border-left:8px solid var(--muted);background:var(--panel);padding:.7em 1em;margin:1em 0;overflow-wrap:anywhere}
.finding h3{margin:0 0 .3em}
.finding p{margin:.3em 0}
section.finding h2{border:0;margin:0}
.chip{display:inline-block;font-size:.72em;font-weight:bold;letter-spacing:.04em;padding:.15em .7em;margin-right:.6em;color:var(--on);background:var(--muted);vertical-align:.12em}
.critical{border-color:var(--critical)}.critical .chip{background:var(--critical)}.critical .value{color:var(--critical)}
.warning{border-color:var(--warning)}.warning .chip{background:var(--warning)}.warning .value{color:var(--warning)}
.info{border-color:var(--info)}.info .chip{background:var(--info)}.info .value{color:var(--info)}
.good{border-color:var(--good)}.good .chip{background:var(--good)}.good .value{color:var(--good)}
.value{font-weight:bold}
.track{display:block;width:100%;height:10px;margin:.4em 0}
figure{margin:1.2em 0}
figure svg,figure img{display:block;width:100%;height:auto}
.darkly{display:none}
:root[data-theme=dark] .darkly{display:block}
:root[data-theme=dark] .lightly{display:none}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]) .darkly{display:block}:root:not([data-theme=light]) .lightly{display:none}}
@media print{.darkly.darkly.darkly{display:none}.lightly.lightly.lightly{display:block}}
.wide{overflow-x:auto;margin:.8em 0}
table{border-collapse:collapse;font-size:.92em}
caption{text-align:left;font-weight:bold;padding:.3em 0}
th,td{padding:.3em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
thead th{background:var(--panel);border-bottom:2px solid var(--rule);vertical-align:bottom}
tbody tr:nth-child(even){background:var(--stripe)}
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}
.unit{display:block;font-weight:normal;color:var(--muted);font-size:.88em}
.kv th{font-weight:normal;color:var(--muted);background:none;white-space:nowrap}
.kv td{overflow-wrap:anywhere}
pre{background:var(--panel);padding:.7em 1em;overflow-x:auto}
code{font-family:"Liberation Mono","Courier New",Cousine,monospace;font-size:.94em}
p code,li code,td code{background:var(--panel);padding:0 .2em}
blockquote{margin:.6em 0;padding-left:1em;border-left:4px solid var(--rule);color:var(--muted)}
@media print{main{max-width:none;padding:0}.finding:not(:has(figure)),figure,tr,table:not(:has(tr:nth-child(16))){break-inside:avoid}figure svg,figure img{max-height:24cm}h2,h3,caption,main>p.sum{break-after:avoid}pre{white-space:pre-wrap;overflow-wrap:anywhere}.chip,.finding,.track{print-color-adjust:exact}thead{display:table-header-group}.wide{overflow:visible}}
`

// contents links to the findings, for reports that have many.
func (h *htmlWriter) contents(list []Finding) {
	h.f("<nav aria-label=\"Findings\"><ul>\n")
	for i, f := range list {
		h.f("<li><a href=\"#finding-%d\">%s</a>", i+1, esc(f.headline()))
		if f.Value != "" {
			h.f(" %s", esc(f.Value))
		}
		h.f("</li>\n")
	}
	h.f("</ul></nav>\n")
}

func (h *htmlWriter) finding(i int, f Finding, t0, t1 int64) error {
	h.f("<article class=\"finding %s\" id=\"finding-%d\" data-finding>\n<h3>", esc(f.Severity.String()), i+1)
	if f.Severity != canvas.None {
		h.f("<span class=\"chip\">%s</span>", esc(strings.ToUpper(f.Severity.String())))
	}
	h.f("%s</h3>\n", esc(f.headline()))
	// Names and values are isolated, so that one from right to left does not turn its neighbours around.
	if f.Metric != "" || f.Value != "" || f.Threshold != "" {
		h.f("<p>%s", esc(canvas.Isolated(f.Metric)))
		if f.Metric != "" && f.Value != "" {
			h.f(": ")
		}
		if f.Value != "" {
			h.f("<span class=\"value\">%s</span>", esc(canvas.Isolated(f.Value)))
		}
		if f.Threshold != "" {
			source := ""
			if f.Source != "" {
				source = " (" + canvas.Isolated(f.Source) + ")"
			}
			h.f(" <span class=\"sum\">· threshold %s</span>", esc(canvas.Isolated(f.Threshold)+source))
		}
		h.f("</p>\n")
	}
	if f.Advice != "" {
		h.f("<p>→ %s</p>\n", h.inline(f.Advice))
	}
	if text := f.judgement(); text != "" {
		h.f("<p class=\"sum\">%s</p>\n", esc(text))
	}
	if len(f.Spans) > 0 {
		h.f("<p class=\"spans\">%s</p>\n", esc(charts.SpansText(f.Spans, t0, t1)))
		h.track(f, t0, t1)
	}
	if err := h.plots(f.Plots); err != nil {
		return err
	}
	var foot []string
	if len(f.Evidence) > 0 {
		var names []string
		for _, e := range f.Evidence {
			names = append(names, "<code>"+esc(e)+"</code>")
		}
		foot = append(foot, "evidence: "+strings.Join(names, ", "))
	}
	if f.ID != "" {
		foot = append(foot, "<code>"+esc(f.ID)+"</code>")
	}
	if len(foot) > 0 {
		h.f("<p class=\"foot\">%s</p>\n", strings.Join(foot, " · "))
	}
	h.f("</article>\n")
	return nil
}

// track shows where in the capture a finding holds. Spans that share one of its steps are drawn once.
func (h *htmlWriter) track(f Finding, t0, t1 int64) {
	if t1 <= t0 {
		return
	}
	const steps = 1000
	var on [steps]bool
	k := steps / (float64(t1) - float64(t0))
	for _, s := range f.Spans {
		a := min(max(int((float64(s.Start)-float64(t0))*k), 0), steps-1)
		b := min(max(int((float64(s.End)-float64(t0))*k), a+1), steps)
		for i := a; i < b; i++ {
			on[i] = true
		}
	}
	h.f(
		"<svg class=\"track\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"%d\" height=\"10\" fill=\"var(--grid)\"/>",
		steps, steps)
	for i := 0; i < steps; i++ {
		j := i
		for j < steps && on[j] {
			j++
		}
		if j > i {
			h.f("<rect x=\"%d\" width=\"%d\" height=\"10\" fill=\"var(--%s)\"/>", i, max(j-i, 2),
				severityVariable(f.Severity))
			i = j
		}
	}
	h.f("</svg>\n")
}

func (h *htmlWriter) plots(list []*charts.Plot) error {
	for _, p := range charts.Drawable(list) {
		sc := p.Figure(h.theme, 1)
		h.use = h.use.With(canvas.FontsOf(sc))
		doc, err := sc.Svg()
		h.r.Progress.Add(1)
		if err != nil {
			return fmt.Errorf("report %q: %w", h.r.Title, err)
		}
		caption := esc(p.Caption())
		if canvas.DrawnBytes(doc) <= maxInlineSVG {
			if err := h.inlineSVG(p, doc, caption); err != nil {
				return err
			}
			continue
		}
		data, err := p.Figure(h.theme, 2).PNG(2 * canvas.DefaultDPI)
		if err != nil {
			return fmt.Errorf("report %q: %w", h.r.Title, err)
		}
		h.f("<figure><img alt=\"%s\" width=\"%.0f\" height=\"%.0f\" src=\"data:image/png;base64,%s\"></figure>\n",
			caption, sc.W, sc.H, base64.StdEncoding.EncodeToString(data))
	}
	return nil
}

func (h *htmlWriter) keyValues(list []KV) {
	h.f("<div class=\"wide\"><table class=\"kv\"><tbody>\n")
	for _, kv := range list {
		h.f("<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", esc(kv.Key), esc(kv.Value))
	}
	h.f("</tbody></table></div>\n")
}

func (h *htmlWriter) table(t Table) {
	if len(t.Columns) == 0 {
		if t.Title != "" {
			h.f("<p><b>%s</b></p>\n", esc(t.Title))
		}
		return
	}
	h.f("<div class=\"wide\"><table>\n")
	if t.Title != "" {
		h.f("<caption>%s</caption>\n", esc(t.Title))
	}
	class := make([]string, len(t.Columns))
	h.f("<thead><tr>")
	for j, c := range t.Columns {
		if t.right(j) {
			class[j] = ` class="n"`
		}
		h.f("<th scope=\"col\"%s>%s", class[j], esc(c.Name))
		if c.Unit != "" {
			h.f("<span class=\"unit\">%s</span>", esc(c.Unit))
		}
		h.f("</th>")
	}
	h.f("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		h.f("<tr>")
		for j := range t.Columns {
			cell := ""
			if j < len(row) {
				cell = strings.ReplaceAll(escLines(row[j]), "\n", "<br>")
			}
			h.f("<td%s>%s</td>", class[j], cell)
		}
		h.f("</tr>\n")
	}
	h.f("</tbody></table></div>\n")
	if len(t.Rows) == 0 {
		h.f("<p class=\"none\">no rows</p>\n")
	}
}

// text writes the Markdown of a Text.
func (h *htmlWriter) text(src string) {
	var lists []string // open lists, the outermost first
	closeTo := func(n int) {
		for len(lists) > n {
			h.f("</li></%s>\n", lists[len(lists)-1])
			lists = lists[:len(lists)-1]
		}
	}
	for _, b := range parseMarkdown(src) {
		if b.kind != bullet && b.kind != numbered {
			closeTo(0)
		}
		switch b.kind {
		case heading:
			level := min(b.level+1, 6) // the report's title is the only h1
			h.f("<h%d>%s</h%d>\n", level, h.inline(b.text), level)
		case bullet, numbered:
			tag := "ul"
			if b.kind == numbered {
				tag = "ol"
			}
			depth := min(b.level, len(lists)) // a step down opens one list, however deep it is indented
			closeTo(depth + 1)
			if len(lists) == depth+1 && lists[depth] != tag {
				closeTo(depth)
			}
			start := ""
			if n := strings.TrimRight(b.marker, ".)"); b.kind == numbered && n != "1" {
				start = fmt.Sprintf(" start=\"%s\"", esc(n))
			}
			if len(lists) == depth {
				h.f("<%s%s>\n", tag, start)
				lists = append(lists, tag)
			} else {
				h.f("</li>\n")
			}
			h.f("<li>%s", h.inline(b.text))
		case quote:
			h.f("<blockquote><p>%s</p></blockquote>\n", h.inline(b.text))
		case codeBlock:
			h.f("<pre><code>%s</code></pre>\n", escLines(b.text))
		case ruleBlock:
			h.f("<hr>\n")
		default:
			h.f("<p>%s</p>\n", h.inline(b.text))
		}
	}
	closeTo(0)
}

// inline writes the inline Markdown of a block. Only links to the web become links.
func (h *htmlWriter) inline(text string) string {
	var b strings.Builder
	for _, s := range parseInline(text) {
		out := esc(s.text)
		switch {
		case s.code:
			out = "<code>" + out + "</code>"
		case webLink(s.url):
			out = "<a href=\"" + esc(s.url) + "\" rel=\"noreferrer\">" + out + "</a>"
		case s.url != "":
			out += " (" + esc(s.url) + ")"
		}
		if s.emphasis {
			out = "<em>" + out + "</em>"
		}
		if s.bold {
			out = "<strong>" + out + "</strong>"
		}
		b.WriteString(out)
	}
	return b.String()
}
