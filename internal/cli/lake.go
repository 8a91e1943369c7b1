package cli

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/lake"
	"astrolabe/capture/metrics"
	"astrolabe/internal/version"
	"astrolabe/plots/documents"
)

func (a *app) lakeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lake COMMAND",
		Short: "Keep the numbers of many captures as tables for DuckDB, pandas, polars and Spark",
		Long: "A lake is a folder with three tables in Parquet: captures, metrics and findings, in folders " +
			"build=VALUE/device=VALUE as query engines\n" +
			"know them. docs/lake.md says what the columns are and how to ask each engine. compare --lake finds what " +
			"changed between builds.",
		Args: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			if len(args) == 0 {
				return usagef("lake: give a command: %s", strings.Join(names, ", "))
			}
			return usagef("lake: there is no command %q: give one of %s", args[0], strings.Join(names, ", "))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(a.lakeAddCommand(), a.lakeListCommand(), a.lakeVerifyCommand(), a.lakeCompactCommand())
	return cmd
}

// lakeFolder is --lake, without which no command of it works.
func lakeFolder(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "lake", "", "the `FOLDER` of the lake")
}

// openLake opens what --lake names.
func openLake(dir string) (*lake.Lake, error) {
	if dir == "" {
		return nil, usagef("--lake=FOLDER is missing: it names the folder of the lake")
	}
	l, err := lake.Open(dir)
	if err != nil {
		return nil, usageError{err}
	}
	return l, nil
}

// lakeAddFlags are those of lake add.
type lakeAddFlags struct {
	dir     string
	labels  []string
	scopes  []string
	metrics []string
	replace bool
	jobs    int
	open    openFlags
}

func (a *app) lakeAddCommand() *cobra.Command {
	var f lakeAddFlags
	cmd := &cobra.Command{
		Use:   "add CAPTURE… --lake FOLDER [flags]",
		Short: "Add captures to a lake",
		Long: "Writes what stat, compare and report know of each capture as rows of the three tables. The folder is " +
			"made where there is none. --label\n" +
			"gives all captures a label; build and device decide the folder that the rows are in, where device is " +
			"what the capture says of itself\n" +
			"unless a label says otherwise.\n\n" +
			"A capture is known by its content: adding it again changes nothing, and says so where it has other " +
			"labels, which is an error, or was\n" +
			"computed by another version or catalogue. --replace computes it anew and takes out the old rows. " +
			"Several may add to one lake at once.\n" +
			"A capture that cannot be read is listed and does not stop the others. Captures are worked on at the same " +
			"time, and added in their\n" +
			"order.\n\n" +
			"Exit status: 0 all captures are in the lake; 1 some are not; 2 bad usage.",
		Example: "  astrolabe lake add runs/*.arrow --lake lake --label build=1234 --label scene=menu",
		Args:    argCount(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("jobs") && f.jobs < 1 {
				return usagef("--jobs=%d: there must be at least one", f.jobs)
			}
			if f.jobs == 0 {
				f.jobs = runtime.GOMAXPROCS(0)
			}
			return a.lakeAdd(args, &f)
		},
	}
	f.register(cmd)
	cmd.Flags().IntVarP(&f.jobs, "jobs", "j", 0, "work on `N` captures at a time (default one per core)")
	f.open.register(cmd)
	return cmd
}

// register adds the flags that say what is added and how.
func (f *lakeAddFlags) register(cmd *cobra.Command) {
	lakeFolder(cmd, &f.dir)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.labels, "label", nil,
		"a label as `KEY=VALUE`, such as build=1234; may be given several times")
	flags.StringSliceVar(&f.scopes, "scope", lake.DefaultScopes,
		"what metrics has rows of: `SCOPES` are "+strings.Join(lake.Scopes, ", ")+", with commas between them")
	flags.StringSliceVar(&f.metrics, "metrics", nil,
		"add only the metrics and counters of these `NAMES` or globs, with commas between them")
	flags.BoolVar(&f.replace, "replace", false, "compute captures anew that are in the lake, and take out the old rows")
}

var labelKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// lakeLabels reads the values of --label.
func lakeLabels(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		_, twice := out[key]
		switch {
		case !ok:
			return nil, usagef("--label=%s: write KEY=VALUE, such as build=1234", text)
		case !labelKey.MatchString(key):
			return nil, usagef("--label=%s: the key %q must be letters, digits, _, . and -, a letter first", text, key)
		case value == "":
			return nil, usagef("--label=%s: the value is empty: leave out a label that is not known", text)
		case strings.ToValidUTF8(value, "") != value || strings.ContainsFunc(value, isControl):
			return nil, usagef("--label=%s: the value must be text of one line", notation.VisibleLine(text))
		case twice:
			return nil, usagef("--label=%s: %s is given twice", text, key)
		}
		out[key] = value
	}
	return out, nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// check reads the labels, and finds what makes no sense.
func (f *lakeAddFlags) check() (labels map[string]string, err error) {
	if f.dir == "" {
		return nil, usagef("--lake=FOLDER is missing: it names the folder of the lake, which is made where there is none")
	}
	labels, err = lakeLabels(f.labels)
	if err != nil {
		return nil, err
	}
	for _, s := range f.scopes {
		if !slices.Contains(lake.Scopes, s) {
			return nil, usagef("--scope=%s: use %s", s, strings.Join(lake.Scopes, ", "))
		}
	}
	return labels, nil
}

func (a *app) lakeAdd(paths []string, f *lakeAddFlags) error {
	labels, err := f.check()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if isStream(path) {
			return usagef("%s: what comes from a pipe has no content to know it by again: write it into a file first",
				path)
		}
	}
	if _, err := lake.Create(f.dir); err != nil {
		return usageError{err}
	}
	sums, err := a.lakeAddAll(paths, labels, f)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%d added, %d there already", sums.added, sums.there)
	if sums.failed > 0 {
		text += fmt.Sprintf(", %d failed", sums.failed)
	}
	if err := a.print(text + "\n"); err != nil {
		return err
	}
	if sums.failed > 0 {
		return errReported
	}
	return nil
}

// lakeHas reports whether a capture is in the lake, and gives the hash of its content: what is there need not be read.
func (a *app) lakeHas(l *lake.Lake, path string, labels map[string]string, f *lakeAddFlags) (hash string, there bool,
	err error) {
	if hash, err = formats.HashFile(a.ctx, path); err != nil || f.replace {
		return hash, false, err
	}
	old, err := l.Has(a.ctx, hash)
	switch {
	case err != nil || old == nil:
		return hash, false, err
	case !maps.Equal(old.Labels, labels):
		return hash, false, &lake.DifferentError{Old: old.Labels, New: labels}
	}
	return hash, true, a.lakeOlder(path, old, f)
}

// lakeCompute computes the rows of a capture and adds them; turn waits until those before it are in the lake.
func (a *app) lakeCompute(l *lake.Lake, path, hash string, labels map[string]string, f *lakeAddFlags,
	turn func() error) (out lake.Outcome, err error) {
	c, err := a.openCapture(path, &f.open)
	if err != nil {
		return out, err
	}
	if c.Len() == 0 {
		return out, errors.New("it holds no samples: there is nothing to add")
	}
	of := &lake.Of{Hash: hash, Labels: labels, Scopes: f.scopes, Metrics: f.metrics, Options: f.open.text(),
		Version: version.String()}
	e := &lake.Entry{Capture: of.Row(c), Replace: f.replace, Turn: turn}
	e.Metrics = func(more func([]lake.Metric) error) error { return of.Rows(a.ctx, c, more) }
	if e.Findings, err = a.lakeFindings([]string{path}, c, &e.Capture); err != nil {
		return out, err
	}
	if lake.DeviceOf(&e.Capture) == "" {
		a.warn(path + ": it does not say what it was measured on: give --label device=NAME to tell devices apart")
	}
	return l.Add(a.ctx, e)
}

