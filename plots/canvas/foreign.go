package canvas

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"

	"astrolabe/plots/typeset"
)

// Text that the compiled-in fonts lack letters for is set in fonts of the system by package typeset. What is cached
// there depends on the fonts alone, so that all pictures of the process share it.
var Setter atomic.Pointer[typeset.Setter]

func init() { Setter.Store(NewSetter(typeset.Places)) }

// NewSetter makes a setter over the typefaces in the order of their faces.
func NewSetter(places func() []string) *typeset.Setter {
	return typeset.New([]typeset.Face{Regular: {TTF: liberationsansregular.TTF},
		Bold: {TTF: liberationsansbold.TTF, Bold: true},
		Mono: {TTF: liberationmonoregular.TTF}}, places)
}

// SetLine sets a text that is not plain.
func SetLine(f Face, text string) *typeset.Line { return Setter.Load().Line(int(f), text) }

// Isolated keeps a name or value from data apart in a text of the program: in a Hebrew or Arabic name the order of what
// the program puts beside it, such as a number, would change.
func Isolated(s string) string {
	if s == "" || !typeset.RightToLeft(s) {
		return s
	}
	return "\u2068" + s + "\u2069"
}

// FontUse is what fonts of the system a picture takes, and which characters none of them has.
type FontUse struct {
	fonts   []*typeset.Font
	missing []rune
}

// FontsOf collects what scenes take.
func FontsOf(scenes ...*Scene) FontUse {
	var u FontUse
	for _, sc := range scenes {
		for _, o := range sc.Ops {
			t, ok := o.(TextOp)
			if !ok || t.Style.Face.plain(t.Text) {
				continue
			}
			l := SetLine(t.Style.Face, t.Text)
			for _, r := range l.Runs {
				if r.Font != nil && r.Font.Path != "" && !slices.Contains(u.fonts, r.Font) {
					u.fonts = append(u.fonts, r.Font)
				}
			}
			for _, r := range l.Missing {
				if !slices.Contains(u.missing, r) {
					u.missing = append(u.missing, r)
				}
			}
		}
	}
	slices.Sort(u.missing)
	slices.SortFunc(u.fonts, func(a, b *typeset.Font) int {
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.Path, b.Path))
	})
	return u
}

// With adds what further pictures take.
func (u FontUse) With(o FontUse) FontUse {
	for _, f := range o.fonts {
		if !slices.Contains(u.fonts, f) {
			u.fonts = append(u.fonts, f)
		}
	}
	for _, r := range o.missing {
		if !slices.Contains(u.missing, r) {
			u.missing = append(u.missing, r)
		}
	}
	return u
}

// FontsKey heads each font in the provenance of a report.
const FontsKey = "Font"

// Names are the fonts and what they lack, nil where there is nothing to say: the compiled-in fonts come with the
// version of the program.
func (u FontUse) Names() []string {
	var out []string
	for _, f := range u.fonts {
		text := f.Name()
		if h := f.Hash(); h != "" {
			text += " (sha256 " + h[:16] + ")"
		}
		out = append(out, text)
	}
	if len(u.missing) > 0 {
		out = append(out, "none here has "+CodePoints(u.missing))
	}
	return out
}

// Text is names in one line.
func (u FontUse) Text() string { return strings.Join(u.Names(), "; ") }

// Warning says which characters are written as code points, "" where none are.
func (u FontUse) Warning() string {
	if len(u.missing) == 0 {
		return ""
	}
	text := fmt.Sprintf(
		"no font of this system has %s: written as code points in the picture. Install a font that has them, or name one in %s",
		CodePoints(u.missing), typeset.Variable)
	if places, set := typeset.Named(); set {
		text = fmt.Sprintf(
			"no font in %s has %s: written as code points in the picture. Where it is set, no other place is searched",
			typeset.Variable, CodePoints(u.missing))
		for _, p := range places {
			if _, err := os.Stat(p); err != nil {
				text += fmt.Sprintf("; it names %s, which cannot be read", p)
			}
		}
	}
	return text
}

// CodePoints lists characters by their code points, with the scripts that they belong to. Of many some are named.
func CodePoints(list []rune) string {
	const most = 8
	var points, scripts []string
	for i, r := range list {
		if i < most {
			points = append(points, typeset.CodePoint(r))
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) && !slices.Contains(scripts, name) && name != "Common" && name != "Inherited" {
				scripts = append(scripts, name)
			}
		}
	}
	slices.Sort(scripts)
	text := strings.Join(points, " ")
	if n := len(list) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if len(scripts) > 0 {
		text += " (" + strings.ReplaceAll(strings.Join(scripts, ", "), "_", " ") + ")"
	}
	return text
}
