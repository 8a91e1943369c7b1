package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats"
	"astrolabe/capture/lake"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

// work are the flags of every command over captures.
func (f *mapFlags) work(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVarP(&f.jobs, "jobs", "j", 0, "work on `N` captures at a time in each process (default one per core)")
	flags.StringVar(&f.from, "from", "", "further captures from the list in `FILE`, - for standard input")
	flags.StringVar(&f.shard, "shard", "", "only part `I/N` of the captures, such as 2/8, by the hash of their paths")
	f.open.register(cmd)
}

// rows are the flags of commands that write rows.
func (f *mapFlags) rows(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.csv, "csv", false, "write the rows as comma-separated values")
	flags.BoolVar(&f.lines, "jsonl", false, "write the rows as lines of JSON")
	flags.StringVarP(&f.output, "output", "o", "", "write the rows to `FILE`: .parquet, .csv or .jsonl")
}

// ready checks the flags of a command over captures.
func (f *mapFlags) ready(cmd *cobra.Command) error {
	if cmd.Flags().Changed("jobs") && f.jobs < 1 {
		return usagef("--jobs=%d: there must be at least one", f.jobs)
	}
	if f.jobs == 0 {
		f.jobs = runtime.GOMAXPROCS(0)
	}
	return f.check()
}

// atLeast wants arguments, of which the captures may be in a list instead.
func (f *mapFlags) atLeast(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if f.from != "" {
			return argCount(n-1, -1)(cmd, args)
		}
		return argCount(n, -1)(cmd, args)
	}
}

// noScript is the bundle of work that calls none.
func noScript() *script.Bundle { return &script.Bundle{Main: libraryPrefix} }

func (a *app) triageCommand() *cobra.Command {
	var f mapFlags
	cmd := &cobra.Command{
		Use:   "triage CAPTURE… [flags]",
		Short: "Collect the findings of the report of each capture",
		Long: "A row for each finding, as report judges the capture: gpu, device_name, judged, not_judged, finding, severity, " +
			"metric, value, limit and more.\nA capture without findings has one row, which says whether anything was judged.",
		Args: func(cmd *cobra.Command, args []string) error { return f.atLeast(1)(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.ready(cmd); err != nil {
				return err
			}
			return a.mapWork(&mapSetup{Kind: workTriage, Bundle: noScript()}, args, &f, (*mapRun).write)
		},
	}
	f.work(cmd)
	f.rows(cmd)
	cmd.Flags().BoolVar(&f.resume, "resume", false,
		"with -o: skip what the journal beside the file has of the same captures, and keep it")
	return cmd
}

func (a *app) fleetLakeCommand() *cobra.Command {
	var f mapFlags
	var l lakeAddFlags
	cmd := &cobra.Command{
		Use:   "lake CAPTURE… --lake FOLDER [flags]",
		Short: "Add captures to a lake, as astrolabe lake add does",
		Long: "The captures that could be read appear in the lake together when all are done, and none where the job fails. " +
			"The folder must be on storage\nthat all machines share and that has locks.",
		Args: func(cmd *cobra.Command, args []string) error { return f.atLeast(1)(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.ready(cmd); err != nil {
				return err
			}
			l.open = f.open
			return a.fleetLake(args, &f, &l)
		},
	}
	f.work(cmd)
	l.register(cmd)
	return cmd
}

func (a *app) fleetLake(args []string, f *mapFlags, l *lakeAddFlags) error {
	labels, err := l.check()
	if err != nil {
		return err
	}
	into, err := lake.Create(l.dir)
	if err != nil {
		return usageError{err}
	}
	stage, err := into.Stage()
	if err != nil {
		return err
	}
	defer stage.Close()
	setup := &mapSetup{Kind: workLake, Bundle: noScript(), Lake: &lakeSetup{Dir: l.dir, Stage: stage.Dir(), Labels: labels,
		Scopes: l.scopes, Metrics: l.metrics, Replace: l.replace}}
	return a.mapWork(setup, args, f, func(r *mapRun) error {
		added, differ := 0, 0
		err := stage.Merge(a.ctx, l.replace, func(name string, out lake.Outcome, err error) {
			switch {
			case err != nil: // another writer was faster, with other labels
				differ++
				fmt.Fprintf(a.talk, "failed: %s: %v\n", name, err)
			case out.Added:
				added++
			}
		})
		if err != nil {
			return err
		}
		failed := r.failed + differ
		text := fmt.Sprintf("%d added, %d there already", added, len(r.paths)-failed-added)
		if failed > 0 {
			text += fmt.Sprintf(", %d failed", failed)
		}
		if err := a.print(text + "\n"); err != nil || differ == 0 {
			return err
		}
		return errReported
	})
}

func (a *app) aggregateCommand() *cobra.Command {
	var f mapFlags
	var g Groups
	var quantiles []string
	cmd := &cobra.Command{
		Use:   "aggregate SCRIPT CAPTURE… --by KEYS [flags] [SCRIPT FLAGS…]",
		Short: "Run a script over many captures and put the numbers of its rows together, by groups",
		Long: "SCRIPT is that of map. For each group and each column of numbers there is a row: count, missing, sum, mean, " +
			"min, max and quantiles. A group is\nwhat has the same values of --by, which are keys of the rows or KEY= " +
			"folders of the captures. Sums are exact, rounded once; quantiles are off by 1 % of\ntheir value at most " +
			"(DDSketch). Both are the same whatever the order in which the captures are worked on.",
		Example: "  astrolabe-beam aggregate rate.star farm --by gpu,build --of seconds,samples",
		Args:    func(cmd *cobra.Command, args []string) error { return f.atLeast(2)(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.ready(cmd); err != nil {
				return err
			}
			for _, text := range quantiles {
				q, err := strconv.ParseFloat(text, 64)
				if err != nil || !(q >= 0 && q <= 1) {
					return usagef("--quantiles: %q is no number from 0 to 1", text)
				}
				g.Quantiles = append(g.Quantiles, q)
			}
			for _, key := range slices.Concat(g.By, g.Of) {
				if strings.TrimSpace(key) == "" {
					return usagef("--by and --of: a name is empty")
				}
			}
			f.groups = &g
			if err := notCapture(args[0]); err != nil {
				return err
			}
			bundle, err := script.NewBundle(scripts.Library, args[0])
			if err != nil {
				return err
			}
			if f.output != "" {
				if err := formats.CheckOutput(f.output); err != nil {
					return err
				}
			}
			output := f.output
			f.output, f.lines = "", false // rows of captures go nowhere
			return a.mapWork(&mapSetup{Script: args[0], Bundle: bundle}, args[1:], &f, func(r *mapRun) error {
				f.output = output
				return r.writeGroups(g.Rows)
			})
		},
	}
	f.work(cmd)
	f.rows(cmd)
	cmd.Flags().StringSliceVar(&g.By, "by", nil, "the `KEYS` of rows or folders that make a group, with commas between them "+
		"(default all rows are one)")
	cmd.Flags().StringSliceVar(&g.Of, "of", nil, "the `COLUMNS` of numbers (default all)")
	cmd.Flags().StringSliceVar(&quantiles, "quantiles", []string{"0.5", "0.9", "0.99"}, "the `QUANTILES`, from 0 to 1")
	takeUnknownFlags(cmd, &f.rest)
	return cmd
}
