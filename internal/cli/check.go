package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/internal/budget"
	"astrolabe/plots/canvas"
	"astrolabe/repl"
)

// checkFlags are the flags of check.
type checkFlags struct {
	budgets, limits []string
	out, margin     string
	json, start     bool
	open            openFlags
	server          serverFlags
}

// checkPicture is the picture that is drawn where a budget is broken and no other is asked for.
const checkPicture = "budget.png"

// maxBudget is how long a budget file may be in bytes.
const maxBudget = 1 << 20

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check CAPTURE… {--budget FILE|--limit LIMIT} [flags]",
		Short: "Hold captures against a budget, and draw what broke",
		Long: "Judges every limit of a budget: a counter, a metric, an expression or a duration, in total, for every " +
			"frame, region, sample or value of a\n" +
			"label, or a statistic of these. Prints the worst value of each with its place. What cannot be judged, " +
			"such as a counter that was not\n" +
			"collected, is not kept, unless its limit says missing = \"skip\". Limits may be on where the time went " +
			"(time.queues_in_turn) and on what report\n" +
			"finds (findings.slow_frames) as well.\n\n" +
			"Where something is broken the picture " + checkPicture +
			" shows it, or the file that -o names, which is always written. docs/budget.md describes the\n" +
			"budget file; --init CAPTURE prints one to start from, with present values and a --margin.\n\n" +
			"Exit status: 0 kept; 1 broken, or a limit cannot be judged; 2 bad usage: a mistake in the budget, a " +
			"file that is no capture.",
		Example: "  astrolabe check --budget budget.toml frame.arrow\n" +
			"  astrolabe check game.arrow --limit 'time.queues_in_turn < 5%' --limit 'findings.critical < 0'\n" +
			"  astrolabe check --budget gpu.toml --budget cpu.toml run1.arrow run2.arrow --junit budget.xml\n" +
			"  astrolabe check --init frame.arrow --margin 10% > budget.toml",
		Args: argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			err := a.check(args, &f)
			var usage usageError
			if err != nil && !isReported(err) && !errors.As(err, &usage) && a.ctx.Err() == nil {
				return usageError{err} // status 1 is for a budget that is not kept
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.budgets, "budget", nil, "the `FILE` with the limits; may be given several times")
	flags.StringArrayVar(&f.limits, "limit", nil,
		"a `LIMIT` on a total, such as \"time.queues_in_turn < 5%\"; may be given several times")
	flags.StringVarP(&f.out, "output", "o", "",
		"draw what came of it as the `FILE`: .png, .svg, .pdf, .md, .html or .json (default "+checkPicture+
			" where something is broken)")
	flags.BoolVar(&f.json, "json", false, "write every result as JSON")
	flags.BoolVar(&f.start, "init", false, "print a budget to start from: what the capture measured, with a margin")
	flags.StringVar(&f.margin, "margin", "10%", "how much worse than now --init allows, as a `SHARE`")
	f.open.register(cmd)
	f.server.register(a, cmd)
	return cmd
}

func (a *app) check(args []string, f *checkFlags) error {
	switch {
	case f.start:
		return a.startBudget(args, f)
	case len(f.budgets)+len(f.limits) == 0:
		return usagef(
			"check needs a --budget; astrolabe check --init %s prints one to start from, and --limit takes single limits",
			args[0])
	}
	if f.out != "" {
		if _, err := canvas.ReportFormatOf(f.out); err != nil { // before anything is read
			return usagef("--output=%s: %v", f.out, err)
		}
	}
	if err := checkOutputs(f.out); err != nil {
		return err
	}
	budgets, err := a.readBudgets(f.budgets)
	if err != nil {
		return err
	}
	if len(f.limits) > 0 {
		b, err := budget.Inline(f.limits)
		if err != nil {
			return usagef("--limit: %v", err)
		}
		budgets = append(budgets, b)
	}
	var said doubts
	list, err := a.judge(args, budgets, f, &said)
	said.tell(a)
	if err != nil {
		return err
	}
	return a.judged(list, f)
}

