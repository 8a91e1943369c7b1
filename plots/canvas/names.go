package canvas

import (
	"math"
	"strings"

	"astrolabe/plots/typeset"
)

// Names of counters are long, and those of one chart differ in a few letters: shortened in the middle each by itself,
// they may all become one.

// FitNames shortens names to a width so that names which differ stay different: of those that would look alike, the
// part in which they differ is kept.
func (s Style) FitNames(names []string, width float64) []string {
	out := make([]string, len(names))
	alike := map[string][]int{}
	for i, n := range names {
		out[i] = s.Fit(n, width)
		alike[out[i]] = append(alike[out[i]], i)
	}
	for _, group := range alike {
		var list []string
		differ := false
		for _, i := range group {
			list = append(list, Printable(names[i]))
			differ = differ || list[0] != list[len(list)-1]
		}
		if !differ {
			continue
		}
		head, tail := commonEnds(list)
		for k, i := range group {
			out[i] = s.keeping(list[k], head, tail, width)
		}
	}
	return out
}

// commonEnds is the length in bytes of what names have in common at their beginnings and ends, whole characters each.
func commonEnds(names []string) (head, tail int) {
	head, tail = len(names[0]), len(names[0])
	for _, n := range names[1:] {
		h := 0
		for h < min(head, len(n)) && n[h] == names[0][h] {
			h++
		}
		t := 0
		for t < min(tail, len(n)) && n[len(n)-1-t] == names[0][len(names[0])-1-t] {
			t++
		}
		head, tail = h, t
	}
	for _, n := range names { // "core 1" and "core 11": what follows the beginning may also be the end
		tail = min(tail, len(n)-head)
	}
	ends, _ := typeset.Breaks(names[0])
	whole := 0
	for _, e := range ends {
		if e <= head {
			whole = e
		}
	}
	head = whole
	for _, e := range ends {
		if len(names[0])-e <= tail {
			tail = len(names[0]) - e
			break
		}
	}
	return head, tail
}

// keeping shortens a name but keeps what lies between its first head and last tail bytes, and of those as much as fits.
func (s Style) keeping(name string, head, tail int, width float64) string {
	core := name[head : len(name)-tail]
	before, _ := typeset.Breaks(name[:head])
	after, _ := typeset.Breaks(name[len(name)-tail:])
	with := func(n int) string { // so many characters more than the core, two of three before it
		a := min(n-n/3, len(before))
		b := min(n-a, len(after))
		out := core
		if a < len(before) {
			from := 0
			if a > 0 {
				from = before[a-1]
			}
			out = name[:from] + "…" + out
		} else {
			out = name[:head] + out
		}
		if b < len(after) {
			out += "…"
			if b > 0 {
				out += name[len(name)-tail+after[len(after)-1-b]:]
			}
		} else {
			out += name[len(name)-tail:]
		}
		return out
	}
	best := "…" + core
	for n := 0; n <= len(before)+len(after); n++ {
		text := with(n)
		if s.Width(text) > width {
			break
		}
		best = text
	}
	return s.Fit(best, width)
}

// LinesEach is room for so many lines, at least one, beside each of some rows.
func LinesEach(rows, lines int) []int {
	out := make([]int, rows)
	for i := range out {
		out[i] = max(lines, 1)
	}
	return out
}

// NameLines wraps names to lines of a width, as many as there is room for, and shortens those that need more as
// fitNames does.
func (s Style) NameLines(names []string, width float64, room []int) [][]string {
	out := make([][]string, len(names))
	var long []int
	var list []string
	n := math.MaxInt
	for i, name := range names {
		if out[i] = s.Wrap(name, width); len(out[i]) > room[i] {
			long, list, n = append(long, i), append(list, name), min(n, room[i])
		}
	}
	// Lines are broken where words end, so that not all of their width is used.
	for share := float64(n); len(long) > 0 && share > 0.5; share -= 0.1 {
		short := s.FitNames(list, width*share)
		fits := true
		for k, i := range long {
			out[i] = s.Wrap(short[k], width)
			fits = fits && len(out[i]) <= n
		}
		if fits {
			return out
		}
	}
	for _, i := range long {
		out[i] = []string{s.Fit(strings.Join(out[i], " "), width)}
	}
	return out
}

// MostLines is the greatest number of lines of any name.
func MostLines(list [][]string) int {
	n := 1
	for _, l := range list {
		n = max(n, len(l))
	}
	return n
}

// RowNameHeight is the height of so many lines of a row's name.
func RowNameHeight(t *Theme, lines int) float64 { return float64(lines) * t.Text * 1.2 }

// DrawRowName writes the lines of a name to the left of x, their middle at y, and returns the y of their lower end.
func DrawRowName(sc *Scene, t *Theme, lines []string, x, y float64) float64 {
	s := Style{Regular, t.Text}
	base := y - RowNameHeight(t, len(lines))/2 + s.Size*0.95
	bottom := base
	for _, l := range lines {
		bottom = sc.TextAt(x, base, Right, s, t.Ink, l).Bottom()
		base += t.Text * 1.2
	}
	return bottom
}
