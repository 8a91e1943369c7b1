package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	by, minEffect, out            string
	metrics, more, less, baseline []string
	alpha                         float64
	seed                          uint64
	json, all                     bool
	open                          openFlags
	lake                          lakeCompareFlags
	server                        serverFlags
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use: "compare BEFORE AFTER [BEFORE2…] [flags]", Annotations: map[string]string{fillsHeap: "yes"},
		Short: "Find what changed between two captures, the worst first",
		Long: "Judges every counter and metric that both captures have: the change with its interval, an effect " +
			"size, and whether it stands out of the noise.\n" +
			"Further captures, also those of --baseline, are repeated runs of BEFORE; a change then has to stand out " +
			"of the noise between runs too.\n\n" +
			"Totals of captures that differ in length differ without a change, so counts are compared per second, or " +
			"per frame, occurrence or dispatch (\"per\n" +
			"sample\"); gauges are time-weighted means and metrics their formulas on totals. The output says " +
			"which.\n\n" +
			"Where there is a table of what can set the pace of the GPU, it says as well how long each thing did, in " +
			"ms per frame, or per second of measured time.\n\n" +
			"Spreads come from a block bootstrap, for series that are skewed and whose samples depend on each other. " +
			"Of all reported changes at most the\n" +
			"fraction --alpha is expected to be noise (Benjamini and Hochberg). Whether more is better is what the " +
			"catalogue says; --more and --less say it\n" +
			"for others. Missing values, and counters measured in different passes, are listed with the reason and " +
			"never judged.\n" +
			"A label that numbers frames or single samples is compared by frame: its values are observations, not " +
			"rows.\n\n" +
			"By frame, frame N of one capture is compared with frame N of the other where all have the same frames " +
			"in the same order, as a replayed scene has:\n" +
			"what the scene itself costs then cancels, and small changes of every frame are found. Captures whose " +
			"frames differ in number or name are compared\n" +
			"without pairs. The output says which: \"paired: yes\" or \"paired: no\".\n\n" +
			"--lake compares the captures of a lake (lake add makes one): those that --before chooses by their labels with " +
			"those of --after, by device\n" +
			"or what else --by names, with commas between labels. Without --before and --after it says at which builds " +
			"metrics changed their level.\n\n" +
			"Exit status: 0 no change beyond the noise, or better; 1 worse; 2 bad usage, unreadable or not " +
			"comparable captures.",
		Example: "  astrolabe compare before.arrow after.arrow -o changes.png\n" +
			"  astrolabe compare --lake lake --before build=1233 --after build=1234 --by device\n" +
			"  astrolabe compare before.arrow after.arrow --baseline before2.arrow --baseline before3.arrow\n" +
			"  astrolabe compare old new --by kernel --metrics '*hit_rate*,duration'",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.lake.dir != "" {
				return nil
			}
			return argCount(2, -1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := error(nil)
			if f.lake.dir == "" {
				for _, name := range []string{"before", "after", "where", "scope"} {
					if cmd.Flags().Changed(name) {
						return usagef("--%s chooses captures of a lake: --lake=FOLDER is missing", name)
					}
				}
				err = a.compare(args, &f)
			} else {
				by := "device"
				if cmd.Flags().Changed("by") {
					by, f.by = f.by, "time"
				}
				err = a.compareLake(args, &f, by)
			}
			var usage usageError
			if err != nil && !isReported(err) && !errors.As(err, &usage) && a.ctx.Err() == nil {
				return usageError{err} // status 1 is for a change for the worse
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.by, "by", "time", "what of both to compare: `WHAT` is time, region, frame, kernel or label NAME; of a lake labels, such as device,scene")
	flags.StringSliceVar(&f.metrics, "metrics", nil,
		"compare only the metrics and counters of these `NAMES` or globs, with commas between them")
	flags.Float64Var(&f.alpha, "alpha", analysis.DefaultAlpha,
		"the accepted `FRACTION` of reported changes that are noise")
	flags.StringVar(&f.minEffect, "min-effect", "1%", "the least relative `CHANGE` to report")
	flags.StringArrayVar(&f.baseline, "baseline", nil,
		"a `FILE` with a repeated run of BEFORE; may be given several times")
	flags.StringSliceVar(&f.more, "more", nil, "more of these `GLOBS` is better")
	flags.StringSliceVar(&f.less, "less", nil, "less of these `GLOBS` is better")
	flags.StringVarP(&f.out, "output", "o", "",
		"draw what changed as the `FILE`: .png, .svg, .pdf, .md, .html or .json")
	flags.BoolVar(&f.json, "json", false, "write every row as JSON")
	flags.BoolVar(&f.all, "all", false, "also list what did not change and what was not judged")
	flags.Uint64Var(&f.seed, "seed", 0, "the `NUMBER` that the draws of the bootstrap begin with")
	f.lake.register(cmd)
	f.open.register(cmd)
	f.server.register(a, cmd)
	joinLabel(cmd)
	return cmd
}

