package plots

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

// Text that the compiled-in fonts lack letters for is set in fonts of the system by package typeset. What is cached there depends on
// the fonts alone, so that all pictures of the process share it.
var setter atomic.Pointer[typeset.Setter]

func init() { setter.Store(newSetter(typeset.Places)) }

// newSetter makes a setter over the typefaces in the order of their faces.
func newSetter(places func() []string) *typeset.Setter {
	return typeset.New([]typeset.Face{regular: {TTF: liberationsansregular.TTF}, bold: {TTF: liberationsansbold.TTF, Bold: true},
		mono: {TTF: liberationmonoregular.TTF}}, places)
}

// setLine sets a text that is not plain.
func setLine(f face, text string) *typeset.Line { return setter.Load().Line(int(f), text) }

// isolated keeps a name or value from data apart in a text of the program: in a Hebrew or Arabic name the order of what the
// program puts beside it, such as a number, would change.
func isolated(s string) string {
	if s == "" || !typeset.RightToLeft(s) {
		return s
	}
	return "\u2068" + s + "\u2069"
}

// fontUse is what fonts of the system a picture takes, and which characters none of them has.
type fontUse struct {
	fonts   []*typeset.Font
	missing []rune
}

// fontsOf collects what scenes take.
func fontsOf(scenes ...*scene) fontUse {
	var u fontUse
	for _, sc := range scenes {
		for _, o := range sc.ops {
			t, ok := o.(textOp)
			if !ok || t.style.face.plain(t.text) {
				continue
			}
			l := setLine(t.style.face, t.text)
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

// with adds what further pictures take.
func (u fontUse) with(o fontUse) fontUse {
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

// fontsKey heads each font in the provenance of a report.
const fontsKey = "Font"

// names are the fonts and what they lack, nil where there is nothing to say: the compiled-in fonts come with the version of the program.
func (u fontUse) names() []string {
	var out []string
	for _, f := range u.fonts {
		text := f.Name()
		if h := f.Hash(); h != "" {
			text += " (sha256 " + h[:16] + ")"
		}
		out = append(out, text)
	}
	if len(u.missing) > 0 {
		out = append(out, "none here has "+codePoints(u.missing))
	}
	return out
}

// text is names in one line.
func (u fontUse) text() string { return strings.Join(u.names(), "; ") }

// warning says which characters are written as code points, "" where none are.
func (u fontUse) warning() string {
	if len(u.missing) == 0 {
		return ""
	}
	text := fmt.Sprintf("no font of this system has %s: written as code points in the picture. Install a font that has them, or name one in %s", codePoints(u.missing), typeset.Variable)
	if places, set := typeset.Named(); set {
		text = fmt.Sprintf("no font in %s has %s: written as code points in the picture. Where it is set, no other place is searched", typeset.Variable, codePoints(u.missing))
		for _, p := range places {
			if _, err := os.Stat(p); err != nil {
				text += fmt.Sprintf("; it names %s, which cannot be read", p)
			}
		}
	}
	return text
}

// codePoints lists characters by their code points, with the scripts that they belong to. Of many some are named.
func codePoints(list []rune) string {
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
