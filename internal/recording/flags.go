package recording

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"astrolabe/hwio"
	"astrolabe/hwio/all"
)

// Flags say what to measure.
type Flags struct {
	Sources  []string
	Counters []string
	Period   time.Duration
	Periods  map[string]time.Duration // of single sources
	Duration time.Duration
	Sets     []string
	Options  map[string]string // of the sources
}

// Register adds the flags, with the duration that is meant where nothing is said.
func (f *Flags) Register(flags *pflag.FlagSet, duration time.Duration) {
	flags.StringSliceVar(&f.Sources, "source", nil,
		"the `SOURCES` to read, with commas between them; cpu is perfevent and procfs together, mali, amd and intel are what reads such a GPU here (default the best that works here)")
	flags.Var((*counterList)(&f.Counters), "counters",
		"the counters to record, `GLOBS` with commas between them (default each source's own choice)")
	f.Period = hwio.DefaultPeriod
	flags.Var(&periodFlag{to: f}, "period", "the `TIME` between two samples, also of single sources, as in 1ms,procfs=100ms")
	TimeVar(flags, &f.Duration, "duration", duration, "s", "the `TIME` to record")
	flags.StringSliceVar(&f.Sets, "set", nil,
		"the metric `SETS` of the source, with commas between them; several are measured one after the other, the command being run once for each")
	flags.StringToStringVar(&f.Options, "source-option", nil,
		"`NAME=VALUE` options of the source's own; astrolabe sources lists them")
}

// Check refuses what makes no sense.
func (f *Flags) Check() error {
	switch {
	case f.Period < hwio.MinPeriod || f.Period > hwio.MaxPeriod:
		return fmt.Errorf("--period=%v is not between %v and %v", f.Period, hwio.MinPeriod, hwio.MaxPeriod)
	case f.Duration < 0:
		return fmt.Errorf("--duration=%v is negative", f.Duration)
	}
	return nil
}

// Selection finds the sources. process says that a command is measured, not the whole machine.
func (f *Flags) Selection(ctx context.Context, process bool) (*hwio.Selection, error) {
	sources := all.Sources("")
	switch {
	case len(f.Sources) > 0:
		return hwio.Select(ctx, sources, f.Sources, process)
	case process:
		return hwio.Select(ctx, sources, []string{"cpu"}, true)
	}
	return hwio.Best(ctx, sources)
}

// Recording describes what the recorder shall do.
func (f *Flags) Recording() hwio.Options {
	opt := hwio.Options{Counters: f.Counters, Period: f.Period, Periods: f.Periods, Duration: f.Duration,
		SourceOptions: f.Options}
	for _, set := range f.Sets {
		opt.Rounds = append(opt.Rounds, hwio.Round{Name: set, Options: map[string]string{"set": set}})
	}
	opt.RoundLabel = metricSetLabel
	return opt
}

// metricSetLabel is the label by which catalogues know what metric set a sample was measured with.
const metricSetLabel = "metric_set"

// Name is what the sources are called in a file name: as the user wrote them.
func (f *Flags) Name(sel *hwio.Selection) string {
	if len(f.Sources) > 0 {
		return strings.Join(f.Sources, "-")
	}
	for _, s := range sel.Sources {
		if s.Name() != "perfevent" && s.Name() != "procfs" {
			return strings.Join(sel.Names(), "-")
		}
	}
	return "cpu"
}

// FileName is the name of a recording that the user gave none.
func FileName(what string) string {
	return what + "-" + time.Now().Format("20060102-150405") + ".arrow"
}

// counterList is a flag of counters with commas between them. A comma between the slashes of an event of a counter
// unit, as in cpu/event=0x3c,umask=0/, belongs to the event.
type counterList []string

var counterItem = regexp.MustCompile(`[^,/]+/[^/]*=[^/]*/[^,]*|[^,]+`)

func (l *counterList) String() string { return strings.Join(*l, ",") }
func (l *counterList) Type() string   { return "GLOBS" }
func (l *counterList) Set(s string) error {
	for _, item := range counterItem.FindAllString(s, -1) {
		if item = strings.TrimSpace(item); item != "" {
			*l = append(*l, item)
		}
	}
	return nil
}
