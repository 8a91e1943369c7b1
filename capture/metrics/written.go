package metrics

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/units"
)

// Other programs write the counters of a catalogue under names of their own, and without a unit in one that need not be the
// catalogue's: gpu_core_clock of one is in MHz. A catalogue says so in lines "written NAME UNIT MOST". Where an unit depends on
// what wrote the name, as with tables of which each generation has its own, MOST is the largest value that the unit allows:
// a column with a larger one is not known by that name.

// writing is what a counter is called by other programs.
type writing struct {
	of   *Entry
	unit string  // of a column that states none
	most float64 // in that unit; 0 where any may be
}

// parseWriting reads "NAME UNIT MOST", of which the last may be left out. The name may have blanks.
func parseWriting(value string) (name string, w writing, err error) {
	words := strings.Fields(value)
	if n := len(words); n > 2 {
		if most, err := strconv.ParseFloat(words[n-1], 64); err == nil {
			if !(most > 0) {
				return "", w, fmt.Errorf("the largest value is %q, want a number above 0", words[n-1])
			}
			w.most, words = most, words[:n-1]
		}
	}
	if len(words) < 2 {
		return "", w, fmt.Errorf("written is %q, want a name, a unit and perhaps the largest value", value)
	}
	w.unit = words[len(words)-1]
	if !units.Known(w.unit) {
		return "", w, fmt.Errorf("written in %q, which is no unit", w.unit)
	}
	return strings.Join(words[:len(words)-1], " "), w, nil
}

// fits reports whether the values of a column may be in the unit of the writing.
func (w *writing) fits(c *capture.Counter) bool {
	if len(c.Instances) > 0 || c.Col == nil {
		return false
	}
	if c.Unit != "" {
		_, ok := units.Convert(c.Unit, w.of.Unit)
		return ok
	}
	if w.most == 0 {
		return true
	}
	d := c.Col.Data()
	for i := range d.Len() {
		if !d.Missing(i) && d.Float(i) > w.most {
			return false
		}
	}
	return c.Col.Err() == nil
}

// written is the catalogue's counter that a column holds under another program's name, in the catalogue's unit; nil where it
// holds none, and where the capture has that counter already, or under a name that stands before in the catalogue.
func (s *scope) written(c *capture.Counter) *capture.Counter {
	for _, cat := range s.cats {
		if !cat.owns(c.GPU) {
			continue
		}
		cat.keys()
		w, ok := cat.writings[c.Name]
		if !ok || s.cap.Counter(w.of.Name) != nil || !w.fits(c) {
			continue
		}
		for _, before := range w.of.writings {
			if before == c.Name {
				r := renamed(c, w.of.Name)
				if r.Unit == "" {
					r.Unit = w.unit
				}
				r.Title = ""
				return settled(converted(filled(r, w.of), w.of.Unit), w.of)
			}
			if other := s.cap.Counter(before); other != nil {
				if o := cat.writings[before]; o.fits(other) {
					break
				}
			}
		}
	}
	return nil
}

// Naming lists the catalogues that have most of some names of counters, their own, those of other programs or of metrics of their sets,
// and says how many these are. It looks into the files and reads none of them as a catalogue: of products that share one it is the first, but
// for those whose sets differ.
func Naming(names []string) (ids []string, most int) {
	seen := map[string]bool{}
	better := func(n int, of ...string) {
		if n > most {
			ids, most = of, n
		}
	}
	for _, p := range products() {
		if seen[p.file] || p.id == CPU {
			continue
		}
		seen[p.file] = true
		text, err := fs.ReadFile(files(), p.file)
		if err != nil {
			continue
		}
		n := 0
		for _, name := range names {
			if bytes.Contains(text, []byte("\ncounter "+name+"\n")) || bytes.Contains(text, []byte("\n\twritten "+name+" ")) ||
				bytes.Contains(text, []byte("\n\tbits "+name+" ")) {
				n++
			}
		}
		better(n, p.id)
		if having, n := namingSets(p.file, names); n > 0 {
			better(n, having...)
		}
	}
	return ids, most
}

// namingSets are the products of a catalogue file whose metric sets have most of the names, as symbols or titles, and how many.
func namingSets(file string, names []string) (ids []string, most int) {
	text, err := unpacked(strings.TrimSuffix(file, ".metrics") + ".sets.gz")
	if err != nil {
		return nil, 0 // it has none
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[fold(name)] = true
	}
	has := map[string]map[string]bool{} // by product, the names that its sets have
	var owners []string
	symbol := ""
	found := func(key string) {
		if !wanted[key] {
			return
		}
		for _, p := range products() {
			if p.file != file || owners != nil && !slices.ContainsFunc(owners, func(w string) bool { return slices.Contains(p.words, w) }) {
				continue
			}
			if has[p.id] == nil {
				has[p.id] = map[string]bool{}
			}
			has[p.id][key] = true
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "\ttitle "); ok && symbol != "" {
			found(fold(title))
			continue
		}
		if line == "" || line[0] == '\t' || line[0] == '#' {
			continue
		}
		before, after, ok := strings.Cut(line, "counter ")
		if symbol = ""; !ok {
			continue // a set
		}
		symbol, owners = after, nil
		if words := strings.TrimSpace(before); words != "" {
			owners = strings.Split(words, ",")
		}
		found(fold(symbol))
	}
	for _, p := range products() {
		switch n := len(has[p.id]); {
		case n == 0 || n < most:
		case n > most:
			ids, most = []string{p.id}, n
		default:
			ids = append(ids, p.id)
		}
	}
	return ids, most
}
