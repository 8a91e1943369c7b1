package characters

import (
	"fmt"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/plots/canvas"
)

// Style says how charts are drawn.
type Style struct {
	Width  int  // cells of a line; 0 takes DefaultWidth
	Height int  // rows of a chart's frames together; 0 chooses
	ASCII  bool // no characters beyond ASCII
	Colors Colors
}

// Bounds of the sizes of charts, and what is taken where none is given.
const (
	DefaultWidth = 80
	LeastWidth   = 20
	MostCells    = 1000
)

func (s Style) width() int {
	if s.Width <= 0 {
		return DefaultWidth
	}
	return min(max(s.Width, LeastWidth), MostCells)
}

// Colors says what colours a terminal has.
type Colors uint8

const (
	NoColors   Colors = iota
	Colors16          // the terminal's own
	Colors256         // of a cube of six steps
	TrueColors        // of 24 bits
)

// ColorsOf says what colours a terminal has, by what it puts into the environment of its programs. A user who wants
// none sets NO_COLOR.
func ColorsOf(getenv func(string) string) Colors {
	term := getenv("TERM")
	switch color := getenv("COLORTERM"); {
	case getenv("NO_COLOR") != "" || term == "" || term == "dumb":
		return NoColors
	case color == "truecolor" || color == "24bit" || strings.HasSuffix(term, "-direct"):
		return TrueColors
	case strings.Contains(term, "256color"):
		return Colors256
	}
	return Colors16
}

// LacksUnicode reports whether a terminal is known to have no braille characters: the console of the Linux kernel.
func LacksUnicode(getenv func(string) string) bool { return getenv("TERM") == "linux" }

// basic are the colours of series where a terminal has sixteen.
var basic = [...]int{34, 33, 32, 35, 36, 31}

// paint writes text in the colour of a series; slot < 0 is the terminal's own.
func (s Style) paint(slot int, text string) string {
	if slot < 0 || text == "" {
		return text
	}
	c, _ := canvas.Light().SeriesColor(slot)
	switch s.Colors {
	case Colors16:
		return fmt.Sprintf("\x1b[%dm%s\x1b[39m", basic[slot%len(basic)], text)
	case Colors256:
		step := func(v uint8) int { return (int(v)*5 + 127) / 255 }
		return fmt.Sprintf("\x1b[38;5;%dm%s\x1b[39m", 16+36*step(c.R)+6*step(c.G)+step(c.B), text)
	case TrueColors:
		return fmt.Sprintf("\x1b[38;2;%d;%d;%dm%s\x1b[39m", c.R, c.G, c.B, text)
	}
	return text
}

// plainSigns are how signs of the program are written in ASCII.
var plainSigns = strings.NewReplacer("−", "-", "µ", "u", "·", "|", "…", "...", "°", "deg ", "∞", "inf", "×", "x",
	"²", "^2", "σ", "sigma", "–", "-", "≤", "<=", "≥", ">=", "→", "->")

// Text is a text on one line, without what a terminal would obey; in ASCII what is beyond it is written as escapes.
func (s Style) Text(t string) string {
	t = notation.VisibleLine(t)
	if !s.ASCII {
		return t
	}
	t = plainSigns.Replace(t)
	var out strings.Builder
	for _, r := range t {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\U%08x`, r)
		}
	}
	return out.String()
}

// pick is the first text, or the second in ASCII.
func (s Style) pick(unicode, ascii string) string {
	if s.ASCII {
		return ascii
	}
	return unicode
}
