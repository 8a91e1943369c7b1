package values

import (
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/plots/charts"
	"astrolabe/plots/documents"
)

var reportTable = binding.MethodTable[*Report]{
	Name: "Report",
	Doc: "A document: findings, text, charts and tables, with where they come from. The methods add to it; save " +
		"draws it.",
	Attrs: []binding.Attribute[*Report]{
		{Name: "title", Type: "str", Doc: "Title.", Get: func(r *Report) starlark.Value {
			return starlark.String(r.r.Title)
		}},
		{Name: "findings", Type: "Table", Doc: "The findings so far, the gravest first.",
			Get: func(r *Report) starlark.Value { return r.FindingsTable() }},
		{Name: "capture", Type: "Capture", Doc: "The capture that the report is about, None where it is about none.",
			Get: func(r *Report) starlark.Value {
				if r.cap == nil {
					return starlark.None
				}
				return r.cap
			}},
		{Name: "screenshots", Type: "Screenshots",
			Doc: "The pictures of `report --frames`, None where none were given.",
			Get: func(r *Report) starlark.Value {
				if r.shots == nil {
					return starlark.None
				}
				return r.shots
			}},
		{Name: "judgements", Type: "Table",
			Doc: "What was judged, and why what could not be could not: subject, and why (None where it was judged).",
			Get: func(r *Report) starlark.Value {
				t := NewTable(r.env, []string{"subject", "why"}, nil)
				for _, j := range r.r.Judgements {
					t.Append(starlark.String(j.Subject), binding.Text(j.Why))
				}
				return t
			}},
		{Name: "provenance", Type: "dict", Doc: "What the report was made from.",
			Ask: func(r *Report) (starlark.Value, error) {
				kv, err := r.provenance(r.env.Context())
				if err != nil {
					return nil, err
				}
				d := starlark.NewDict(len(kv))
				for _, p := range kv {
					d.SetKey(starlark.String(p.Key), starlark.String(p.Value))
				}
				d.Freeze()
				return d, nil
			}},
	},
	Methods: []binding.Method[*Report]{
		{Sig: "text(markdown: str)",
			Doc:     "Adds prose: headings, paragraphs, lists, bold, emphasis and code in Markdown.",
			Example: "report.new(\"t\").text(\"## What this shows\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				return starlark.None, r.add(documents.Text(c.Str("markdown", "")))
			}},
		{Sig: "plot(p: Plot)", Doc: "Adds a chart.", Example: "report.new(\"t\").plot(plot.timeline(clk))",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				return starlark.None, r.add(documents.Chart{Plot: c.Arg("p").(*Plot).Plot})
			}},
		{Sig: "lanes(*counters: Counter|list)",
			Doc: "Adds counters to the lanes that an HTML page can zoom, before those of its timelines; nothing of them is " +
				"drawn elsewhere.",
			Example: "report.new(\"t\", capture=cap).lanes(clk, [hits])",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.lanes(c) }},
		{Sig: "table(t: Table, title: str=None)", Doc: "Adds a table.",
			Example: "report.new(\"t\").table(cap.summary(), title=\"Everything\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				t, title := c.Arg("t").(*Table), c.Str("title", "")
				if n := t.rows - documents.MaxPageRows; n > 0 {
					c.Env.Warnf(
						"the table of %d rows is too long for a picture, which leaves out the last %d; .md, .html and .json have them",
						t.rows, n)
				}
				page, err := binding.Await(c.Env.Context(), func() (documents.Table, error) { return t.page(title), nil })
				if err != nil {
					return nil, err
				}
				return starlark.None, r.add(page)
			}},
		{
			Sig: "finding(id: str, severity: str, title: str, evidence: list|Counter=None, value: number|str=None, threshold: number|str=None, advice: str=None, spans: list|Span|Mask=None, source: str=None, confidence: str=None, win: str=None, metric: str=None, share: number=None, gain: list=None, runner_up: str=None, hint: bool=False, instead_of: str=None)",
			Doc: "Adds a judgement: \"critical\", \"warning\", \"info\" or \"good\". evidence are the counters it " +
				"rests on (the first is the metric; its total is the value if none is given), threshold what the " +
				"value was compared with; numbers are in the unit of the first counter, and texts such as \"52.4 %\" " +
				"or \"above 3 ms\" say their own. spans say where it holds, advice one sentence on what to do. " +
				"source says where the threshold comes from, confidence how sure the judgement is, win what a fix " +
				"could gain at most. metric says what value is of where it is not the first counter; \"\" says " +
				"nothing. share is how much of the time it limits (0 to 1), gain the bounds of what relieving it " +
				"saves (two numbers, 0 to 1), runner_up what sets the pace then. A hint is worth knowing whatever " +
				"limits, and no page begins with it. instead_of is the id of a finding: this one says what limits if " +
				"that does not, and stands right behind it.",
			Example: "report.new(\"t\").finding(\"clk/high\", \"warning\", \"The clock is high\", evidence=[clk], threshold=\"above 1000\", spans=clk.gt(1000).spans())",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.finding(c) }},
		{Sig: "account(a: Account=None) -> Account",
			Doc: "Says where the time went: page one shows it as a bar and as a lane over time, and JSON has its " +
				"parts. Without an argument it only returns what was said before, None where nothing was.",
			Example: "report.new(\"t\", capture=cap).account(account(cap))",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				if r.frozen {
					return nil, errFrozenReport
				}
				if c.Has("a") {
					a := c.Arg("a").(*Account)
					page, err := binding.Await(c.Env.Context(), func() (*charts.Account, error) { return a.page(), nil })
					if err != nil {
						return nil, err
					}
					r.time, r.r.Account = a, page
				}
				if r.time == nil {
					return starlark.None, nil
				}
				return r.time, nil
			}},
		{Sig: "judged(subject: str, why: str=None)",
			Doc: "Says that a subject, such as \"the GPU\", was judged, or why it could not be. Where nothing " +
				"could be, the page, the terminal and `report --strict` say so.",
			Example: "report.new(\"t\").judged(\"the GPU\", why=\"only 3 samples\")",
			Run: func(r *Report, c *binding.Call) (starlark.Value, error) {
				if r.frozen {
					return nil, errFrozenReport
				}
				j := documents.Judgement{Subject: c.Str("subject", ""), Why: c.Str("why", "")}
				if !slices.Contains(r.r.Judgements, j) {
					r.r.Judgements = append(r.r.Judgements, j)
				}
				return starlark.None, nil
			}},
		{Sig: "summary(verdict: str, note: str=None, severity: str=\"info\", timeline: Plot=None, quality: list=None)",
			Doc: "Makes page one: the verdict in a sentence and what it rests on, the bar of `account`, three " +
				"findings, one timeline (without one, that of the page which shows most of what the findings rest " +
				"on), and what is to know about the data, a list of texts or of (severity, text).",
			Example: "report.new(\"t\", capture=cap).summary(\"The vector units set the pace\", severity=\"warning\", quality=[(\"good\", \"no gaps\")])",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.summary(c) }},
		{Sig: "save(path: str, " + sizeParams + ")",
			Doc: "Writes the report; the extension says the format: .png, .svg, .pdf, .md (its pictures beside " +
				"it), .html (one file that needs no network; its timelines can be zoomed) or .json. A long PNG goes on in files " +
				"name-2.png and so on. " + sizeDoc,
			Example: "report.new(\"t\", capture=cap).save(\"out.png\")",
			Run:     func(r *Report, c *binding.Call) (starlark.Value, error) { return r.save(c) }},
	},
}
