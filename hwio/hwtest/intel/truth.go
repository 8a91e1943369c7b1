package intel

import (
	"fmt"
	"strings"
)

// Truth is what a model did. Numbers of counters are sums of differences between consecutive delivered reports, taken
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

	// Totals and Contexts are sums over the streams.
	Totals   map[string]uint64            `json:"totals"`
	Contexts map[string]map[string]uint64 `json:"contexts"`

	Unplugged bool `json:"unplugged,omitempty"`
}

// StreamTruth is what happened on one stream.
type StreamTruth struct {
	Unit        int              `json:"unit"`
	Configs     []ConfigTruth    `json:"configs"` // in the order in which they were in use
	Format      string           `json:"format"`
	Exponent    int              `json:"exponent"` // -1: no timer
	PeriodTicks uint64           `json:"period_ticks,omitempty"`
	PollNS      int64            `json:"poll_period_ns"`
	BufferBytes uint64           `json:"buffer_bytes,omitempty"` // where it can be chosen
	Properties  map[int64]uint64 `json:"properties"`
	Context     string           `json:"context,omitempty"` // the only one wanted
	Powered     *PoweredTruth    `json:"powered,omitempty"` // fixed while the stream is open

	// Produced by the hardware = Delivered + Lost + Unread + Dropped + Filtered.
	Produced  int  `json:"reports_produced"`
	Delivered int  `json:"reports_delivered"` // by read, Unlanded ones among them
	Lost      int  `json:"reports_lost"`
	Unread    int  `json:"reports_unread"`             // when the stream was closed, or the program ended
	Dropped   int  `json:"reports_dropped,omitempty"`  // by an old driver, for having no reason
	Filtered  int  `json:"reports_filtered,omitempty"` // of other contexts
	Unlanded  int  `json:"reports_unlanded,omitempty"` // delivered with two zero words in front; in no total
	Reads     int  `json:"reads"`
	Closed    bool `json:"closed"`

	Losses []LossTruth `json:"losses"`
	// Bridged counts the differences within which reports were lost: where a reader can see a loss. Behind a loss at the
	// very end comes no report.
	Bridged int `json:"losses_bridged,omitempty"`
	// Statuses are the bits that reads failed with, in their order, where a driver has them.
	Statuses []uint64    `json:"statuses,omitempty"`
	Bases    []BaseTruth `json:"bases"`

	// Totals are sums of differences between consecutive delivered reports of the same base, by counter: those of the
	// format, GPU_TICKS and TIMESTAMP (ticks).
	Totals map[string]uint64 `json:"totals"`
	// Contexts divides Totals by the context of the earlier report, "0x20" or "idle". A difference within which reports
	// were lost is in none of them. A running context's report that wrongly says its id is not valid counts for the
	// context.
	Contexts map[string]map[string]uint64 `json:"contexts"`
	// AsReported is as Contexts, but goes by the report's own valid bit.
	AsReported map[string]map[string]uint64 `json:"contexts_as_reported"`
	// TooLong counts the differences that do not fit the field's bits in the format, by counter: no reader can know
	// them. Totals has them.
	TooLong map[string]int `json:"too_long,omitempty"`

	FirstTimestamp uint64 `json:"first_timestamp"` // of the register
	LastTimestamp  uint64 `json:"last_timestamp"`
}

// PoweredTruth is what of the GPU was to be powered.
type PoweredTruth struct {
	Slices    uint64 `json:"slice_mask"`
	Subslices uint64 `json:"subslice_mask"`
	MinEUs    uint64 `json:"min_eus"`
	MaxEUs    uint64 `json:"max_eus"`
}

// LossTruth is a loss of reports.
type LossTruth struct {
	Kind           string `json:"kind"` // report, buffer or disable
	Reports        int    `json:"reports"`
	AfterTimestamp uint64 `json:"after_timestamp"` // of the last delivered report
}

// BaseTruth is a run of reports between which differences can be taken.
type BaseTruth struct {
	Why            string            `json:"why"` // what began it: enable, buffer, disable or config
	Reports        int               `json:"reports"`
	FirstTimestamp uint64            `json:"first_timestamp"`
	LastTimestamp  uint64            `json:"last_timestamp"`
	Totals         map[string]uint64 `json:"totals"`
}

// Slots of sums: the counters, then these.
const (
	slotClocks = Slots
	slotTime   = Slots + 1
	nSums      = Slots + 2
)

type sums [nSums]uint64

func (a *sums) add(d *sums) {
	for i := range a {
		a[i] += d[i]
	}
}

func (a *sums) named(f *Format) map[string]uint64 {
	m := map[string]uint64{"GPU_TICKS": a[slotClocks], "TIMESTAMP": a[slotTime]}
	for _, fd := range f.fields {
		m[fd.name] = a[fd.slot]
	}
	return m
}

// base is a BaseTruth in the making.
type base struct {
	why         string
	reports     int
	first, last uint64 // ticks since the device appeared
	sums        sums
}

// account sums up what a stream delivers.
type account struct {
	s          *Stream
	total      sums
	contexts   map[uint32]*sums
	asReported map[uint32]*sums
	tooLong    map[string]int
	bases      []*base
	why        string // a new base begins with the next report, for this reason
	gap        bool   // reports were lost since the last one
	some       bool   // a report was delivered
	prev       Counters
	prevSeg    *Segment
	prevCtx    uint32 // as reported, Idle where not valid
}

