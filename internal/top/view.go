package top

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"

	"astrolabe/builtins/characters"
	"astrolabe/builtins/notation"
	"astrolabe/plots/charts"
)

// The smallest terminal in which the rows can be read.
const (
	leastWidth  = 40
	leastHeight = 9
)

// Status is what the view says of the recording.
type Status struct {
	Sources string
	Period  time.Duration
	Missed  uint64 // ticks that passed without a reading
	Dropped uint64
	File    string // that is written, "" for none
}

// View draws a board on a screen, and turns keys into what is shown.
type View struct {
	screen tcell.Screen
	style  characters.Style
	live   *Board // that samples are added to
	shown  *Board // the same, or what it was when it was frozen
	status func() Status
	record func() (string, error) // begins or ends a file, and says so

	listing   Listing
	selected  *Row
	first     int // row at the top of the list
	rows      int // that the list has room for
	searching bool
	help      bool
	message   string
	quit      bool

	// Suspend stops the program until its shell lets it go on, as Ctrl-Z does elsewhere; nil where shells do not. The
	// screen is the terminal's own meanwhile.
	Suspend func()
}

// NewView returns a view. status is asked whenever it draws; record is called when the user asks for a file.
func NewView(s tcell.Screen, b *Board, plain bool, status func() Status, record func() (string, error)) *View {
	return &View{screen: s, style: characters.Style{ASCII: plain}, live: b, shown: b, status: status, record: record}
}

func (v *View) paused() bool { return v.shown != v.live }

var (
	plainStyle = tcell.StyleDefault
	barStyle   = tcell.StyleDefault.Foreground(color.Teal)
	headStyle  = tcell.StyleDefault.Reverse(true)
	boldStyle  = tcell.StyleDefault.Bold(true)
	dimStyle   = tcell.StyleDefault.Dim(true)
)

// put writes a text into so many cells of a line, and returns the column behind them. What is too long is shortened.
func (v *View) put(x, y, width int, text string, s tcell.Style) int {
	text = notation.Shortened(v.style.Text(text), width, v.sign("…", "~"))
	v.screen.PutStrStyled(x, y, notation.Pad(text, width), s)
	return x + width
}

