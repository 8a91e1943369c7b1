package recording

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"astrolabe/capture/units"
)

// timeFlag is a flag that takes a time, written as in scripts. A number alone is refused, with what may have been
// meant: it would be seconds in one flag and something else in the next.
type timeFlag struct {
	to   *time.Duration
	unit string // that a number without one most likely has
}

// TimeVar adds a flag that takes a time, written as in scripts; unit is what a number alone most likely has.
func TimeVar(flags *pflag.FlagSet, to *time.Duration, name string, value time.Duration, unit, usage string) {
	*to = value
	flags.Var(&timeFlag{to, unit}, name, usage)
}

var plainNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func (f *timeFlag) Type() string { return "TIME" }

func (f *timeFlag) String() string {
	if f.to == nil || *f.to == 0 {
		return ""
	}
	return f.to.String()
}

func (f *timeFlag) Set(text string) error {
	d, err := parseTime(text, f.unit)
	if err == nil {
		*f.to = d
	}
	return err
}

func parseTime(text, unit string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if plainNumber.MatchString(text) {
		return 0, fmt.Errorf("a time has a unit: say %s%s", text, unit)
	}
	ns, err := units.ParseDuration(text)
	return time.Duration(ns), err
}

// periodFlag is a time, times of single sources, or both, with commas between them.
type periodFlag struct{ to *Flags }

func (f *periodFlag) Type() string { return "TIME" }

func (f *periodFlag) String() string {
	if f.to == nil {
		return ""
	}
	return f.to.Period.String()
}

func (f *periodFlag) Set(text string) error {
	all := time.Duration(0)
	periods := map[string]time.Duration{}
	for item := range strings.SplitSeq(text, ",") {
		source, value, named := strings.Cut(item, "=")
		if !named {
			value = item
		}
		d, err := parseTime(value, "ms")
		switch source = strings.TrimSpace(source); {
		case err != nil:
			return err
		case !named && all != 0:
			return fmt.Errorf("%s and %s are both the period of all sources: say SOURCE=TIME for one", all,
				strings.TrimSpace(item))
		case !named:
			all = d
		case periods[source] != 0:
			return fmt.Errorf("%s has two periods", source)
		default:
			periods[source] = d
		}
	}
	if all == 0 { // the fastest is that of the samples
		for _, d := range periods {
			if all == 0 || d < all {
				all = d
			}
		}
	}
	f.to.Period, f.to.Periods = all, periods
	return nil
}
