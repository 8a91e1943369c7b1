package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/spelling"
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
	Infix   *string  `json:"infix"`  // the formula in infix notation, where it is written in another
	Public  []string `json:"public"` // formulas over other columns of the vendor's tool, where those are there and its inputs are not
	Inputs  []string `json:"inputs"`
	UsedBy  []string `json:"used_by"` // metrics whose formulas read it
	Refs    []string `json:"refs"`
	Aliases []string `json:"aliases"`
	Roles   []string `json:"roles"` // what it is of, on every product
	Source  *string  `json:"source"`
	Block   *string  `json:"block"`
	Index   *int     `json:"index"`  // of a raw counter in its block
	Scaler  uint64   `json:"scaler"` // the hardware's number is multiplied by it
	Better  *string  `json:"better"` // "more" or "less"; null where it depends

	Usage       *string  `json:"usage"` // the vendor's usage type
	Generations []string `json:"generations"`
	APIs        []string `json:"apis"`

	References []referenceJSON `json:"references"`

	Run       *string  `json:"run"`   // whose values of the counters the formula reads
	Shown     []string `json:"shown"` // columns of the vendor's table
	Peak      *string  `json:"peak"`
	Available *string  `json:"available"`
	DataType  *string  `json:"data_type"`
	Semantic  *string  `json:"semantic"`
	GUID      *string  `json:"guid"`
}

