package steps

import (
	"fmt"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

func line(name string, kind capture.Kind, forwards bool, list ...int64) *Line {
	l := &Line{Forwards: forwards, Meta: capture.Meta{Name: name, Kind: kind}}
	var tally memory.Tally
	for i := 0; i < len(list); i += 2 {
		l.Add(list[i], uint64(list[i+1]), false, &tally)
	}
	return l
}

func stretches(name string, list ...int64) *Line {
	l := &Line{Meta: capture.Meta{Name: name}}
	for i := 0; i < len(list); i += 3 {
		l.From, l.Times, l.Bits = append(l.From, list[i]), append(l.Times, list[i+1]), append(l.Bits, uint64(list[i+2]))
	}
	return l
}

func show(c *capture.Counter) (out []string) {
	for i := range c.Len() {
		if v := c.Value(i); v.Missing() {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(v.Float()))
		}
	}
	return out
}

func TestTimeIsCutWhereverACounterHasAValue(t *testing.T) {
	var tally memory.Tally
	idle := stretches("idle", 0, 4, 4, 20, 30, 10)
	idle.Idle = true
	odd := stretches("odd", 1, 8, math.MaxInt64)
	lines := []*Line{line("level", capture.Gauge, true, 10, 1, 0, 2), line("events", capture.Delta, false, 0, 9, 20, 3),
		stretches("work", 4, 14, 7, 12, 20, 1), idle, odd, line("below", capture.Gauge, true, 0, -4)}
	for _, l := range lines {
		l.Sort(&tally)
	}
	cut := Cut(lines, &tally)
	axis := cut.Axis(0)
	if got := fmt.Sprint(axis.Start, axis.End); got != "[0 1 4 8 10 12 14 20] [1 4 8 10 12 14 20 30]" {
		t.Fatalf("axis %s", got)
	}
	counters := Counters(lines, cut, axis)
	for i, want := range []string{"[2 2 2 2 1 1 1 1]", "[0 0 1 0 0 1 1 -]", "[- - 2 2 1 2 1 -]", "[1 3 0 0 0 0 0 10]", "",
		"[-4 -4 -4 -4 -4 -4 -4 -4]"} {
		if got := fmt.Sprint(show(counters[i])); want != "" && got != want {
			t.Errorf("%s: %s, want %s", counters[i].Name, got, want)
		}
	}
	if sum := counters[4].Total(); sum.Float() != math.MaxInt64 {
		t.Errorf("the parts of %d add up to %v", int64(math.MaxInt64), sum)
	}
	if sum := counters[1].Total(); sum.Float() != 3 {
		t.Errorf("the parts of 3 events add up to %v", sum)
	}
	if why, _ := counters[2].Why(0); why.Code != capture.NotCollected {
		t.Errorf("work is missing because of %+v", why)
	}
}

func TestACountKeepsItsRateWhereAnotherCounterCutsIt(t *testing.T) {
	var tally memory.Tally
	halves := line("halves", capture.Delta, false, 0, 0, 10, 3, 20, 5)
	halves.Add(30, math.Float64bits(2.5), true, &tally)
	forwards := line("forwards", capture.Delta, true, 0, 20, 10, 40, 20, 60)
	share := line("share", capture.Delta, false, 0, 0, 10, 50, 20, 70)
	share.Meta.Guessed = true
	mark := line("mark", capture.Gauge, true, 0, 0, 15, 1)
	lines := []*Line{line("events", capture.Delta, false, 0, 9, 10, 100, 20, 300, 30, 100), halves, forwards, share, mark}
	cut := Cut(lines, &tally)
	counters := Counters(lines, cut, cut.Axis(0))
	counters = append(counters, counters[3].OfKind(capture.Gauge, false))
	for i, want := range []string{"[100 150 150 100]", "[3 2.5 2.5 2.5]", "[20 20 20 60]", "[50 35 35 -]", "[0 0 1 1]", "[50 70 70 -]"} {
		if got := fmt.Sprint(show(counters[i])); got != want {
			t.Errorf("%s: %s, want %s", counters[i].Name, got, want)
		}
	}
}
