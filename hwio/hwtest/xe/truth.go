package xe

import (
	"fmt"
	"maps"
	"strings"
)

// Truth is what the model did. Numbers of counters are sums of differences between consecutive delivered reports, taken
// from true 64-bit counters: they are exact, and stay below 2^53 for hours.
type Truth struct {
	Scenarios []string `json:"scenarios,omitempty"`
	Seed      uint64   `json:"seed"`
	Part      *Part    `json:"part"`
	// TimestampHz is the nominal frequency; the real one is DriftPPM parts in a million higher.
	TimestampHz int64 `json:"timestamp_hz"`
	DriftPPM    int64 `json:"drift_ppm"`

	Streams []*StreamTruth `json:"streams"`
	Opened  int            `json:"streams_opened"`
	Closed  int            `json:"streams_closed"`

	ConfigsAdded   []ConfigTruth `json:"configs_added"`
	ConfigsRemoved []ConfigTruth `json:"configs_removed"`
	// ConfigsLeft are those of ConfigsAdded that are still loaded.
	ConfigsLeft []ConfigTruth `json:"configs_left"`

	// Queries counts the questions that were answered, and Refused are the requests that were not granted.
	Queries map[string]int `json:"queries"`
	Refused []RefusalTruth `json:"refused"`

	Unplugged bool `json:"unplugged,omitempty"`
}

// StreamTruth is what happened on one stream.
type StreamTruth struct {
	Unit        int              `json:"unit"`
	Configs     []ConfigTruth    `json:"configs"` // in the order in which they were in use
	Format      string           `json:"format"`
	Exponent    int              `json:"exponent"` // -1: no timer
	PeriodTicks uint64           `json:"period_ticks,omitempty"`
	BufferBytes uint64           `json:"buffer_bytes"`
	Properties  map[int64]uint64 `json:"properties"`

	// Produced by the hardware = Delivered + Lost + Unread.
	Produced  int  `json:"reports_produced"`
	Delivered int  `json:"reports_delivered"` // by read
	Lost      int  `json:"reports_lost"`
	Unread    int  `json:"reports_unread"` // when the stream was closed, or the program ended
	Reads     int  `json:"reads"`
	Closed    bool `json:"closed"`

	Losses []LossTruth `json:"losses"`
	// Statuses are the bits that reads failed with, in their order.
	Statuses []uint64    `json:"statuses,omitempty"`
	Bases    []BaseTruth `json:"bases"`

	// Totals are sums of differences between consecutive delivered reports of the same base, by counter: those of the
	// format, GPU_TICKS and TIMESTAMP (ticks).
	Totals map[string]uint64 `json:"totals"`
	// Contexts divides Totals by the context of the earlier report, "0x20" or "idle". A difference within which reports
	// were lost is in none of them.
	Contexts map[string]map[string]uint64 `json:"contexts"`

	FirstTimestamp uint64 `json:"first_timestamp"`
	LastTimestamp  uint64 `json:"last_timestamp"`
}

// LossTruth is a run of reports that the unit did not write.
type LossTruth struct {
	Kind    string `json:"kind"` // report, buffer or disable
	Reports int    `json:"reports"`
	timers  bool   // one of them is a timer's
}

// BaseTruth is a run of reports between which differences can be taken.
type BaseTruth struct {
	Why     string `json:"why"` // what began it: enable or config
	Reports int    `json:"reports"`
}

// Slots of sums: the counters, then these.
const (
	slotClocks = nCounters
	slotTime   = nCounters + 1
	nSlots     = nCounters + 2
)

type sums [nSlots]uint64

func (a *sums) named(f *format) map[string]uint64 {
	m := map[string]uint64{"GPU_TICKS": a[slotClocks], "TIMESTAMP": a[slotTime]}
	for i := range f.n {
		m[f.counter(i)] = a[i]
	}
	for _, bank := range f.others {
		for i := range 8 {
			m[fmt.Sprintf("%s%d", bank, i)] = 0
		}
	}
	return m
}

// account sums up what a stream delivers.
type account struct {
	s        *stream
	total    sums
	contexts map[uint32]*sums
	why      string // a new base begins with the next report, for this reason
	some     bool   // a report was delivered
	first    uint64 // time of the first one
	prev     counters
	prevSeg  *segment
}

func (a *account) start(s *stream) { a.s, a.contexts = s, map[uint32]*sums{} }

func (a *account) cut(why string) { a.why = why }

func (a *account) add(e *event, v *counters) {
	t := a.s.truth
	if a.why == "" && a.some && a.prevSeg.configs != e.seg.configs {
		a.why = "config"
	}
	if a.why != "" {
		t.Bases = append(t.Bases, BaseTruth{Why: a.why})
		a.why = ""
	} else {
		var d sums
		for i := range v.c {
			d[i] = v.c[i] - a.prev.c[i]
		}
		d[slotClocks], d[slotTime] = v.clocks-a.prev.clocks, v.t-a.prev.t
		into := []*sums{&a.total}
		if !e.gap {
			if a.contexts[a.prevSeg.ctx] == nil {
				a.contexts[a.prevSeg.ctx] = &sums{}
			}
			into = append(into, a.contexts[a.prevSeg.ctx])
		}
		for _, s := range into {
			for i := range s {
				s[i] += d[i]
			}
		}
	}
	t.Bases[len(t.Bases)-1].Reports++
	if !a.some {
		a.first = e.t
	}
	a.some, a.prev, a.prevSeg = true, *v, e.seg
}

func contextName(ctx uint32) string {
	if ctx == ctxIdle {
		return "idle"
	}
	return fmt.Sprintf("0x%x", ctx)
}

// fill puts the sums into the stream's truth.
func (a *account) fill(t *StreamTruth) {
	f, c := a.s.format, a.s.d.clk
	t.Totals, t.Contexts = a.total.named(f), map[string]map[string]uint64{}
	for k, v := range a.contexts {
		t.Contexts[contextName(k)] = v.named(f)
	}
	if a.some {
		t.FirstTimestamp, t.LastTimestamp = c.register(a.first), c.register(a.prev.t)
	}
}

// Truth implements hwtest.Device; it returns a *Truth.
func (d *device) Truth() any {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &Truth{Scenarios: d.set.Scenarios, Seed: d.set.Seed, Part: d.part, TimestampHz: timestampHz,
		DriftPPM: d.clk.ppm, Opened: len(d.streams), Closed: d.closed, ConfigsAdded: d.added,
		ConfigsRemoved: d.removed, Queries: maps.Clone(d.queries), Refused: d.refused, Unplugged: d.gone}
	for _, c := range d.loadedConfigs() {
		if !c.builtin {
			t.ConfigsLeft = append(t.ConfigsLeft, c.truth())
		}
	}
	for _, s := range d.streams {
		s.acct.fill(s.truth)
		if !s.closed {
			s.truth.Unread = len(s.pending) - s.head
		}
		if s.truth.Losses == nil {
			s.truth.Losses = []LossTruth{} // an empty list in JSON, not null
		}
		t.Streams = append(t.Streams, s.truth)
	}
	return t
}

// String is a line for a test's message.
func (t *StreamTruth) String() string {
	var why []string
	for _, b := range t.Bases {
		why = append(why, b.Why)
	}
	return fmt.Sprintf("%d reports produced, %d delivered, %d lost, %d unread; bases: %s", t.Produced, t.Delivered,
		t.Lost, t.Unread, strings.Join(why, " "))
}
