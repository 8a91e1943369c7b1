package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/internal/recording"
	"astrolabe/internal/script"
	"astrolabe/plots/canvas"
	"astrolabe/plots/screenshots"
	"astrolabe/repl"
	"astrolabe/scripts"
)

// reportFlags are the flags of report; what it does not know goes to the scripts.
type reportFlags struct {
	record recording.Flags
	open   openFlags
	out    string
	script string
	keep   string
	all    bool
	only   bool // page one
	strict bool
	static bool     // HTML without scripts
	full   bool     // HTML with every sample
	frames string   // a folder of pictures of frames
	lanes  []string // counters and metrics that an HTML page can zoom, beside those of its timelines
	rest   []string // of the scripts
	server serverFlags
}

// reportMemory bounds a recording that is not kept, in bytes.
const reportMemory = 1 << 30

func (a *app) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use: "report [CAPTURE] [flags] [SCRIPT FLAGS…]", Annotations: map[string]string{fillsHeap: "yes"},
		Short: "Find what limits this machine, or a capture, and draw it",
		Long: "Writes a page with findings, pictures and provenance, then prints the findings and the path. Without " +
			"a capture it records this machine for\n" +
			"--duration from its best source. The script is the triage of the capture's GPU, and that of the CPU " +
			"where there are CPU columns; where\n" +
			"no script knows the counters the page describes them and judges nothing. --script takes another file " +
			"instead, which defines\n" +
			"analyze(cap, r). Flags that report does not know go to the script's flags(); behind the capture they " +
			"may stand with or without =.\n\n" +
			"Page one says in one screen what sets the pace, where the time went, and how good the data are; " +
			"--summary makes only that.\n\n" +
			"Exit status: 0 the page was made; 2 bad usage, or a capture that cannot be read. With --strict also: 3 " +
			"nothing could be judged, 4 a part of\n" +
			"the page failed.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := asUsage(f.record.Check()); err != nil {
				return err
			}
			if f.record.Duration == 0 {
				return usagef("a report needs a --duration; astrolabe record goes on until Ctrl-C")
			}
			path := ""
			if len(args) > 0 {
				path = args[0]
			}
			return a.report(path, &f)
		},
	}
	f.record.Register(cmd.Flags(), 5*time.Second)
	f.open.register(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "report.png", "the `FILE` to write: .png, .svg, .pdf, .md, .html or .json")
	flags.StringVar(&f.script, "script", "", "the script `FILE` to run instead of the triage")
	flags.StringVar(&f.keep, "keep", "", "keep the recording as `FILE`")
	flags.BoolVar(&f.all, "all", false, "show every rule with its value, its threshold and why it is silent")
	flags.BoolVar(&f.only, "summary", false, "make only page one")
	flags.BoolVar(&f.strict, "strict", false,
		"exit with 3 where nothing could be judged, with 4 where a part of the page failed")
	flags.BoolVar(&f.static, "static", false, "make an HTML page without scripts, that cannot be zoomed")
	flags.BoolVar(&f.full, "full", false, "put every sample into an HTML page, in place of buckets of samples")
	flags.StringVar(&f.frames, "frames", "", "a folder `DIR` of screenshots: those of slow frames stand beside them")
	flags.StringSliceVar(&f.lanes, "lanes", nil,
		"counters and metrics that an HTML page can zoom beside those of its timelines: `NAMES` with , between them, * and ? for any")
	f.server.register(a, cmd)
	takeUnknownFlags(cmd, &f.rest)
	return cmd
}

