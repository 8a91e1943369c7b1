package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// metricJSON is one catalogue entry in metrics --json.
type metricJSON struct {
	GPU     string   `json:"gpu"`
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Group   *string  `json:"group"`
	Unit    *string  `json:"unit"`
	Kind    string   `json:"kind"`
	Doc     *string  `json:"doc"`
	High    *string  `json:"high"`
	Low     *string  `json:"low"`
	Expr    *string  `json:"expr"`
	Inputs  []string `json:"inputs"`
	Refs    []string `json:"refs"`
	Aliases []string `json:"aliases"`
	Source  *string  `json:"source"`
}

func (a *app) metricsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "metrics [GPU] [PATTERN]",
		Short: "List and explain the counters and metrics that astrolabe knows",
		Long: "Without arguments it lists the catalogues; with a catalogue, or a pattern, the counters and metrics in it. The pattern is words that\n" +
			"must all occur in the name, title, group or description, or a glob. Few matches are explained in full.",
		Args: argCount(0, 2),
		RunE: func(_ *cobra.Command, args []string) error { return a.metrics(args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// explainUpTo is how many matches are explained in full; more are listed in lines.
const explainUpTo = 12

func (a *app) metrics(args []string, asJSON bool) error {
	if len(args) == 0 {
		return a.catalogues(asJSON)
	}
	var cats []*metrics.Catalogue
	pattern := ""
	if cat, err := metrics.Get(args[0]); err == nil {
		cats = append(cats, cat)
		pattern = strings.Join(args[1:], " ")
	} else if len(args) == 2 {
		return usageError{err}
	} else {
		pattern = args[0]
		for _, id := range metrics.IDs() {
			cat, err := metrics.Get(id)
			if err != nil {
				return err
			}
			cats = append(cats, cat)
		}
	}
	list := []metricJSON{}
	for _, cat := range cats {
		found := cat.Entries()
		if pattern != "" {
			found = cat.Match(pattern)
		}
		for _, e := range found {
			list = append(list, metricOf(cat.ID(), e))
		}
	}
	if asJSON {
		return a.printJSON(list)
	}
	if len(list) == 0 {
		if pattern == args[0] {
			return fmt.Errorf("no catalogue is called %q and no metric matches it; the catalogues are %s", pattern, strings.Join(metrics.IDs(), ", "))
		}
		return fmt.Errorf("no metric of %s matches %q", args[0], pattern)
	}
	return a.print(metricsText(list))
}

func metricOf(gpu string, e *metrics.Entry) metricJSON {
	kind := e.Kind
	if e.IsMetric() {
		kind = capture.Derived
	}
	return metricJSON{GPU: gpu, Name: e.Name, Title: e.Title, Group: jsonText(e.Group), Unit: jsonText(e.Unit), Kind: kind.String(),
		Doc: jsonText(e.Doc), High: jsonText(e.High), Low: jsonText(e.Low), Expr: jsonText(e.Expr), Inputs: orEmpty(e.Inputs),
		Refs: orEmpty(e.Refs), Aliases: orEmpty(e.Aliases), Source: jsonText(e.Source)}
}

func metricsText(list []metricJSON) string {
	var out strings.Builder
	if len(list) > explainUpTo {
		t := &textTable{header: []string{"name", "unit", "kind", "group/title"}}
		for _, m := range list {
			title := m.Title
			if m.Group != nil {
				title = *m.Group + "/" + title
			}
			t.add(m.Name, orDash(m.Unit), m.Kind, title)
		}
		return t.String()
	}
	for i, m := range list {
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "%s (%s)\n", m.Name, m.GPU)
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(&out, "  %-8s %s\n", name, strings.ReplaceAll(text, "\n", "\n           "))
			}
		}
		title := m.Title
		if m.Group != nil {
			title = *m.Group + "/" + title
		}
		line("title", title)
		line("unit", orNothing(m.Unit))
		line("kind", m.Kind)
		line("meaning", orNothing(m.Doc))
		line("high", orNothing(m.High))
		line("low", orNothing(m.Low))
		line("formula", orNothing(m.Expr))
		line("inputs", strings.Join(m.Inputs, ", "))
		line("section", strings.Join(m.Refs, ", "))
		line("also", strings.Join(m.Aliases, ", "))
		line("source", orNothing(m.Source))
	}
	return out.String()
}

// catalogueJSON is one catalogue in metrics --json.
type catalogueJSON struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Version string `json:"version"`
	Entries int    `json:"entries"`
}

func (a *app) catalogues(asJSON bool) error {
	list := []catalogueJSON{}
	for _, id := range metrics.IDs() {
		cat, err := metrics.Get(id)
		if err != nil {
			return err
		}
		list = append(list, catalogueJSON{ID: id, Title: cat.Title(), Version: cat.Version(), Entries: len(cat.Entries())})
	}
	if asJSON {
		return a.printJSON(list)
	}
	t := &textTable{header: []string{"catalogue", "entries", "title"}, right: []bool{false, true, false}}
	for _, c := range list {
		t.add(c.ID, fmt.Sprint(c.Entries), c.Title)
	}
	return a.print(t.String())
}