func (a *account) start(s *Stream) {
	a.s, a.contexts, a.asReported, a.tooLong = s, map[uint32]*sums{}, map[uint32]*sums{}, map[string]int{}
}

func (a *account) lastTimestamp() uint64 {
	if !a.some {
		return 0
	}
	return a.s.GPU.Clock.Register(a.prev.T)
}

func (a *account) add(e *Event, v *Counters) {
	if a.why == "" && a.some && a.prevSeg.configs != e.seg.configs {
		a.why = "config"
	}
	if a.why != "" {
		a.bases = append(a.bases, &base{why: a.why, first: e.T})
		a.why = ""
	} else {
		gap := a.gap || e.Gap
		if gap {
			a.s.Truth.Bridged++
		}
		a.difference(v, gap)
	}
	b := a.bases[len(a.bases)-1]
	b.reports++
	b.last = e.T
	a.gap, a.some, a.prev, a.prevSeg = false, true, *v, e.seg
	a.prevCtx = Idle
	if ctx, valid := e.Context(); valid && (a.s.Filter == 0 || ctx == a.s.Filter) {
		a.prevCtx = ctx
	}
}

// difference counts what was counted since the report before.
func (a *account) difference(v *Counters, gap bool) {
	var d sums
	fits := func(name string, slot, bits int) {
		if bits < 64 && d[slot]>>bits != 0 {
			a.tooLong[name]++
		}
	}
	for _, fd := range a.s.Format.fields {
		d[fd.slot] = v.C[fd.slot] - a.prev.C[fd.slot]
		fits(fd.name, fd.slot, fd.bits)
	}
	d[slotClocks], d[slotTime] = v.Clocks-a.prev.Clocks, v.T-a.prev.T
	fits("GPU_TICKS", slotClocks, a.s.Format.headerBits())
	fits("TIMESTAMP", slotTime, a.s.Format.headerBits())
	a.total.add(&d)
	a.bases[len(a.bases)-1].sums.add(&d)
	if !gap {
		share(a.contexts, a.prevSeg.Ctx).add(&d)
		share(a.asReported, a.prevCtx).add(&d)
	}
}

func share(m map[uint32]*sums, ctx uint32) *sums {
	if m[ctx] == nil {
		m[ctx] = &sums{}
	}
	return m[ctx]
}

// ContextName is what truths call a context.
func ContextName(ctx uint32) string {
	if ctx == Idle {
		return "idle"
	}
	return fmt.Sprintf("0x%x", ctx)
}

// fill puts the sums into the stream's truth.
func (a *account) fill(t *StreamTruth) {
	f, c := a.s.Format, a.s.GPU.Clock
	t.Totals = a.total.named(f)
	t.Contexts, t.AsReported = map[string]map[string]uint64{}, map[string]map[string]uint64{}
	for k, v := range a.contexts {
		t.Contexts[ContextName(k)] = v.named(f)
	}
	for k, v := range a.asReported {
		t.AsReported[ContextName(k)] = v.named(f)
	}
	t.Bases = nil
	for _, b := range a.bases {
		t.Bases = append(t.Bases, BaseTruth{Why: b.why, Reports: b.reports, FirstTimestamp: c.Register(b.first),
			LastTimestamp: c.Register(b.last), Totals: b.sums.named(f)})
	}
	if a.some {
		t.FirstTimestamp, t.LastTimestamp = t.Bases[0].FirstTimestamp, c.Register(a.prev.T)
	}
	t.TooLong = a.tooLong
}

// FillTruth tells what was done. The GPU is locked.
func (g *GPU) FillTruth(t *Truth) {
	*t = Truth{Scenarios: g.Settings.Scenarios, Seed: g.Settings.Seed, Part: g.Part,
		TimestampHz: int64(g.Part.TimestampHz), DriftPPM: g.Clock.PPM, Opened: len(g.streams), Closed: g.closed,
		ConfigsAdded: g.added, ConfigsRemoved: g.removed, Totals: map[string]uint64{},
		Contexts: map[string]map[string]uint64{}, Unplugged: g.Gone}
	for _, c := range g.LoadedConfigs() {
		if !c.Builtin {
			t.ConfigsLeft = append(t.ConfigsLeft, c.truth())
		}
	}
	for _, s := range g.streams {
		s.acct.fill(s.Truth)
		if !s.Closed {
			s.Truth.Unread = s.Waits() + s.Overrun
		}
		if s.Truth.Losses == nil {
			s.Truth.Losses = []LossTruth{} // an empty list in JSON, not null
		}
		t.Streams = append(t.Streams, s.Truth)
		addTo(t.Totals, s.Truth.Totals)
		for ctx, m := range s.Truth.Contexts {
			if t.Contexts[ctx] == nil {
				t.Contexts[ctx] = map[string]uint64{}
			}
			addTo(t.Contexts[ctx], m)
		}
	}
}

func addTo(sum, m map[string]uint64) {
	for k, v := range m {
		sum[k] += v
	}
}

// String is a line for a test's message.
func (t *StreamTruth) String() string {
	var why []string
	for _, b := range t.Bases {
		why = append(why, b.Why)
	}
	return fmt.Sprintf("%d reports produced, %d delivered, %d lost, %d unread, %d dropped, %d filtered; bases: %s",
		t.Produced, t.Delivered, t.Lost, t.Unread, t.Dropped, t.Filtered, strings.Join(why, " "))
}