func (a *app) report(path string, f *reportFlags) error {
	defer survivePipe()()
	format, err := canvas.ReportFormatOf(f.out)
	if err != nil { // before anything is measured
		return usageError{fmt.Errorf("--output=%s: %w", f.out, err)}
	}
	if (f.static || f.full) && format != "html" {
		return usagef("--static and --full are of HTML pages; %s is none", f.out)
	}
	if len(f.lanes) > 0 && (format != "html" || f.static) {
		return usagef("--lanes are of HTML pages that can be zoomed; --output=%s is none", f.out)
	}
	if f.static && f.full {
		return usagef("--static has no samples to zoom, --full puts all of them into the page: choose one")
	}
	if err := checkOutputs(f.out); err != nil {
		return err
	}
	if f.frames != "" {
		if _, err := screenshots.Open(f.frames); err != nil { // before anything is measured
			return usageError{fmt.Errorf("--frames=%s: %w", f.frames, err)}
		}
	}
	if f.keep != "" {
		if path != "" {
			return usagef("--keep=%s keeps a recording that report makes itself; %s is one already", f.keep, path)
		}
		if err := checkKept(f.keep); err != nil {
			return err
		}
	}
	if f.all {
		f.rest = append(f.rest, "--all")
	}
	if path == "" {
		if err := a.reportFlagsDeclared(f); err != nil {
			return err
		}
	}
	h, hostErr := a.reportHost(path, f)
	if hostErr == nil && path != "" && f.script == "" {
		// While the capture is opened: what every report needs, whatever it is of.
		h.runner.Ahead(librarySources("lib")...)
		go metrics.Get(metrics.CPU)
	}
	c, err := a.reportCapture(path, f)
	if err != nil {
		return err
	}
	if hostErr != nil {
		return hostErr
	}
	names := reportScripts(c, f.script)
	if err := h.runner.Declare(a.ctx, names...); err != nil {
		return a.usageOf(err)
	}
	page, err := a.fill(a.ctx, h, c, names, f.frames)
	if err != nil {
		return a.usageOf(err)
	}
	if (f.script == "" || f.only || page.Judging()) && page.Verdict() == "" {
		if err := a.addTo(a.ctx, h, page, summaryScript, "page one"); err != nil {
			return err
		}
	}
	if f.only {
		page.Only()
	}
	if err := page.Lanes(f.lanes); err != nil {
		return usageError{fmt.Errorf("--lanes: %w", err)}
	}
	page.Page(f.static, f.full)
	said := a.print(findingsText(page))
	if err := h.runner.Do(a.ctx, "save", func() error { return page.Save(f.out, canvas.Size{}, nil) }); err != nil {
		return err
	}
	if err := a.tell(&f.server, reportResults(page, orText(path, "this machine"), f.strict), true); err != nil {
		return err
	}
	switch {
	case said != nil || !f.strict:
		return said
	case page.Lacking():
		return statusError{statusPartFailed}
	case !page.Judged():
		return statusError{statusNotJudged}
	}
	return nil
}

// Exit statuses of report --strict.
const (
	statusNotJudged  = 3
	statusPartFailed = 4
)

// fill lets scripts fill a page about a capture. A mistake in a shipped one does not end it: the page is drawn without
// that part and says so.
func (a *app) fill(ctx context.Context, h *host, c *capture.Capture, names []string, frames string) (*values.Report, error) {
	value := values.NewCapture(h.env, c)
	page := values.NewReport(h.env, reportTitle(c), value)
	if frames != "" {
		shots, err := values.OpenScreenshots(h.env, frames)
		if err != nil {
			return nil, err
		}
		page.Screenshots(shots)
	}
	page.HashAhead(ctx)
	lacks := lacking(h, page)
	for i := 0; i < len(names); i++ {
		name := names[i]
		h.env.Contain = nil
		if strings.HasPrefix(name, libraryPrefix) {
			h.env.Contain = lacks
		}
		globals, err := h.load(ctx, name)
		if err != nil {
			return nil, err
		}
		analyze, ok := globals["analyze"].(starlark.Callable)
		if !ok {
			return nil, fmt.Errorf("%s defines no analyze(cap, r), which report calls", name)
		}
		if _, err := h.runner.Call(ctx, analyze, starlark.Tuple{value, page}, nil); err != nil {
			if script.Stopped(err) || !h.env.Contains(err) {
				return nil, err
			}
			lacks("what "+strings.TrimPrefix(name, libraryPrefix)+" adds", err)
		}
		if i == len(names)-1 && strings.HasPrefix(name, libraryPrefix) && !slices.Contains(names, genericScript) &&
			page.Bare() {
			// the rules need counters that are not there, and those that are deserve a page
			names = append(slices.Clone(names), genericScript)
		}
	}
	if frames != "" && !page.Draws("small_multiples") {
		return page, a.addTo(ctx, h, page, framesScript, "the pictures of frames")
	}
	return page, nil
}

// addTo lets a script of the library add a part to a page: page one of what the scripts said, or pictures that none of
// them showed.
func (a *app) addTo(ctx context.Context, h *host, page *values.Report, name, what string) error {
	h.env.Contain = lacking(h, page)
	globals, err := h.runner.LoadModule(ctx, name)
	if err == nil {
		_, err = h.runner.Call(ctx, globals["add"], starlark.Tuple{page.Capture(), page}, nil)
	}
	if err != nil && !script.Stopped(err) {
		h.env.Contain(what, err)
		return nil
	}
	return err
}

// lacking says on a page, and to whom the run talks, that it is drawn without a part.
func lacking(h *host, page *values.Report) func(what string, err error) {
	return func(what string, err error) {
		if page.Lacks(what, err) {
			h.env.Warn(
				fmt.Sprintf("the page is drawn without %s: %s: %v; this is a mistake in the script, please report it",
					what, binding.Place(err), err))
		}
	}
}

// Parts of a page that no triage makes: page one, and pictures of frames where none took long.
const (
	summaryScript = libraryPrefix + "lib/summary.star"
	framesScript  = libraryPrefix + "lib/frames.star"
)

// reportFlagsDeclared checks the flags of the scripts before anything is measured. Which triage it will be is not known
// yet, so that each flag may be of any of them; that of the recording checks them again.
func (a *app) reportFlagsDeclared(f *reportFlags) error {
	names := []string{f.script}
	if f.script == "" {
		names = nil
		for _, name := range triageScripts() {
			names = append(names, libraryPrefix+triage+name+".star")
		}
	}
	h, err := a.reportHost("", f)
	if err != nil {
		return err
	}
	return a.usageOf(h.runner.Declare(a.ctx, names...))
}

