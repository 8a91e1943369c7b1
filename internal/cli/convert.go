package cli

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/formats/parquet"
	"astrolabe/capture/metrics"
)

func (a *app) convertCommand() *cobra.Command {
	var format, partition string
	var opt openFlags
	var view viewFlags
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a capture in another format",
		Long: "Reads the capture IN, a file or folder whose format is found from its content, and writes it as OUT. " +
			"The extension of OUT selects\nits format unless --format does; - writes to standard output, where it " +
			"needs --format, and as IN it reads standard input. With --partition OUT is a folder that gets\nParquet " +
			"files below KEY=VALUE folders, as DuckDB and Spark read them; a file of other data that is\nthere " +
			"already is never replaced.\n\n" +
			"--metrics writes metrics in place of counters, --select counters (beside metrics, if both are given), " +
			"--resample and --by over which stretches\nof time: a metric is then its formula on the totals of " +
			"the stretch. A value that is missing is missing in OUT.",
		Example: "  astrolabe convert run.arrow run.parquet\n" +
			"  astrolabe convert run.arrow run.csv --metrics all --by frame\n" +
			"  astrolabe convert run.arrow run.pftrace --metrics '*utilization*' --select 'GPU*' --resample 10ms",
		Args: argCount(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			parts, err := checkConversion(args[1], format, partition)
			if err != nil {
				return err
			}
			if err := view.check(); err != nil {
				return err
			}
			c, err := a.open(args[0], &opt)
			if err != nil {
				return err
			}
			as := format
			if partition != "" {
				as = (parquet.Format{}).Name()
			}
			if c, err = a.view(c, &view, args[1], as); err != nil {
				return err
			}
			if partition != "" {
				return a.partition(c, args[1], parts)
			}
			return a.convert(c, args[1], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "",
		"the `FORMAT` to write: "+strings.Join(all.Registry().Names(true), ", "))
	cmd.Flags().StringVar(&partition, "partition", "",
		"write Parquet in folders by these `KEYS`, such as device,build or device,build=1234")
	view.register(cmd)
	opt.register(cmd)
	return cmd
}

// checkConversion finds out whether the output can be what the command line asks for, before the input is read.
func checkConversion(out, format, partition string) ([]parquet.Partition, error) {
	switch {
	case partition == "" && out == "-":
		if format == "" {
			return nil, usagef("convert to standard output needs --format, such as --format=csv")
		}
		_, err := all.Registry().Writer("", format)
		return nil, err
	case partition == "":
		if _, err := all.Registry().Writer(out, format); err != nil {
			return nil, err
		}
		return nil, checkOutputs(out)
	case format != "" && format != (parquet.Format{}).Name():
		return nil, usagef("--partition writes Parquet, not %s", format)
	}
	parts, err := parquet.ParsePartitions(partition)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return parts, formats.CheckOutputFolder(out)
}

func (a *app) convert(c *capture.Capture, out, format string) error {
	for _, w := range all.Registry().Doubts(out, format, c) {
		a.warn(w)
	}
	if out == "-" {
		if isTerminal(a.out.file) { // what is written would run into the line
			return all.Registry().Encode(a.ctx, a.out, "", format, c)
		}
		ctx, done := a.busy(a.ctx, "writing "+format)
		defer done()
		return all.Registry().Encode(ctx, a.out, "", format, c)
	}
	ctx, done := a.busy(a.ctx, "writing "+out)
	err := all.Registry().Save(ctx, out, format, c)
	done()
	if err != nil {
		return err
	}
	a.wrote(out)
	return nil
}

// partition writes c as a partitioned data set below dir.
func (a *app) partition(c *capture.Capture, dir string, parts []parquet.Partition) error {
	ctx, done := a.busy(a.ctx, "writing "+dir)
	paths, err := parquet.WritePartitioned(ctx, dir, c, parts)
	done()
	for _, p := range paths {
		if other := parquet.Beside(p, c); other != "" {
			a.warn(
				fmt.Sprintf(
					"%s has other data and stays: %s is written beside it as %s; delete one of them if both are one recording",
					other, c.Path, filepath.Base(p)))
		}
		a.wrote(p)
	}
	return err
}

// openFlags are what a user may say about a capture that its content does not.
type openFlags struct {
	format, gpu, denom, duration, zero string
	force                              bool
	kinds                              kindsFlag
	extra                              map[string]string
	properties                         map[string]string
}

// kindsFlag is --kinds, which may stand several times.
type kindsFlag struct {
	texts []string
	kinds formats.Kinds
}

func (k *kindsFlag) String() string { return strings.Join(k.texts, ",") }
func (k *kindsFlag) Type() string   { return "kinds" }

func (k *kindsFlag) Set(text string) error {
	texts := append(k.texts, text)
	kinds, err := formats.ParseKinds(texts...)
	if err != nil {
		return err
	}
	k.texts, k.kinds = texts, kinds
	return nil
}

func (f *openFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "input-format", "", "the `FORMAT` of the capture: "+
		strings.Join(all.Registry().Names(false), ", ")+" (default found from its content)")
	flags.StringToStringVar(&f.extra, "input-option", nil,
		"`NAME=VALUE` options of that format, such as period=10ms of a table without times")
	flags.StringToStringVar(&f.properties, "property", nil,
		"`NAME=VALUE` constants of the capture that its content does not say, such as MaliConstantsL2SliceCount=4")
	flags.StringVar(&f.gpu, "gpu", "", "the catalogue `ID`, such as gfx1151 (default taken from the capture)")
	flags.BoolVar(&f.force, "force", false, "read by --gpu also what says that it is of another vendor or architecture")
	flags.StringVar(&f.denom, "denom", "", "what counts are divided by: per_kernel, per_wave, per_cycle or per_second")
	flags.StringVar(&f.duration, "duration-rule", "", "whose duration rates use: pass, median or first")
	flags.StringVar(&f.zero, "zero", "", "what a zero divisor gives: missing or vendor")
	flags.Var(&f.kinds, "kinds",
		"of what kind counters are, as `NAME=KIND` with commas between: a name may have * and ?, a kind is delta, gauge or constant")
}