// lakeOlder says where a capture that is in the lake was computed by something else than what is here.
func (a *app) lakeOlder(path string, old *lake.Capture, f *lakeAddFlags) error {
	var differs []string
	if old.Astrolabe != version.String() {
		differs = append(differs, "astrolabe "+old.Astrolabe+" and not "+version.String())
	}
	if old.Options != nil && *old.Options != f.open.text() || old.Options == nil && f.open.text() != "" {
		differs = append(differs, "other options of reading it")
	}
	for _, text := range strings.Split(orNothing(old.Catalogues), ", ") {
		id, hash, _ := strings.Cut(text, " ")
		if cat, err := metrics.Get(id); err == nil && !strings.HasPrefix(cat.Version(), hash) {
			differs = append(differs, "another version of the catalogue "+id)
		}
	}
	if len(differs) > 0 {
		a.warn(fmt.Sprintf("%s: it is in the lake as computed by %s: --replace computes it anew", path,
			strings.Join(differs, ", ")))
	}
	return nil
}

// text is what was given of the flags, "" where nothing was.
func (f *openFlags) text() string {
	var out []string
	for _, kv := range [][2]string{{"input-format", f.format}, {"gpu", f.gpu}, {"denom", f.denom},
		{"duration-rule", f.duration}, {"zero", f.zero}, {"kinds", f.kinds.String()}} {
		if kv[1] != "" {
			out = append(out, "--"+kv[0]+"="+kv[1])
		}
	}
	if f.force {
		out = append(out, "--force")
	}
	for _, name := range slices.Sorted(maps.Keys(f.extra)) {
		out = append(out, "--input-option="+name+"="+f.extra[name])
	}
	for _, name := range slices.Sorted(maps.Keys(f.properties)) {
		out = append(out, "--property="+name+"="+f.properties[name])
	}
	return strings.Join(out, " ")
}

// lakeFindings are those of the report of a capture; what it judged goes to the row of the capture.
func (a *app) lakeFindings(readable []string, c *capture.Capture, row *lake.Capture) ([]lake.Finding, error) {
	h, err := a.scriptHost(nil, "", readable, "")
	if err != nil {
		return nil, err
	}
	page, err := a.fill(a.ctx, h, c, reportScripts(c, ""), "")
	if err != nil {
		return nil, err
	}
	if page.Judging() {
		judged := page.Judged()
		row.Judged = &judged
	}
	var not []string
	for _, j := range page.NotJudged() {
		not = append(not, j.Subject+": "+j.Why)
	}
	row.NotJudged = lake.Text(strings.Join(not, "\n"))
	var out []lake.Finding
	for _, f := range page.Findings() {
		out = append(out, lakeFinding(row.Capture, &f))
	}
	return out, nil
}

func lakeFinding(hash string, f *documents.Finding) lake.Finding {
	out := lake.Finding{Capture: hash, Finding: f.ID, Severity: f.Severity.String(), Title: f.Title,
		Metric: lake.Text(f.Metric), Value: f.Measured, Limit: f.Limit, Unit: lake.Text(f.Unit),
		ValueText: lake.Text(f.Value), LimitText: lake.Text(f.Threshold), Confidence: lake.Text(f.Confidence),
		Advice: lake.Text(f.Advice), Share: f.Share, Hint: f.Hint, InsteadOf: lake.Text(f.InsteadOf)}
	for _, p := range []**float64{&out.Value, &out.Limit, &out.Share} {
		if *p != nil {
			*p = lake.Number(**p)
		}
	}
	if len(f.Gain) == 2 {
		out.GainLeast, out.GainMost = lake.Number(f.Gain[0]), lake.Number(f.Gain[1])
	}
	return out
}
