package cli

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"astrolabe/builtins/notation"
)

// timeFlag is a flag that takes a time, written as in scripts. A number alone is refused, with what may have been
// meant: it would be seconds in one flag and something else in the next.
type timeFlag struct {
	to   *time.Duration
	unit string // that a number without one most likely has
}

func timeVar(flags *pflag.FlagSet, to *time.Duration, name string, value time.Duration, unit, usage string) {
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
	text = strings.TrimSpace(text)
	if plainNumber.MatchString(text) {
		return fmt.Errorf("a time has a unit: say %s%s", text, f.unit)
	}
	ns, err := notation.ParseDuration(text)
	if err != nil {
		return err
	}
	*f.to = time.Duration(ns)
	return nil
}