// joinLabel makes a command take "--by label NAME" as one flag, "--by=label:NAME".
func joinLabel(cmd *cobra.Command) {
	cmd.DisableFlagParsing = true
	run, check := cmd.RunE, cmd.Args
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		flags.AddFlagSet(cmd.InheritedFlags())
		cmd.InitDefaultHelpFlag()
		if err := flags.Parse(joinLabelArgs(args)); err != nil {
			return flagError(cmd, err)
		}
		if help, err := flags.GetBool("help"); err == nil && help {
			return cmd.Help()
		}
		if err := check(cmd, flags.Args()); err != nil {
			return err
		}
		return run(cmd, flags.Args())
	}
}

func joinLabelArgs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case args[i] == "--by" && i+2 < len(args) && args[i+1] == "label" && args[i+2] != "--":
			out = append(out, "--by=label:"+args[i+2])
			i += 2
		case args[i] == "--by=label" && i+1 < len(args) && args[i+1] != "--":
			out = append(out, "--by=label:"+args[i+1])
			i++
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// options are those of the comparison.
func (f *compareFlags) options() (analysis.Options, error) {
	opt := analysis.Options{Metrics: f.metrics, Alpha: f.alpha, More: f.more, Less: f.less, Seed: f.seed}
	var err error
	if opt.By, opt.Label, err = analysis.ParseBy(f.by); err != nil {
		return opt, usagef("--by: %v", err)
	}
	if opt.MinEffect, err = analysis.ParseEffect(f.minEffect); err != nil {
		return opt, usagef("--min-effect: %v", err)
	}
	if !(f.alpha > 0 && f.alpha < 1) {
		return opt, usagef("--alpha=%v: it must lie between 0 and 1", f.alpha)
	}
	return opt, nil
}

// compared are the captures of a comparison and what came of it.
type compared struct {
	before, after []*capture.Capture
	result        *analysis.Result
	time          *comparedTime // nil where nobody can tell
}

func (a *app) compare(args []string, f *compareFlags) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	if f.out != "" {
		if _, err := canvas.ReportFormatOf(f.out); err != nil { // before anything is read
			return usagef("--output=%s: %v", f.out, err)
		}
	}
	if err := checkOutputs(f.out); err != nil {
		return err
	}
	var x compared
	var warned doubts
	for i, path := range slices.Concat(args, f.baseline) {
		c, err := a.openCapture(path, &f.open)
		if err != nil {
			return err
		}
		warned.add(path, c.Warnings)
		if i == 1 {
			x.after = append(x.after, c)
		} else {
			x.before = append(x.before, c)
		}
	}
	warned.tell(a)
	ctx, done := a.busy(a.ctx, "comparing "+args[0]+" and "+args[1])
	x.result, err = analysis.Compare(ctx, x.before, x.after, opt)
	done()
	if err != nil {
		return err
	}
	for _, n := range x.result.Notes {
		a.warn(n)
	}
	if x.time, err = a.compareTime(&x); err != nil {
		return err
	}
	defer survivePipe()()
	said := a.printCompared(&x, f) // the page is written whoever listens
	if f.out != "" {
		if err := a.comparePage(&x, f); err != nil {
			return err
		}
	}
	if err := a.tell(&f.server, comparedResults(x.result, args[1]), !f.json); err != nil {
		return err
	}
	switch {
	case x.result.Judged == 0:
		return usagef("not comparable: nothing could be judged: %s", firstReasons(reasons(x.result)))
	case x.result.Count(analysis.Worse) > 0:
		return errReported
	}
	return said
}

func (a *app) printCompared(x *compared, f *compareFlags) error {
	if f.json {
		return a.printJSON(comparedJSON(x))
	}
	table := comparedTable(x.result, func(r *analysis.Row) bool {
		return f.all || (r.Verdict != analysis.Same && r.Verdict != analysis.NotJudged)
	})
	var out strings.Builder
	if text := pairedText(x.result); text != "" {
		out.WriteString(text + "\n\n")
	}
	if len(table.Rows) > 0 {
		out.WriteString(table.String() + "\n")
	}
	if text := x.time.text(); text != "" {
		out.WriteString(text + "\n")
	}
	out.WriteString(summaryLine(x.result) + "\n")
	if text := basesText(x.result); text != "" {
		out.WriteString("compared: " + text + "\n")
	}
	if !f.all {
		if list := reasons(x.result); len(list) > 0 {
			fmt.Fprintf(&out, "not judged (--all lists them): %s\n", firstReasons(list))
		}
	}
	if n := len(x.result.OnlySome); n > 0 {
		fmt.Fprintf(&out, "only in some captures: %s\n", listed(x.result.OnlySome, 8))
	}
	if len(x.before) == 1 {
		out.WriteString("one run each: differences between runs are not known; --baseline takes repeated runs\n")
	}
	return a.print(out.String())
}

