package metrics

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"astrolabe/capture"
)

// Family is what a GPU belongs to, as far as its name tells: within an architecture counters mean much the same, across
// architectures they do not.
type Family struct {
	Vendor       string
	Architecture string // "" where the name does not tell, or where a catalogue is for every one of the vendor's
	Catalogue    string // that of exactly this GPU, "" where there is none
}

func (f Family) String() string {
	if f.Architecture == "" {
		return f.Vendor
	}
	return f.Vendor + ", " + f.Architecture
}

// familyRow is one line of the table.
type familyRow struct {
	by, pattern string
	Family
}

var familyRows = sync.OnceValue(func() []familyRow {
	raw, err := packed.ReadFile("data/families.csv")
	if err != nil {
		panic(err) // it is part of the program
	}
	var out []familyRow
	for _, p := range products() {
		out = append(out, familyRow{"id", p.id, p.is})
		for _, m := range p.matches {
			by, pattern, _ := strings.Cut(m, " ")
			out = append(out, familyRow{by, pattern, p.is})
		}
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, ",")
		out = append(out, familyRow{f[0], f[1], Family{Vendor: f[2], Architecture: f[3]}})
	}
	return out
})

// familyBy finds what one kind of name belongs to.
func familyBy(by, text string) (Family, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return Family{}, false
	}
	texts := []string{text}
	if by == "name" { // the name of a product may have words before it
		for i := range text {
			if i > 0 && strings.ContainsRune(" ([", rune(text[i-1])) {
				texts = append(texts, text[i:])
			}
		}
	}
	for _, row := range familyRows() {
		if row.by != by {
			continue
		}
		for _, t := range texts {
			if ok, _ := path.Match(row.pattern, t); ok {
				return row.Family, true
			}
			if by == "name" { // and words behind it
				if word, _, more := strings.Cut(t, " "); more {
					if ok, _ := path.Match(row.pattern, word); ok {
						return row.Family, true
					}
				}
			}
		}
	}
	return Family{}, false
}

// StatedBy is the catalogue of the one GPU that names of columns say they are of, "" where they say none or several.
func StatedBy(names []string) string {
	found := ""
	for _, name := range names {
		i := slices.IndexFunc(products(), func(p *product) bool {
			return slices.ContainsFunc(p.stated, func(text string) bool { return strings.HasPrefix(name, text) })
		})
		switch {
		case i < 0:
		case found == "":
			found = products()[i].id
		case found != products()[i].id:
			return ""
		}
	}
	return found
}

// FamilyOf is what the GPU of a capture belongs to, by its id or else by what the capture says of its device. ok is
// false where neither tells.
func FamilyOf(gpu string, d capture.Device) (f Family, ok bool) {
	if f, ok = familyBy("id", gpu); ok {
		return f, true
	}
	if f, ok = familyBy("pci", d.ID); ok && f.Architecture != "" {
		return f, true
	}
	if named, is := familyBy("name", d.Name); is {
		return named, true
	}
	if ok {
		return f, true
	}
	for _, row := range familyRows() {
		if strings.EqualFold(row.Vendor, d.Vendor) {
			return Family{Vendor: row.Vendor}, true
		}
	}
	return Family{}, false
}

// Fit is how the catalogue that a caller chose fits a capture.
type Fit uint8

const (
	Fits    Fit = iota // it is the capture's own, or nothing contradicts it
	Sibling            // another GPU of the same architecture: most counters mean the same
	Foreign            // another vendor or architecture
)

// FitOf compares the catalogue wanted with what a capture says of itself: its GPU id gpu and its device. The text says
// how they differ; it is "" where they fit.
func FitOf(wanted, gpu string, d capture.Device) (Fit, string) {
	is, known := FamilyOf(gpu, d)
	want, ok := familyBy("id", wanted)
	if wanted == gpu || !known || !ok || is.Catalogue == wanted {
		return Fits, ""
	}
	a := productOf(wanted)
	for _, id := range []string{gpu, is.Catalogue} {
		if b := productOf(id); a != nil && b != nil && (a.standsFor(b) || a.countsLike(b)) {
			return Fits, ""
		}
	}
	says := gpu
	for _, s := range []string{d.Name, d.ID, d.Vendor} {
		if says == "" {
			says = s
		}
	}
	text := fmt.Sprintf("the capture says that it is of %s (%s), and %s is of %s", says, is, wanted, want)
	switch {
	case is.Vendor != want.Vendor:
		return Foreign, text
	case want.Architecture == "":
		return Fits, "" // for every one of the vendor's
	case is.Architecture == "":
		return Sibling, text
	case is.Architecture != want.Architecture:
		return Foreign, text
	}
	return Sibling, text
}

// ByForce says, for every page about a capture, that it is read by a catalogue of another family than it says it is of;
// "" where it is not.
func ByForce(c *capture.Capture) string {
	if c.Stated == "" {
		return ""
	}
	return fmt.Sprintf("read as %s, though the capture says that it is of %s: every metric may be wrong",
		c.GPU, c.Stated)
}
