package recording

import (
	"fmt"
	"strings"

	"astrolabe/hwio"
)

// Finding is a finding of the doctor as JSON.
type Finding struct {
	Source string  `json:"source"`
	What   string  `json:"what"`
	Usable bool    `json:"usable"`
	Reason *string `json:"reason"`
	Fix    *string `json:"fix"`
}

// Findings are those of the doctor, for JSON.
func Findings(list []hwio.Finding) []Finding {
	out := []Finding{}
	for _, f := range list {
		out = append(out, Finding{Source: f.Source, What: f.What, Usable: f.Usable, Reason: text(f.Reason), Fix: text(f.Fix)})
	}
	return out
}

// text is what JSON shows as null where there is none.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// FindingsText lists findings under their sources.
func FindingsText(list []Finding) string {
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
