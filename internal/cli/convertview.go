package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/export"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/recording"
)

// viewFlags say what of a capture is to be seen in a file of another program.
type viewFlags struct {
	opt      export.Options
	resample time.Duration
	slices   []string // see slicesFor; nil where nothing was said
}

func (f *viewFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.opt.Metrics, "metrics", nil,
		"write the metrics of these `NAMES` or globs, with commas between them, or all, in place of counters")
	flags.StringSliceVar(&f.opt.Select, "select", nil,
		"write the measured counters of these `NAMES` or globs only, with commas between them; beside --metrics, if that is given")
	flags.BoolVar(&f.opt.Instances, "instances", false, "write metrics of each core, CPU or the like as well, where they have such")
	recording.TimeVar(flags, &f.resample, "resample", 0, "ms", "write samples of this `TIME`, such as 10ms")
	flags.StringVar(&f.opt.By, "by", "", "write one sample for each of `WHAT`: frame, kernel or label:NAME, or one for all: capture")
	flags.StringSliceVar(&f.slices, "slices", nil,
		"add these `KINDS` of stretches as regions: frames, phases and findings of the report (default all where metrics go into a trace, else none)")
}

// check finds what makes no sense before the capture is read.
func (f *viewFlags) check() error {
	f.opt.Resample = int64(f.resample)
	if err := f.opt.Check(); err != nil {
		return usageError{err}
	}
	return f.checkSlices()
}

// view is what the flags choose of a capture.
func (a *app) view(c *capture.Capture, f *viewFlags, out, format string) (*capture.Capture, error) {
	ctx, done := a.busy(a.ctx, "computing metrics")
	defer done()
	c, err := a.withSlices(c, f.slicesFor(out, format), c.Path)
	if err != nil {
		return nil, err
	}
	seen, err := all.Registry().View(ctx, out, format, c, f.opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", streamName(c.Path), err)
	}
	var without []string
	for _, ctr := range seen.Counters {
		if ctr.Expr != "" && ctr.Count() == 0 && len(f.opt.Metrics) > 0 {
			without = append(without, ctr.Name)
		}
	}
	if n := len(without); n > 0 && seen.Len() > 0 {
		const show = 3
		names := strings.Join(without[:min(show, n)], ", ")
		if n > show {
			names += fmt.Sprintf(" and %d more", n-show)
		}
		a.warn(fmt.Sprintf("%d of the metrics have no value in this capture, mostly because their counters were not collected: %s",
			n, names))
	}
	return seen, nil
}
