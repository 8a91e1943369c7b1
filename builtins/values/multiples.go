package values

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/plots/charts"
)

// Multiples are what a chart of small multiples is made of.
type Multiples struct {
	Title    string
	Notes    []string
	Counters []*Counter
	Spans    []capture.Span // that are drawn
	Behind   []capture.Span // what stands behind each of them; nil for nothing
	Back     string         // what that is called
	Of       *Capture       // whose frames name the stretches and have the pictures; nil is that of the first counter
	Shots    *Screenshots   // nil for no pictures
}

// Plot draws them: the stretches, and below them each of those that stand behind, once.
func (m *Multiples) Plot() (*charts.Plot, error) {
	of := m.Counters[0].From
	if m.Of != nil {
		of = m.Of.Capture
	}
	if m.Shots != nil && of == nil {
		return nil, errors.New("the counters were computed and have no frames that pictures could be of: give " +
			"capture= as well")
	}
	if n := len(m.Spans); n == 0 || n > charts.MostMultiples {
		return nil, fmt.Errorf("parameter spans: got %d stretches of time, want 1 to %d: take the longest of more", n,
			charts.MostMultiples)
	}
	if m.Behind != nil && len(m.Behind) != len(m.Spans) {
		return nil, fmt.Errorf("parameter behind: got %d stretches for %d: give one, or as many", len(m.Behind),
			len(m.Spans))
	}
	var frames *framePictures
	if of != nil {
		var err error
		if frames, err = framesOf(of, m.Shots); err != nil {
			return nil, err
		}
	}
	o := charts.MultiplesOptions{Title: m.Title, Notes: m.Notes, Front: "this one", Back: m.Back}
	switch {
	case frames != nil:
		o.Front = "this frame"
		o.Notes = append(o.Notes, frames.notes...)
	case m.Shots != nil:
		o.Notes = append(o.Notes, "the capture has no frames that pictures could be of")
	}
	row := func(s capture.Span) charts.Multiple {
		in := frames.within(s.Start, s.End)
		r := charts.Multiple{Name: frames.name(in), Start: s.Start, End: s.End, Behind: -1}
		took := charts.Duration(s.End - s.Start)
		r.Note = "from " + charts.Duration(s.Start) + ", " + took + " long"
		if r.Name == "" {
			r.Name, r.Note = "from "+charts.Duration(s.Start), took+" long"
		}
		if m.Shots != nil && frames != nil {
			r.Photo = m.Shots.photo(frames, in)
		}
		return r
	}
	var rows, last []charts.Multiple
	placed := map[capture.Span]int{}
	for i, s := range m.Spans {
		r := row(s)
		if m.Behind != nil {
			back := m.Behind[i]
			at, there := placed[back]
			if !there {
				at = len(m.Spans) + len(last)
				placed[back] = at
				b := row(back)
				b.Note = m.Back + ": " + b.Note
				last = append(last, b)
			}
			r.Behind = at
			r.Note += times(s, back) + m.Back
		}
		rows = append(rows, r)
	}
	var series []charts.Series
	for _, c := range m.Counters {
		series = append(series, c.Series())
	}
	return charts.SmallMultiples(o, series, append(rows, last...))
}

// times is how many times as long as another a stretch is, in words.
func times(a, b capture.Span) string {
	if b.End <= b.Start {
		return ", over "
	}
	return fmt.Sprintf(": %.3g times ", float64(a.End-a.Start)/float64(b.End-b.Start))
}

// Stretches reads a Span or a Sample, or a list of them.
func Stretches(v starlark.Value) (out []capture.Span, err error) {
	err = binding.Each(v, func(x starlark.Value) error {
		switch x := x.(type) {
		case *Span:
			out = append(out, capture.Span{Start: x.Span.Start, End: x.Span.End})
		case *Sample:
			a := x.cap.Capture.Axis
			out = append(out, capture.Span{Start: a.Start[x.i], End: a.End[x.i]})
		default:
			return fmt.Errorf("got %s, want a Span or a Sample", x.Type())
		}
		return nil
	})
	return out, err
}