// cut leaves out the end of a number with its unit, so that the number stays whole.
func (v *View) cut(text string, width int) string {
	runes, n := []rune(text), notation.TextCells(text)
	if n <= width {
		return text
	}
	for len(runes) > 0 && notation.TextCells(string(runes)) > width-1 {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + v.sign("…", "~")
}

func (v *View) sign(unicode, ascii string) string {
	if v.style.ASCII {
		return ascii
	}
	return unicode
}

// Draw draws everything anew; the screen sends what differs.
func (v *View) Draw() {
	v.screen.Clear()
	w, h := v.screen.Size()
	switch {
	case w < leastWidth || h < leastHeight:
		v.put(0, 0, w, fmt.Sprintf("too small: needs %dx%d; q quits", leastWidth, leastHeight), plainStyle)
	case v.help:
		v.drawHelp(w, h)
	default:
		v.drawHead(w)
		v.drawList(w, h)
		v.drawFoot(w, h)
	}
	v.screen.Show()
}

func (v *View) drawHead(w int) {
	s := v.status()
	left := " astrolabe top · " + s.Sources
	if v.shown.GPU != "" {
		left += " · " + v.shown.GPU
	}
	right := ""
	if s.File != "" {
		right += " REC " + s.File
	}
	if v.paused() {
		right += " PAUSED"
	}
	right = notation.Shortened(v.style.Text(right), w*2/3, v.sign("…", "~"))
	n := notation.TextCells(right)
	v.put(0, 0, w-n-1, left, headStyle)
	v.put(w-n-1, 0, n+1, right+" ", headStyle)

	text := " waiting for samples"
	if v.shown.Samples > 0 {
		text = fmt.Sprintf(" %.3f to %.3f s · %d samples every %s", float64(v.shown.From)/1e9, float64(v.shown.To)/1e9,
			v.shown.Samples, charts.Duration(int64(s.Period)))
	}
	if v.listing.Order != AsRecorded {
		text += " · by " + v.listing.Order.String()
	}
	for _, c := range []struct {
		n    int
		what string
	}{{int(s.Missed), "ticks missed"}, {int(s.Dropped), "dropped"}, {v.shown.Gaps, "gaps"}, {v.shown.Lost, "not shown"}} {
		if c.n > 0 {
			text += fmt.Sprintf(" · %d %s", c.n, c.what)
		}
	}
	v.put(0, 1, w, text, plainStyle)
}

// columns are the widths of a line of the list.
type columns struct{ name, value, bar, past int }

func columnsOf(w int) (c columns) {
	room := w - 1 // of the sign of marked rows
	c.value = 16
	c.name = min(max(room*3/8, 12), 56)
	c.bar = max((room-c.name-c.value-3)*2/5, 4)
	c.past = max(room-c.name-c.value-c.bar-3, 0)
	return c
}

func (v *View) drawList(w, h int) {
	c := columnsOf(w)
	x := v.put(0, 2, 1, "", boldStyle)
	x = v.put(x, 2, c.name+1, "name", boldStyle)
	v.put(x, 2, c.value+1, notation.Pad("", c.value-len("value"))+"value", boldStyle)
	v.put(x+c.value+1, 2, c.bar+1, "bar", boldStyle)
	v.put(x+c.value+c.bar+2, 2, c.past, "history", boldStyle)

	v.rows = h - 6
	list := v.list()
	at := v.place(list)
	v.first = min(max(v.first, at-v.rows+1, 0), max(at, 0), max(len(list)-v.rows, 0))
	if len(list) == 0 && v.shown.Samples > 0 {
		v.put(1, 3, w-1, "nothing is called so: Esc ends the search, c shows all rows", plainStyle)
	}
	for i := 0; i < v.rows && v.first+i < len(list); i++ {
		r := list[v.first+i]
		sign := " "
		switch {
		case r.Marked:
			sign = "*"
		case r.Open:
			sign = "-"
		case r.parts > 1:
			sign = "+"
		}
		v.drawRow(r, c, 3+i, sign, v.first+i == at)
	}
}

func (v *View) drawRow(r *Row, c columns, y int, sign string, selected bool) {
	s := plainStyle
	if r.Marked {
		s = s.Bold(true)
	}
	if r.Value != r.Value {
		s = dimStyle
	}
	if selected {
		s = s.Reverse(true)
	}
	x := v.put(0, y, 1, sign, s)
	x = v.put(x, y, c.name, r.Name, s)
	value := v.cut(v.style.Text(r.Text()), c.value)
	x = v.put(x, y, c.value+1, notation.Pad("", c.value+1-notation.TextCells(value))+value, s) + 1
	v.screen.PutStrStyled(x, y, Bar(r.Share(), c.bar, v.style.ASCII), barStyle)
	v.screen.PutStrStyled(x+c.bar+1, y, r.History(c.past, v.style.ASCII), barStyle)
}

// Bar is a share of a width in eighths of a cell; a missing one is empty. What is above zero has at least an eighth.
func Bar(share float64, width int, ascii bool) string {
	if share != share {
		return ""
	}
	if ascii {
		n := int(math.Round(min(max(share, 0), 1) * float64(width)))
		return strings.Repeat("#", n) + strings.Repeat(".", width-n)
	}
	return characters.Bar(share, width)
}

// History is the last values of a row as blocks on the scale of its bar, the newest at the right.
func (r *Row) History(width int, ascii bool) string {
	past := r.Past[max(len(r.Past)-width, 0):]
	lo, hi := r.Scale()
	return strings.Repeat(" ", width-len(past)) + string(characters.Blocks(past, lo, hi, ascii))
}

func (v *View) drawFoot(w, h int) {
	if r := v.selected; r != nil {
		text := " " + r.Name
		for _, more := range []string{r.Title, r.Device} {
			if more != "" && more != r.Name {
				text += " · " + more
			}
		}
		v.put(0, h-3, w, text, plainStyle)
		text = " never measured"
		if r.measured() {
			text = fmt.Sprintf(" now %s · least %s · most %s", r.Text(), notation.Quantity(r.Lo, r.Unit),
				notation.Quantity(r.Hi, r.Unit))
		}
		if r.Why != "" {
			text += " · " + r.Why
		}
		v.put(0, h-2, w, text, plainStyle)
	}
	text := " q quit  space pause  s sort  / search  enter choose  i parts  r record  ? help"
	switch {
	case v.searching:
		text = " search: " + v.listing.Search + "_  (Enter keeps it, Esc ends it)"
	case v.message != "":
		text = " " + v.message
	case v.listing.Search != "" || v.listing.Marked:
		var only []string
		if v.listing.Search != "" {
			only = append(only, "search "+v.listing.Search)
		}
		if v.listing.Marked {
			only = append(only, "chosen")
		}
		text = " only " + strings.Join(only, ", ") + " · Esc shows all"
	}
	v.put(0, h-1, w, text, headStyle)
}

var helpText = [...]string{
	"astrolabe top shows what a recording measures while it goes on.",
	"",
	"Up Down PgUp PgDn Home End   move",
	"Enter        choose the row, or no longer",
	"c            only chosen rows, or all",
	"s S          sort: as recorded, by name, by bar, by change",
	"/            search in names, titles, units and devices",
	"i            show the instances of the row too: GPUs, processors, cores",
	"I            those of all rows, or of none",
	"space        pause: the screen stands still, the recording goes on",
	"r            write all further samples into a file, or end it",
	"Ctrl-L       draw the screen again",
	"Esc          all rows again",
	"q Ctrl-C     quit; Ctrl-Z: to the shell, which goes on by fg",
	"",
	"A count is shown per second of the time that its samples cover, a",
	"level as its mean, a metric as its formula on the totals.",
	"The bar of a percentage ends at 100 %, another at the most so far.",
}

func (v *View) drawHelp(w, h int) {
	for i, line := range helpText[:min(len(helpText), h)] {
		v.put(1, i, w-1, line, plainStyle)
	}
}
