package cpu

import (
	"fmt"
	"math"
	"strconv"

	"astrolabe/capture"
)

// turn is how long a group was to count in a sample and how long it did, in ns, on a CPU or, with -1, of the program.
func (t *tables) turn(row, group, cpu int) (enabled, counted float64) {
	rec := t.rec
	if cpu >= 0 {
		enabled = float64(rec.bounds.At(row+1) - rec.bounds.At(row))
		if rec.groups < 2 {
			return enabled, enabled
		}
		return enabled, rec.turned[row*rec.groups+group]
	}
	for i := range rec.n {
		enabled += rec.rows[row*rec.n+i].own[eRan]
		if rec.groups > 1 {
			counted += rec.inTurn[(row*rec.n+i)*rec.groups+group][eRan]
		}
	}
	if rec.groups < 2 {
		counted = enabled
	}
	return enabled, counted
}

// named is the instance of the columns that tell of a group's turns.
func (t *tables) named(group, cpu int) string {
	switch {
	case t.rec.groups > 1 && cpu >= 0:
		return fmt.Sprintf("%d/group%d", cpu, group)
	case t.rec.groups > 1:
		return fmt.Sprintf("group%d", group)
	case cpu >= 0:
		return strconv.Itoa(cpu)
	}
	return capture.TurnWhole
}

// scaled are the values of an event that counts in turns: what it counted, by the time in which it did, and none where it
// had no turn.
func (t *tables) scaled(m capture.Meta, cpu int, of func(e *[events]float64) float64) *capture.Counter {
	rec, group := t.rec, t.group
	m.TurnOf = t.named(group, cpu)
	out := &capture.Counter{Meta: m, Axis: t.axis}
	values, valid := make([]uint64, len(t.rows)), capture.NewBitmap(len(t.rows))
	for i, row := range t.rows {
		enabled, counted := t.turn(row, group, cpu)
		if counted <= 0 && enabled > 0 {
			valid.Clear(i)
			out.Reasons = append(out.Reasons, capture.ReasonRun{From: i, To: i + 1,
				Reason: capture.Reason{Code: capture.NotScheduled, Text: "other events had their turn"}})
			continue
		}
		sum := 0.0
		for k := range rec.n {
			if cpu < 0 || k == cpu {
				sum += of(&rec.inTurn[(row*rec.n+k)*rec.groups+group])
			}
		}
		if counted > 0 {
			values[i] = uint64(math.Floor(sum * enabled / counted))
		}
	}
	out.Col = capture.NewColumn(capture.Data{U: values, Valid: valid})
	return out
}

// inTurn adds an event that counts in turns, per CPU or of the program.
func (t *tables) inTurn(m capture.Meta, of func(e *[events]float64) float64) {
	if !t.wanted(m.Name) {
		return
	}
	if t.k.program {
		t.out = append(t.out, t.scaled(m, -1, of))
		return
	}
	counter := &capture.Counter{Meta: m, Axis: t.axis}
	for i := range t.rec.n {
		one := m
		one.Instance = strconv.Itoa(i)
		counter.Instances = append(counter.Instances, t.scaled(one, i, of))
	}
	t.out = append(t.out, counter)
}

// coverage adds the columns that tell how long each group of events was to count, and the share in which it did.
func (t *tables) coverage() {
	share := capture.Meta{Name: capture.TurnShare, Unit: "percent", GPU: "cpu", Block: "core", Source: "perfevent",
		Kind: capture.Gauge, Combine: capture.CombineMean}
	enabled := capture.Meta{Name: capture.TurnEnabled, Unit: "ns", GPU: "cpu", Block: "core", Source: "perfevent",
		Combine: capture.CombineMean}
	a, b := &capture.Counter{Meta: share, Axis: t.axis}, &capture.Counter{Meta: enabled, Axis: t.axis}
	for group := range t.rec.groups {
		for cpu := range t.rec.n {
			if t.k.program {
				cpu = -1
			}
			shares, times := make([]float64, len(t.rows)), make([]uint64, len(t.rows))
			for i, row := range t.rows {
				on, counted := t.turn(row, group, cpu)
				times[i], shares[i] = uint64(on), math.NaN()
				if on > 0 {
					shares[i] = min(100, 100*counted/on)
				}
			}
			x, y := capture.NewColumn(capture.Data{F: shares}), capture.NewColumn(capture.Data{U: times})
			if name := t.named(group, cpu); name == capture.TurnWhole {
				a.Col, b.Col = x, y
			} else {
				s, e := share, enabled
				s.Instance, e.Instance = name, name
				a.Instances = append(a.Instances, &capture.Counter{Meta: s, Axis: t.axis, Col: x})
				b.Instances = append(b.Instances, &capture.Counter{Meta: e, Axis: t.axis, Col: y})
			}
			if cpu < 0 {
				break
			}
		}
	}
	t.out = append(t.out, a, b)
}
