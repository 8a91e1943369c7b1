package recording

import (
	"fmt"
	"strings"

	"astrolabe/hwio"
)

// Begun says what is recorded, and how long.
func Begun(opt *hwio.Options, sources []string) string {
	line := fmt.Sprintf("recording %s every %v", strings.Join(sources, " and "), opt.Period)
	switch {
	case opt.Command != nil:
		return line + " until " + opt.Command.Args[0] + " ends"
	case opt.Duration > 0:
		return line + fmt.Sprintf(" for %v", opt.Duration)
	}
	return line + " until Ctrl-C"
}

// Recorded says what a recording holds, and what it took.
func Recorded(res *hwio.Result) string {
	took := 100 * res.CPU.Seconds() / max(res.Duration.Seconds(), 1e-9)
	share := fmt.Sprintf("%.2g", took)
	if took >= 99.5 { // which two figures would write as 2.5e+02
		share = fmt.Sprintf("%.0f", took)
	}
	return fmt.Sprintf("%d samples of %d counters from %s in %.3g s, for %s %% of a processor", res.Samples,
		res.Columns, strings.Join(res.Sources, " and "), res.Duration.Seconds(), share)
}

// Exited says how the command ended, "" where there is nothing to say of it.
func Exited(e *hwio.Exit) string {
	switch {
	case e == nil || e.Code == 0 && e.Signal == "":
		return ""
	case e.Signal != "":
		return "the command was " + e.String()
	}
	return fmt.Sprintf("the command ended with status %d", e.Code)
}
