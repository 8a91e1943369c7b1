package i915

import (
	"fmt"
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
	Revision    int   `json:"perf_revision"`

	Streams []*StreamTruth `json:"streams"`
	Opened  int            `json:"streams_opened"`
	Closed  int            `json:"streams_closed"`

	// PMU is what was read of the driver's counter unit.
	PMU []PMUTruth `json:"pmu,omitempty"`

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
	Configs     []ConfigTruth     `json:"configs"` // in the order in which they were in use
	Format      string            `json:"format"`
	Exponent    int               `json:"exponent"` // -1: no timer
	PeriodTicks uint64            `json:"period_ticks,omitempty"`
	PollNS      int64             `json:"poll_period_ns"`
	Properties  map[uint64]uint64 `json:"properties"`
	Context     string            `json:"context,omitempty"` // the only one wanted
	Powered     *PoweredTruth     `json:"powered,omitempty"` // fixed while the stream is open

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
	Bases  []BaseTruth `json:"bases"`

	// Totals are sums of differences between consecutive delivered reports of the same base, by counter: those of the
	// format, GPU_TICKS and TIMESTAMP (ticks).
	Totals map[string]uint64 `json:"totals"`
	// Contexts divides Totals by the context of the earlier report, "0x20" or "idle". A difference across a REPORT_LOST
	// mark is in none of them. A running context's report that wrongly says its id is not valid counts for the context.
	Contexts map[string]map[string]uint64 `json:"contexts"`
	// AsReported is as Contexts, but goes by the report's own valid bit.
	AsReported map[string]map[string]uint64 `json:"contexts_as_reported"`
	// TooLong counts the differences that do not fit the field's bits in the format, by counter: no reader can know
	// them. Totals has them.
	TooLong map[string]int `json:"too_long,omitempty"`

	FirstTimestamp uint64 `json:"first_timestamp"` // of the 36-bit register
	LastTimestamp  uint64 `json:"last_timestamp"`
}

// PoweredTruth is what of the GPU was to be powered.
type PoweredTruth struct {
	Slices    uint64 `json:"slice_mask"`
	Subslices uint64 `json:"subslice_mask"`
	MinEUs    uint64 `json:"min_eus"`
	MaxEUs    uint64 `json:"max_eus"`
}

// LossTruth is a loss of reports, where a reader sees it: before the report that follows it.
type LossTruth struct {
	Kind           string `json:"kind"` // report, buffer or disable
	Reports        int    `json:"reports"`
	AfterTimestamp uint64 `json:"after_timestamp"` // of the last delivered report, 36 bits
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
	slotClocks = nCounters
	slotTime   = nCounters + 1
	nSlots     = nCounters + 2
)

type sums [nSlots]uint64

func (a *sums) add(d *sums) {
	for i := range a {
		a[i] += d[i]
	}
}