func (f *openFlags) options() formats.Options {
	out := formats.Options{Format: f.format, GPU: f.gpu, Force: f.force, Denom: f.denom, Duration: f.duration,
		Zero: f.zero, Kinds: f.kinds.kinds}
	for _, name := range slices.Sorted(maps.Keys(f.properties)) {
		p := capture.Property{Name: name, Text: f.properties[name]}
		x, err := strconv.ParseFloat(p.Text, 64)
		if p.IsText = err != nil || math.IsNaN(x) || math.IsInf(x, 0); !p.IsText {
			p.Number, p.Text = x, ""
		}
		out.Properties = append(out.Properties, p)
	}
	if len(f.extra) > 0 {
		out.Extra = make(map[string]any, len(f.extra))
		for name, value := range f.extra {
			if out.Extra[name] = value; value == "true" || value == "false" {
				out.Extra[name] = value == "true"
			}
		}
	}
	return out
}

// forcedTitle ends the title of a page about captures that were read as what they say they are not; "" where none was.
func forcedTitle(captures ...*capture.Capture) string {
	for _, c := range captures {
		if c.Stated != "" {
			return fmt.Sprintf(" (read as %s by force)", c.GPU)
		}
	}
	return ""
}

// openCapture reads a capture, and tells a person how far it is.
func (a *app) openCapture(path string, f *openFlags) (*capture.Capture, error) {
	if f.gpu != "" {
		if _, err := metrics.Get(f.gpu); err != nil {
			return nil, usagef("--gpu: %v", err)
		}
	} else if f.force {
		return nil, usagef("--force goes with --gpu=ID, which it insists on")
	}
	file, err := a.captureFile(path)
	if err != nil {
		return nil, err
	}
	ctx, done := a.busy(a.ctx, "opening "+streamName(path))
	defer done()
	c, err := all.Registry().Open(ctx, file, f.options())
	if file == path {
		return c, err
	}
	if err != nil {
		return nil, &streamError{strings.ReplaceAll(err.Error(), file, streamName(path)), err}
	}
	return c.With(func(cfg *capture.Config) {
		cfg.Warnings = slices.Clone(cfg.Warnings)
		for i, w := range cfg.Warnings {
			cfg.Warnings[i] = strings.ReplaceAll(w, file, streamName(path))
		}
	})
}

// open reads a capture, and shows its warnings.
func (a *app) open(path string, f *openFlags) (*capture.Capture, error) {
	c, err := a.openCapture(path, f)
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings {
		a.warn(w)
	}
	return c, nil
}
