package charts

import (
	"cmp"
	"fmt"
	"slices"

	"astrolabe/plots/canvas"
)

// Notes are marks with a text of any length: the place has a number, and the text stands under the title, whole.

// mostNotes is how many notes a chart has in words; a line counts the others, which have their numbers only.
const mostNotes = 20

// numbered gives the notes among marks numbers in the order of time.
func numbered(marks []Mark) []Mark {
	out := slices.Clone(marks)
	var notes []int
	for i, m := range out {
		if m.Note {
			notes = append(notes, i)
		}
	}
	slices.SortStableFunc(notes, func(a, b int) int { return cmp.Compare(out[a].At, out[b].At) })
	for n, i := range notes {
		out[i].number = n + 1
	}
	return out
}

// Sign is what stands at the place of a mark: its label, or the number of a note.
func (m Mark) Sign() string {
	if m.number > 0 {
		return fmt.Sprintf("[%d]", m.number)
	}
	return m.Label
}

// noteTexts are the notes between two times in words.
func noteTexts(marks []Mark, t0, t1 int64) []string {
	var notes []Mark
	for _, m := range marks {
		if m.number > 0 && m.At >= t0 && m.At <= t1 {
			notes = append(notes, m)
		}
	}
	slices.SortFunc(notes, func(a, b Mark) int { return cmp.Compare(a.number, b.number) })
	var out []string
	for i, m := range notes {
		if i == mostNotes {
			out = append(out, Grouped(len(notes)-i)+" more notes stand at their places with their numbers only")
			break
		}
		out = append(out, m.Sign()+" "+Duration(m.At)+": "+canvas.Isolated(m.Label))
	}
	return out
}