// referenceJSON is a published number to compare with. The value is null where the text is a rule without a number.
type referenceJSON struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`

	line string
}

func (a *app) metricsCommand() *cobra.Command {
	var asJSON bool
	var set, generation, api string
	cmd := &cobra.Command{
		Use:   "metrics [GPU] [PATTERN]",
		Short: "List and explain the counters and metrics that astrolabe knows",
		Long: "Without arguments it lists the catalogues; with a catalogue, or a pattern, the counters and metrics " +
			"in it. The pattern is words that\n" +
			"must all occur in the name, title, group or description, or a glob; or one name, variable or section of " +
			"the vendor's guide, such as\n" +
			"3.2.2. Few matches are explained in full.",
		Args: argCount(0, 2),
		RunE: func(_ *cobra.Command, args []string) error { return a.metrics(args, set, generation, api, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&set, "set", "", "only the counters of this metric set of an Intel GPU, such as RenderBasic")
	cmd.Flags().StringVar(&generation, "generation", "",
		"only what exists on this generation of AMD hardware, and its formula there: gfx6 to gfx12, or a GPU such as gfx1103")
	cmd.Flags().StringVar(&api, "api", "",
		"only what exists through this API, and its formula there: gl, dx11, dx12, vk, cl or hsa")
	return cmd
}

// explainUpTo is how many matches are explained in full; more are listed in lines.
const explainUpTo = 12

func (a *app) metrics(args []string, set, generation, api string, asJSON bool) error {
	if err := checkVariant(generation, api); err != nil {
		return usageError{err}
	}
	if len(args) == 0 && set != "" {
		return usageError{fmt.Errorf("--set needs a catalogue before it, such as intel-kbl-gt2")}
	}
	if len(args) == 0 {
		return a.catalogues(asJSON)
	}
	var cats []*metrics.Catalogue
	pattern := ""
	if cat, err := metrics.Get(metrics.On(args[0], generation)); err == nil {
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
	head := ""
	if set != "" {
		if len(cats) != 1 {
			return usageError{fmt.Errorf("--set needs a catalogue before it, such as intel-kbl-gt2")}
		}
		s, err := cats[0].Set(set)
		if err != nil {
			return usageError{err}
		}
		set = s.Name
		head = fmt.Sprintf("%s: %s, guid %s\nreports of format %s\n\n", s.Name, s.Title, s.GUID, s.Format)
	}
	list := []metricJSON{}
	for _, cat := range cats {
		found := cat.Entries()
		if e := addressed(cat, strings.TrimPrefix(set+"/"+pattern, "/")); e != nil {
			found = []*metrics.Entry{e}
		} else if pattern != "" {
			found = cat.Match(pattern)
		}
		if set != "" {
			found = slices.DeleteFunc(slices.Clone(found), func(e *metrics.Entry) bool {
				return e.Set == nil || e.Set.Name != set
			})
		}
		for _, e := range found {
			if generation != "" || api != "" {
				one, err := e.For(generation, api)
				if err != nil && len(found) == 1 {
					return err
				}
				if e = one; err != nil {
					continue
				}
			}
			list = append(list, metricOf(e.GPU, e))
		}
	}
	if asJSON {
		return a.printJSON(list)
	}
	if len(list) == 0 {
		if pattern == args[0] {
			var unknown *metrics.UnknownGPUError
			if _, err := metrics.Get(pattern); errors.As(err, &unknown) && len(unknown.Near) > 0 {
				return err
			}
			return fmt.Errorf("no catalogue is called %q and no metric matches it%s; the catalogues are %s", pattern,
				meantWords(pattern, cats), strings.Join(metrics.IDs(), ", "))
		}
		return fmt.Errorf("no metric of %s matches %q%s; astrolabe metrics %s lists all", args[0], pattern,
			meantWords(pattern, cats), args[0])
	}
	return a.print(head + metricsText(list))
}

// meantWords is " (did you mean X?)" with near words of names and titles in place of those of the pattern that nothing
// holds, "" where there are none.
func meantWords(pattern string, cats []*metrics.Catalogue) string {
	seen := map[string]bool{}
	var known []string
	for _, cat := range cats {
		for _, e := range cat.Entries() {
			for _, w := range strings.FieldsFunc(strings.ToLower(e.Name+" "+e.Title+" "+e.Group), func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}) {
				if len(w) > 2 && !seen[w] {
					seen[w] = true
					known = append(known, w)
				}
			}
		}
	}
	words := strings.Fields(strings.ToLower(pattern))
	changed := false
	for i, w := range words {
		if near := spelling.Nearest(w, known); !seen[w] && near != "" {
			words[i], changed = near, true
		}
	}
	if !changed {
		return ""
	}
	return " (did you mean " + strings.Join(words, " ") + "?)"
}

// checkVariant refuses a generation or API that no catalogue has.
func checkVariant(generation, api string) error {
	var apis []string
	for _, id := range metrics.IDs() {
		cat, err := metrics.Get(id)
		if err != nil {
			return err
		}
		if len(cat.Generations()) == 0 || api == "" {
			continue
		}
		for _, e := range cat.Entries() {
			for _, x := range e.APIs() {
				if !slices.Contains(apis, x) {
					apis = append(apis, x)
				}
			}
		}
	}
	if generations := metrics.Generations(); generation != "" &&
		!slices.Contains(generations, metrics.GenerationOf(generation)) {
		return fmt.Errorf("--generation=%s is none of %s, and no GPU of these", generation,
			strings.Join(generations, ", "))
	}
	if api != "" && !slices.Contains(apis, strings.ToLower(api)) {
		return fmt.Errorf("--api=%s is none of %s", api, strings.Join(apis, ", "))
	}
	return nil
}

// addressed is the one entry that a pattern names outright: its name, its "Group/Title", a variable with $ or a section
// of the guide. It is nil for anything else, which is searched for.
func addressed(cat *metrics.Catalogue, pattern string) *metrics.Entry {
	e, err := cat.Find(pattern)
	if err != nil {
		return nil
	}
	section := strings.Trim(pattern, "0123456789") != pattern && strings.Trim(pattern, "0123456789.") == ""
	word := !strings.ContainsAny(pattern, " *?") && strings.EqualFold(e.Title, pattern)
	word = word || slices.Contains(e.Aliases, pattern) || slices.Contains(e.Roles, pattern)
	if section || word || e.Name == pattern || e.Address() == pattern || strings.HasPrefix(pattern, "$") {
		return e
	}
	return nil
}

func metricOf(gpu string, e *metrics.Entry) metricJSON {
	kind := e.Kind
	if e.IsMetric() {
		kind = capture.Derived
	}
	m := metricJSON{GPU: gpu, Name: e.Name, Title: e.Title, Group: jsonText(e.Group), Unit: jsonText(e.Unit),
		Kind: kind.String(),
		Doc:  jsonText(e.Doc), High: jsonText(e.High), Low: jsonText(e.Low), Expr: jsonText(e.Expr),
		Public: e.PublicFormulas(), Inputs: orEmpty(e.Inputs),
		Refs: orEmpty(e.Refs), Aliases: orEmpty(e.Aliases), Roles: orEmpty(e.Roles), Source: jsonText(e.Source),
		Block: jsonText(e.Block), Scaler: max(e.Scaler, 1), References: []referenceJSON{}}
	if e.Index != 0 {
		m.Index = &e.Index
	}
	if x := e.Formula(); x != nil && e.Dialect.Postfix() {
		m.Infix = jsonText(x.Infix())
	}
	m.UsedBy, m.Usage, m.Generations, m.APIs = orEmpty(e.UsedBy()), jsonText(e.Usage), orEmpty(e.Generations()),
		orEmpty(e.APIs())
	m.Run, m.Shown = jsonText(e.Run), orEmpty(e.Headings())
	m.Peak, m.Available, m.DataType, m.Semantic = jsonText(e.Peak), jsonText(e.Available), jsonText(e.DataType),
		jsonText(e.Semantic)
	if e.Set != nil {
		m.GUID = jsonText(e.Set.GUID)
	}
	switch e.MoreIsBetter {
	case "yes":
		m.Better = jsonText("more")
	case "no":
		m.Better = jsonText("less")
	}
	for _, r := range e.References {
		j := referenceJSON{Text: r.Text, Unit: r.Unit, line: r.String()}
		if !math.IsNaN(r.Value) {
			j.Value = &r.Value
		}
		m.References = append(m.References, j)
	}
	return m
}

func metricsText(list []metricJSON) string {
	var out strings.Builder
	if len(list) > explainUpTo {
		t := &notation.TextTable{Header: []string{"name", "unit", "kind", "group/title"}}
		for _, m := range list {
			title := m.Title
			if m.Group != nil {
				title = *m.Group + "/" + title
			}
			t.Add(m.Name, orDash(m.Unit), m.Kind, title)
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
		line("better", orNothing(m.Better))
		for i, r := range m.References {
			line([]string{"compare", ""}[min(i, 1)], r.line)
		}
		line("hardware", strings.Join(m.Generations, ", "))
		line("APIs", strings.Join(m.APIs, ", "))
		line("usage", orNothing(m.Usage))
		line("formula", orNothing(m.Expr))
		line("infix", orNothing(m.Infix))
		line("or", strings.Join(m.Public, "\n"))
		line("run", orNothing(m.Run))
		line("shown as", strings.Join(m.Shown, ", "))
		line("peak", orNothing(m.Peak))
		line("exists if", orNothing(m.Available))
		line("inputs", strings.Join(m.Inputs, ", "))
		line("used by", someOf(m.UsedBy))
		line("section", strings.Join(m.Refs, ", "))
		if m.Index != nil {
			where := fmt.Sprintf("%s, position %d", orNothing(m.Block), *m.Index)
			if m.Scaler > 1 {
				where += fmt.Sprintf(", times %d", m.Scaler)
			}
			line("block", where)
		}
		line("also", strings.Join(m.Aliases, ", "))
		line("role", strings.Join(m.Roles, ", "))
		line("source", orNothing(m.Source))
	}
	return out.String()
}

// someOf joins names, of which it prints a screenful.
func someOf(names []string) string {
	const enough = 30
	if len(names) > enough {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
	}
	return strings.Join(names, ", ")
}

// catalogueJSON is one catalogue in metrics --json.
type catalogueJSON struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Version string `json:"version"`
	Entries int    `json:"entries"`
	Metrics int    `json:"metrics"`
	Raw     int    `json:"counters"`
}

func (a *app) catalogues(asJSON bool) error {
	list := []catalogueJSON{}
	for _, id := range metrics.IDs() {
		cat, err := metrics.Get(id)
		if err != nil {
			return err
		}
		c := catalogueJSON{ID: id, Title: cat.Title(), Version: cat.Version(), Entries: len(cat.Entries())}
		for _, e := range cat.Entries() {
			if e.IsMetric() {
				c.Metrics++
			}
		}
		c.Raw = c.Entries - c.Metrics
		list = append(list, c)
	}
	if asJSON {
		return a.printJSON(list)
	}
	t := &notation.TextTable{Header: []string{"catalogue", "metrics", "counters", "title"},
		Right: []bool{false, true, true, false}}
	for _, c := range list {
		t.Add(c.ID, fmt.Sprint(c.Metrics), fmt.Sprint(c.Raw), c.Title)
	}
	return a.print(t.String())
}