func (a *sums) named(f *format) map[string]uint64 {
	m := map[string]uint64{"GPU_TICKS": a[slotClocks], "TIMESTAMP": a[slotTime]}
	for i := range nCounters {
		if f.bits(i) > 0 {
			m[counterName(i)] = a[i]
		}
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
	s          *stream
	total      sums
	contexts   map[uint32]*sums
	asReported map[uint32]*sums
	tooLong    [nSlots]int
	bases      []*base
	why        string // a new base begins with the next report, for this reason
	gap        bool   // reports were lost since the last one
	some       bool   // a report was delivered
	prev       counters
	prevSeg    *segment
	prevCtx    uint32 // as reported, ctxIdle where not valid
}

func (a *account) start(s *stream) {
	a.s, a.contexts, a.asReported = s, map[uint32]*sums{}, map[uint32]*sums{}
}

func (a *account) cut(why string) { a.why = why }

func (a *account) lastTimestamp(c *clock) uint64 {
	if !a.some {
		return 0
	}
	return c.register(a.prev.t)
}

func (a *account) add(e *event, v *counters) {
	if a.why == "" && a.some && a.prevSeg.configs != e.seg.configs {
		a.why = "config"
	}
	if a.why != "" {
		a.bases = append(a.bases, &base{why: a.why, first: e.t})
		a.why = ""
	} else {
		var d sums
		for i := range v.c {
			d[i] = v.c[i] - a.prev.c[i]
			if w := a.s.format.bits(i); w > 0 && d[i]>>w != 0 {
				a.tooLong[i]++
			}
		}
		d[slotClocks], d[slotTime] = v.clocks-a.prev.clocks, v.t-a.prev.t
		for _, i := range [2]int{slotClocks, slotTime} {
			if d[i]>>32 != 0 {
				a.tooLong[i]++
			}
		}
		a.total.add(&d)
		a.bases[len(a.bases)-1].sums.add(&d)
		if !a.gap {
			share(a.contexts, a.prevSeg.ctx).add(&d)
			share(a.asReported, a.prevCtx).add(&d)
		}
	}
	b := a.bases[len(a.bases)-1]
	b.reports++
	b.last = e.t
	a.gap, a.some, a.prev, a.prevSeg = false, true, *v, e.seg
	a.prevCtx = ctxIdle
	if ctx, valid := e.context(); valid && (a.s.filter == 0 || ctx == a.s.filter) {
		a.prevCtx = ctx
	}
}

func share(m map[uint32]*sums, ctx uint32) *sums {
	if m[ctx] == nil {
		m[ctx] = &sums{}
	}
	return m[ctx]
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
	t.Totals = a.total.named(f)
	t.Contexts, t.AsReported = map[string]map[string]uint64{}, map[string]map[string]uint64{}
	for k, v := range a.contexts {
		t.Contexts[contextName(k)] = v.named(f)
	}
	for k, v := range a.asReported {
		t.AsReported[contextName(k)] = v.named(f)
	}
	t.Bases = nil
	for _, b := range a.bases {
		t.Bases = append(t.Bases, BaseTruth{Why: b.why, Reports: b.reports, FirstTimestamp: c.register(b.first),
			LastTimestamp: c.register(b.last), Totals: b.sums.named(f)})
	}
	if a.some {
		t.FirstTimestamp, t.LastTimestamp = t.Bases[0].FirstTimestamp, c.register(a.prev.t)
	}
	t.TooLong = map[string]int{}
	for i, n := range a.tooLong {
		switch {
		case n == 0:
		case i == slotClocks:
			t.TooLong["GPU_TICKS"] = n
		case i == slotTime:
			t.TooLong["TIMESTAMP"] = n
		default:
			t.TooLong[counterName(i)] = n
		}
	}
}

// Truth implements hwtest.Device; it returns a *Truth.
func (d *device) Truth() any {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &Truth{Scenarios: d.set.Scenarios, Seed: d.set.Seed, Part: d.part, TimestampHz: int64(d.part.TimestampHz),
		DriftPPM: d.clk.ppm, Revision: d.revision,
		Opened: len(d.streams), Closed: d.closed, ConfigsAdded: d.added, ConfigsRemoved: d.removed,
		Totals: map[string]uint64{}, Contexts: map[string]map[string]uint64{}, Unplugged: d.gone, PMU: d.pmu.truth()}
	for _, c := range d.loadedConfigs() {
		if !c.builtin {
			t.ConfigsLeft = append(t.ConfigsLeft, c.truth())
		}
	}
	for _, s := range d.streams {
		s.acct.fill(s.truth)
		if !s.closed {
			s.truth.Unread = len(s.pending) - s.head + s.lost
		}
		if s.truth.Losses == nil {
			s.truth.Losses = []LossTruth{} // an empty list in JSON, not null
		}
		t.Streams = append(t.Streams, s.truth)
		addTo(t.Totals, s.truth.Totals)
		for ctx, m := range s.truth.Contexts {
			if t.Contexts[ctx] == nil {
				t.Contexts[ctx] = map[string]uint64{}
			}
			addTo(t.Contexts[ctx], m)
		}
	}
	return t
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