// comparedTable sets the chosen rows in columns.
func comparedTable(res *analysis.Result, keep func(*analysis.Row) bool) *notation.TextTable {
	part := partName(res)
	t := &notation.TextTable{Header: []string{"verdict", "metric", "before", "after", "change", interval(res), "effect",
		"q", "compared"},
		Right: []bool{false, false, true, true, true, true, true, true, false}}
	if part != "" {
		t.Header, t.Right = slices.Insert(t.Header, 1, part), slices.Insert(t.Right, 1, false)
	}
	short := shortParts(res, keep)
	for i := range res.Rows {
		r := &res.Rows[i]
		if !keep(r) {
			continue
		}
		row := []string{string(r.Verdict), r.Name, charts.Quantity(r.Before, r.Unit), charts.Quantity(r.After, r.Unit),
			changeText(r), intervalText(r), figure(r.Effect, "%+.2f"), chanceText(r.Q), basisName(r.Basis)}
		if r.Verdict == analysis.NotJudged {
			row[4], row[5], row[6], row[7] = "-", "-", "-", "-"
			row[1] += " (" + r.Why + ")"
		}
		if part != "" {
			row = slices.Insert(row, 1, short[r.Part])
		}
		t.Add(row...)
	}
	return t
}

// shortParts are the names of the parts that have rows, with what they have in common left out as far as they stay
// different: those of templated kernels have thousands of characters, and every row of the table is as wide as the
// widest.
func shortParts(res *analysis.Result, keep func(*analysis.Row) bool) map[string]string {
	const width = 64
	short, alike := map[string]string{}, map[string][]string{}
	for i := range res.Rows {
		r := &res.Rows[i]
		if _, known := short[r.Part]; known || !keep(r) {
			continue
		}
		s := shortened(r.Part, width)
		short[r.Part], alike[s] = s, append(alike[s], r.Part)
	}
	// Those that differ only in what was cut begin anew where they differ, and part there.
	for before := 0; before < len(alike); {
		before = len(alike)
		next := map[string][]string{}
		for s, parts := range alike {
			if len(parts) == 1 {
				next[s] = parts
				continue
			}
			common := commonPrefix(parts)
			for _, part := range parts {
				s := shortened(part, width/2) + " " + shortened("…"+strings.ToValidUTF8(part[common:], ""), width)
				short[part], next[s] = s, append(next[s], part)
			}
		}
		alike = next
	}
	return short
}

// commonPrefix is how many bytes of whole characters texts begin with in common.
func commonPrefix(texts []string) int {
	common := len(texts[0])
	for _, text := range texts[1:] {
		for !strings.HasPrefix(text, texts[0][:common]) {
			common--
		}
	}
	for common < len(texts[0]) && !utf8.RuneStart(texts[0][common]) {
		common--
	}
	return common
}

// partName is what rows are told apart by besides the metric, "" for the whole captures.
func partName(res *analysis.Result) string {
	switch res.Options.By {
	case analysis.ByRegion:
		return "region"
	case analysis.ByLabel:
		return res.Options.Label
	}
	return ""
}

// summaryLine counts the verdicts.
func summaryLine(res *analysis.Result) string {
	var parts []string
	for _, v := range []analysis.Verdict{analysis.Worse, analysis.Changed, analysis.Better} {
		parts = append(parts, fmt.Sprintf("%d %s", res.Count(v), v))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(", %d without a change beyond the noise, %d not judged",
		res.Count(analysis.Same), res.Count(analysis.NotJudged))
}

// reasons says how many rows were not judged for each reason, the commonest first. Reasons that differ only in their
// numbers are one.
func reasons(res *analysis.Result) []string {
	type reason struct {
		why   string
		count int
		names []string
		seen  map[string]bool
	}
	var order []*reason
	byKind := map[string]*reason{}
	for i := range res.Rows {
		r := &res.Rows[i]
		if r.Verdict != analysis.NotJudged {
			continue
		}
		kind := strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' || c == '.' {
				return -1
			}
			return c
		}, r.Why)
		x := byKind[kind]
		if x == nil {
			x = &reason{why: r.Why, seen: map[string]bool{}}
			byKind[kind], order = x, append(order, x)
		}
		x.count++
		if !x.seen[r.Name] {
			x.seen[r.Name], x.names = true, append(x.names, r.Name)
		}
		if x.why != r.Why && !strings.HasPrefix(x.why, "such as ") {
			x.why = "such as " + x.why
		}
	}
	slices.SortStableFunc(order, func(a, b *reason) int { return b.count - a.count })
	out := make([]string, len(order))
	for i, x := range order {
		out[i] = fmt.Sprintf("%d of %s: %s", x.count, listed(x.names, 4), x.why)
	}
	return out
}

// firstReasons joins the commonest reasons to one line.
func firstReasons(list []string) string {
	const show = 3
	text := strings.Join(list[:min(show, len(list))], "; ")
	if n := len(list) - show; n > 0 {
		text += fmt.Sprintf("; and other reasons: %d", n)
	}
	return text
}

// listed joins the first names of a list and counts the others.
func listed(names []string, show int) string {
	text := strings.Join(names[:min(show, len(names))], ", ")
	if n := len(names) - show; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