// triageScripts are the names of the shipped triage scripts, such as "cpu".
func triageScripts() []string {
	var out []string
	for _, file := range librarySources(strings.TrimSuffix(triage, "/")) {
		out = append(out, strings.TrimSuffix(path.Base(file), ".star"))
	}
	return out
}

// librarySources are the files of a folder of the library without tests, such as "lib/rules.star".
func librarySources(folder string) []string {
	entries, err := fs.ReadDir(scripts.Library, folder)
	if err != nil {
		return nil // the library is part of the program
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".star"); ok && !strings.HasSuffix(name, "_test") {
			out = append(out, folder+"/"+e.Name())
		}
	}
	return out
}

// reportHost contains the scripts of a report.
func (a *app) reportHost(path string, f *reportFlags) (*host, error) {
	repo := ""
	var read []string
	if f.script != "" {
		repo = script.Root(f.script)
	}
	if path != "" && !isStream(path) {
		read = append(read, path)
	}
	return a.scriptHost(f.rest, repo, read, f.out)
}

// reportCapture opens the capture, or records one.
func (a *app) reportCapture(path string, f *reportFlags) (*capture.Capture, error) {
	if path != "" {
		c, err := a.openCapture(path, &f.open)
		if err != nil && !isReported(err) && a.ctx.Err() == nil {
			return nil, usageError{err} // status 1 is for a page that could not be made
		}
		return c, err
	}
	sel, err := f.record.Selection(a.ctx, false)
	if err != nil {
		return nil, err
	}
	opt := f.record.Recording()
	if f.keep != "" {
		return a.keptCapture(opt, sel, f)
	}
	var memory *hwio.Memory
	opt.Create = func(schema *capture.Schema) (hwio.Sink, error) {
		memory = hwio.NewMemory(schema, reportMemory)
		return memory, nil
	}
	res, err := a.measure(a.ctx, opt, sel)
	if res == nil || memory == nil {
		return nil, err
	}
	if err != nil {
		a.warn(repl.ErrorText(err))
	}
	return memory.Capture()
}

// keptCapture records into the file of --keep, which holds everything whatever becomes of the report, and opens it.
func (a *app) keptCapture(opt hwio.Options, sel *hwio.Selection, f *reportFlags) (*capture.Capture, error) {
	opt.Create = recording.CreateFile(f.keep, a.warn)
	res, err := a.measure(a.ctx, opt, sel)
	if res == nil {
		return nil, err
	}
	a.wrote(f.keep)
	if err != nil {
		a.warn(err.Error())
	}
	return a.openCapture(f.keep, &openFlags{})
}

const (
	libraryPrefix = "@astrolabe//"
	triage        = "triage/" // the folder of the library with one script per family of catalogues
)

// genericScript is the triage of what no other script knows.
const genericScript = libraryPrefix + triage + "generic.star"

// reportScripts names the scripts to run: the user's own, or the triage of the GPU and of the CPU columns. Where none
// of a GPU fits, the generic one describes what those of the CPU do not know.
func reportScripts(c *capture.Capture, own string) []string {
	if own != "" {
		return []string{own}
	}
	var names []string
	gpu := false
	for _, cat := range metrics.For(c) {
		path := triage + cat.Triage() + ".star"
		if _, err := fs.Stat(scripts.Library, path); err != nil {
			continue
		}
		names = append(names, libraryPrefix+path)
		gpu = gpu || cat.ID() != metrics.CPU
	}
	if gpu || len(names) > 0 && !slices.ContainsFunc(c.Counters, func(ctr *capture.Counter) bool {
		return ctr.GPU != metrics.CPU
	}) {
		return names
	}
	if c.GPU == metrics.CPU {
		return append(names, genericScript)
	}
	return append([]string{genericScript}, names...)
}

func reportTitle(c *capture.Capture) string {
	what := c.Device.Name
	if what == "" {
		what = c.GPU
	}
	name := orText(c.Name, "capture")
	if what == "" || strings.Contains(name, what) {
		return name
	}
	return name + " on " + what
}

// findingsText is what a page says, for a terminal: its verdict, the findings, the gravest first, and what could not be
// judged.
func findingsText(page *values.Report) string {
	var out strings.Builder
	if v := page.Verdict(); v != "" {
		out.WriteString(v + "\n")
	}
	found := page.Findings()
	for _, f := range found {
		out.WriteString(f.Severity.String() + ": " + f.Title + "\n")
		if f.Advice != "" {
			out.WriteString("    " + f.Advice + "\n")
		}
	}
	switch {
	case len(found) > 0:
	case page.Lacking():
		out.WriteString("no findings in the parts that were drawn\n")
	default:
		out.WriteString("no findings\n")
	}
	for _, text := range page.Doubts() {
		out.WriteString("note: " + text + "\n")
	}
	return out.String()
}