// judge holds every capture against every budget. What the captures warn of goes to said.
func (a *app) judge(paths []string, budgets []*budget.Budget, f *checkFlags,
	said *doubts) ([]*budget.Judgement, error) {
	var list []*budget.Judgement
	ask := newAsker(a)
	for _, path := range paths {
		o := opened{path: path, open: f.open, byGPU: map[string]*capture.Capture{}, said: said}
		for _, b := range budgets {
			c, err := o.capture(a, b)
			if err != nil {
				return nil, err
			}
			j, err := budget.Judge(a.ctx, b, c, ask)
			if err != nil {
				if len(paths) > 1 {
					err = fmt.Errorf("%s: %w", path, err)
				}
				return nil, err
			}
			list = append(list, j)
		}
	}
	return list, nil
}

// judged reports what came of the budgets.
func (a *app) judged(list []*budget.Judgement, f *checkFlags) error {
	defer survivePipe()()
	kept := true
	for _, j := range list {
		kept = kept && j.OK()
	}
	var said error // the files are written whoever listens
	if !f.json {
		said = a.print(checkedText(list))
	}
	var pictures []string
	var err error
	switch {
	case f.out != "":
		if pictures, err = a.checkPage(list, f.out); err != nil {
			return err
		}
	case !kept:
		if pictures, err = a.checkPage(list, checkPicture); err != nil {
			a.warn(repl.ErrorText(err)) // the verdict matters more than a picture that nobody asked for
		}
	}
	if f.json {
		said = a.printJSON(checkedJSON(list, pictures))
	} else {
		for _, p := range pictures {
			a.wrote(p)
		}
	}
	results := budget.Results(list)
	results.Title = checkedTitle(list)
	if err := a.tell(&f.server, results, !f.json); err != nil {
		return err
	}
	if !kept {
		return errReported
	}
	return said
}

// readBudgets reads every budget file; the error has the mistakes of all.
func (a *app) readBudgets(paths []string) ([]*budget.Budget, error) {
	var out []*budget.Budget
	var errs []error
	for _, path := range paths {
		b, err := a.readBudget(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, b)
	}
	return out, errors.Join(errs...)
}

func (a *app) readBudget(path string) (*budget.Budget, error) {
	data, err := a.readNamed(path, maxBudget, "budget")
	if err != nil {
		return nil, fmt.Errorf("budget: %w", err)
	}
	return budget.Parse(streamName(path), data)
}

// opened is a capture that several budgets are held against, as its content says and as a budget's GPU has it.
type opened struct {
	path  string
	open  openFlags
	byGPU map[string]*capture.Capture
	said  *doubts
}

// capture is the capture, taken to be of the GPU of a budget where it does not say what it is of.
func (o *opened) capture(a *app, b *budget.Budget) (*capture.Capture, error) {
	c, err := o.as(a, o.open.gpu)
	if err != nil || c.GPU != "" || b.GPU == "" {
		return c, err
	}
	return o.as(a, b.GPU)
}

func (o *opened) as(a *app, gpu string) (*capture.Capture, error) {
	if c := o.byGPU[gpu]; c != nil {
		return c, nil
	}
	flags := o.open
	flags.gpu = gpu
	c, err := a.openCapture(o.path, &flags)
	if err != nil {
		return nil, err
	}
	o.said.add(o.path, c.Warnings)
	o.byGPU[gpu] = c
	return c, nil
}

// startBudget prints a budget to start from.
func (a *app) startBudget(args []string, f *checkFlags) error {
	margin, err := analysis.ParseEffect(f.margin)
	switch {
	case err != nil:
		return usagef("--margin: %v", err)
	case len(f.budgets) > 0 || len(f.limits) > 0 || f.out != "" || f.server.junit != "" || f.json:
		return usagef("--init only prints a budget: it goes with a capture and --margin")
	case len(args) > 1:
		return usagef("--init takes one capture, not %s too", strings.Join(args[1:], " and "))
	}
	c, err := a.open(args[0], &f.open)
	if err != nil {
		return err
	}
	text, err := budget.Starting(c, margin)
	if err != nil {
		return err
	}
	return a.print(text)
}
