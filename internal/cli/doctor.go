package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/hwio"
	"astrolabe/hwio/all"
)

// findingJSON is one line of doctor --json.
type findingJSON struct {
	Source string  `json:"source"`
	What   string  `json:"what"`
	Usable bool    `json:"usable"`
	Reason *string `json:"reason"`
	Fix    *string `json:"fix"`
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, deep bool
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can measure, what not, and what to do about it",
		Args:  argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkFlags(cmd, deep); err != nil {
				return err
			}
			switch {
			case f.to != "":
				return a.bundle(&f, asJSON)
			case f.check != "":
				return a.checkBundle(f.check, asJSON)
			}
			return a.doctor(asJSON, deep)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&deep, "deep", false, "also measure what has known values, to prove that counters count")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) doctor(asJSON, deep bool) error {
	list := []findingJSON{}
	findings := all.Doctor(a.ctx, "")
	if deep {
		ctx, stop := endingContext(a.ctx)
		defer stop()
		findings = append(findings, hwio.DeepTest(ctx, all.Sources(""))...)
	}
	for _, f := range findings {
		list = append(list, findingJSON{Source: f.Source, What: f.What, Usable: f.Usable, Reason: jsonText(f.Reason),
			Fix: jsonText(f.Fix)})
	}
	if asJSON {
		return a.printJSON(list)
	}
	return a.print(doctorText(list))
}

// doctorText lists the findings under their sources.
func doctorText(list []findingJSON) string {
	if len(list) == 0 {
		return hwio.ErrNeedsLinux.Error() + "\n"
	}
	var out strings.Builder
	source := ""
	for _, f := range list {
		if f.Source != source {
			source = f.Source
			out.WriteString(source + "\n")
		}
		mark := "yes"
		if !f.Usable {
			mark = "no "
		}
		fmt.Fprintf(&out, "  %s  %s\n", mark, f.What)
		for _, more := range []*string{f.Reason, f.Fix} {
			if more != nil {
				fmt.Fprintf(&out, "       %s\n", *more)
			}
		}
	}
	return out.String()
}
