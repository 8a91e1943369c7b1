package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
)

// sourceJSON is one reader in sources --json.
type sourceJSON struct {
	Name        string        `json:"name"`
	Also        []string      `json:"also"` // names that it shares with others
	Doc         string        `json:"doc"`
	Usable      bool          `json:"usable"`
	ProcessOnly bool          `json:"process_only"`
	Reason      *string       `json:"reason"`
	Fix         *string       `json:"fix"`
	GPU         *string       `json:"gpu"`
	Device      *string       `json:"device"`
	Details     []string      `json:"details"`
	Options     []optionJSON  `json:"options"`
	Counters    []counterJSON `json:"counters"`
}

// optionJSON is one option of a reader's own.
type optionJSON struct {
	Name    string  `json:"name"`
	Doc     string  `json:"doc"`
	Default *string `json:"default"`
}

// counterJSON is what can be measured.
type counterJSON struct {
	Name  string  `json:"name"`
	Title *string `json:"title"`
	Unit  *string `json:"unit"`
	Kind  string  `json:"kind"`
	Block *string `json:"block"`
	Doc   *string `json:"doc"`
}

// jsonText is a text that JSON shows as null where there is none.
func jsonText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (a *app) sourcesCommand() *cobra.Command {
	var asJSON, counters bool
	cmd := &cobra.Command{
		Use:   "sources",
		Short: "List what this machine can measure, and why not the rest",
		Args:  argCount(0, 0),
		RunE:  func(*cobra.Command, []string) error { return a.sources(asJSON, counters) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&counters, "counters", false, "list every counter of each source too")
	return cmd
}

func (a *app) sources(asJSON, counters bool) error {
	list := []sourceJSON{}
	for _, src := range all.Sources("") {
		st := src.Probe(a.ctx)
		s := sourceJSON{Name: src.Name(), Also: orEmpty(hwio.SharedNames(src)), Doc: src.Doc(), Usable: st.Usable,
			ProcessOnly: st.ProcessOnly, Reason: jsonText(st.Reason),
			Fix: jsonText(st.Fix), GPU: jsonText(st.GPU), Device: jsonText(st.Device), Details: orEmpty(st.Details),
			Options: []optionJSON{}, Counters: []counterJSON{}}
		if c, ok := src.(hwio.Configurable); ok {
			for _, o := range c.Options() {
				s.Options = append(s.Options, optionJSON{Name: o.Name, Doc: o.Doc, Default: jsonText(o.Default)})
			}
		}
		if st.Usable {
			metas, err := src.Counters(a.ctx)
			if err != nil {
				a.warn(fmt.Sprintf("%s: %v", src.Name(), err))
			}
			for _, m := range metas {
				s.Counters = append(s.Counters,
					counterJSON{Name: m.Name, Title: jsonText(m.Title), Unit: jsonText(m.Unit),
						Kind: m.Kind.String(), Block: jsonText(m.Block), Doc: jsonText(m.Doc)})
			}
		}
		list = append(list, s)
	}
	if asJSON {
		return a.printJSON(list)
	}
	return a.print(sourcesText(list, counters))
}

func sourcesText(list []sourceJSON, counters bool) string {
	var out strings.Builder
	if len(list) == 0 {
		out.WriteString("no source: " + hwio.ErrNeedsLinux.Error() + "\n")
	}
	for _, s := range list {
		state := "usable"
		switch {
		case !s.Usable:
			state = "not usable"
		case s.ProcessOnly:
			state = "usable for your own processes"
		}
		also := ""
		if len(s.Also) > 0 {
			also = " (also " + strings.Join(s.Also, ", ") + ")"
		}
		fmt.Fprintf(&out, "%s%s: %s\n  %s\n", s.Name, also, state, s.Doc)
		for _, extra := range []struct {
			name string
			text *string
		}{{"device", s.Device}, {"why", s.Reason}, {"do", s.Fix}} {
			if extra.text != nil {
				fmt.Fprintf(&out, "  %s: %s\n", extra.name, *extra.text)
			}
		}
		for _, d := range s.Details {
			fmt.Fprintf(&out, "  %s\n", d)
		}
		for _, o := range s.Options {
			fmt.Fprintf(&out, "  option %s: %s", o.Name, o.Doc)
			if o.Default != nil {
				fmt.Fprintf(&out, " (default %s)", *o.Default)
			}
			out.WriteString("\n")
		}
		if s.Usable {
			fmt.Fprintf(&out, "  %d counters", len(s.Counters))
			if !counters {
				out.WriteString(" (--counters lists them)")
			}
			out.WriteString("\n")
		}
		if counters {
			t := &notation.TextTable{Header: []string{"    counter", "unit", "kind", "meaning"}}
			for _, c := range s.Counters {
				t.Add("    "+c.Name, orDash(c.Unit), c.Kind, orDash(firstOf(c.Title, c.Doc)))
			}
			out.WriteString(t.String())
		}
	}
	return out.String()
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func firstOf(texts ...*string) *string {
	for _, t := range texts {
		if t != nil {
			return t
		}
	}
	return nil
}
