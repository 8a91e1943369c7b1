package perfstat

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// builder puts readings into samples.
type builder struct {
	series  map[key]*series
	order   []*series
	ends    []int64 // of the samples, in ns
	starts  []int64
	base    int64  // end of the output before, where outputs were appended
	now     string // interval of the current sample
	open    bool   // there is a current sample
	plain   bool   // it is one without an interval
	runtime uint64 // longest running time in it
	exact   uint64 // what duration_time counted in it
	seen    map[key]int
	guessed bool // nothing told how long it took
	clocks  clocks
	timed   bool // some reading has an interval
	metrics int
	started string
	warn    []string
}

type key struct{ event, instance string }

// series is the readings of one event in one place.
type series struct {
	key
	unit    string
	doc     string
	rows    []int
	values  []string
	running []string
	noise   []string
	kinds   []*series // what it is the sum of, in place of values of its own
}

func newBuilder() *builder { return &builder{series: map[key]*series{}, seen: map[key]int{}} }

const startedOn = "# started on "

// start takes in a line that begins another output of perf stat; it reports whether text is one.
func (b *builder) start(text string) bool {
	when, ok := strings.CutPrefix(text, startedOn)
	if !ok {
		return false
	}
	if b.started == "" {
		b.started = strings.TrimSpace(when)
	}
	b.finishOutput()
	return true
}

// finishOutput ends an output of perf stat: what follows goes on where it ended.
func (b *builder) finishOutput() {
	b.close()
	if len(b.ends) > 0 {
		b.base = b.ends[len(b.ends)-1]
	}
}

// text takes in one line. One that does not end in a line end may be cut off.
func (b *builder) text(p *parser, text string, n int, ended bool) error {
	if strings.HasPrefix(strings.TrimSpace(text), "#") {
		return nil
	}
	r, err := p.line(text)
	if err != nil {
		if !ended && len(b.order) > 0 {
			b.warn = append(b.warn, fmt.Sprintf("truncated: line %d breaks off and is left out", n))
			return nil
		}
		return fmt.Errorf("line %d: %w", n, err)
	}
	b.metrics += r.metrics
	if r.event == "" || r.summary {
		return nil
	}
	if err := b.add(r); err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}

func (b *builder) add(r *reading) error {
	switch {
	case r.interval == "" && b.timed && b.open && !b.plain:
		return nil // --summary prints the total of the intervals again
	case !b.open || r.interval != b.now:
		if err := b.begin(r); err != nil {
			return err
		}
	}
	k := key{r.event, r.instance}
	b.seen[k]++
	if n := b.seen[k]; n > 1 {
		k.event = fmt.Sprintf("%s#%d", r.event, n) // the same event was asked for twice
	}
	s := b.series[k]
	if s == nil {
		s = &series{key: k, unit: unitOf(r.unit)}
		b.series[k] = s
		b.order = append(b.order, s)
	}
	if r.value == notCounted && isClock(r.event) && !r.whole && ranNever(r.running) {
		r.value = "0" // the clock of tasks that did not run stands still
	}
	b.clocks.note(r, len(b.ends)-1)
	s.rows = append(s.rows, len(b.ends)-1)
	s.values = append(s.values, strings.Clone(r.value))
	s.running = append(s.running, strings.Clone(r.running))
	s.noise = append(s.noise, strings.Clone(r.noise))
	each := r.runtime
	if r.parts > 1 {
		each /= r.parts
	}
	b.runtime = max(b.runtime, each)
	if r.event == "duration_time" {
		if n, err := strconv.ParseFloat(r.value, 64); err == nil && n > 0 && n < 1<<62 {
			b.exact = uint64(n)
		}
	}
	return nil
}

// begin starts a sample.
func (b *builder) begin(r *reading) error {
	b.close()
	b.open, b.plain, b.now = true, r.interval == "", r.interval
	start := b.base
	if n := len(b.ends); n > 0 {
		start = max(start, b.ends[n-1])
	}
	end := start
	if !b.plain {
		b.timed = true
		at, err := seconds(r.interval)
		if err != nil {
			return err
		}
		if end = b.base + at; end < start {
			return fmt.Errorf(
				"the interval ends at %s s, before the one above it: the lines are not in the order that perf printed them",
				r.interval)
		}
	}
	b.starts, b.ends = append(b.starts, start), append(b.ends, end)
	return nil
}

// close ends the current sample; one without an interval is as long as its events say.
func (b *builder) close() {
	if b.open && b.plain {
		d, doubt := b.exact, ""
		last := len(b.ends) - 1
		if d == 0 && len(b.clocks.places) > 0 {
			d = min(b.runtime, 1<<60) // events of a CPU are counted all the time
		}
		if d == 0 {
			if d, doubt = b.clocks.lasted(last); doubt != "" && !slices.Contains(b.warn, doubt) {
				b.warn = append(b.warn, doubt)
			}
		}
		if d == 0 {
			d, b.guessed = min(b.runtime, 1<<60), true
		}
		if b.starts[last] < 1<<61 {
			b.ends[last] = b.starts[last] + int64(d)
		}
	}
	b.open, b.runtime, b.exact = false, 0, 0
	clear(b.seen)
}

// seconds reads a time stamp of perf exactly, in ns.
func seconds(text string) (int64, error) {
	if len(text) > 40 || strings.Trim(text, "0123456789.") != "" { // an exponent could be astronomic
		return 0, fmt.Errorf("%q is no time in seconds", text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, fmt.Errorf("%q is no time in seconds", text)
	}
	r.Mul(r, big.NewRat(1e9, 1))
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !n.IsInt64() || n.Sign() < 0 || n.Int64() > math.MaxInt64/4 {
		return 0, fmt.Errorf("the time %s s is not between 0 and 73 years", text)
	}
	return n.Int64(), nil
}

func unitOf(unit string) string {
	switch unit {
	case "msec":
		return "ms"
	case "usec":
		return "us"
	case "nsec":
		return "ns"
	case "seconds":
		return "s"
	}
	return unit
}

func (b *builder) build() (*capture.Config, error) {
	b.close()
	if len(b.order) == 0 {
		return nil, fmt.Errorf("empty: it holds no count of perf stat")
	}
	if b.guessed {
		b.warn = append(b.warn,
			"perf stat does not print how long it ran: the longest time that an event ran is drawn, and no rate is known (count task-clock or duration_time, or use -I)")
	}
	if b.metrics > 0 {
		b.warn = append(b.warn, fmt.Sprintf("%d values that perf computed from counts are left out", b.metrics))
	}
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC", Start: b.starts, End: b.ends}
	cfg := &capture.Config{Axis: axis}
	if b.started != "" {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "started", Text: b.started, IsText: true})
	}
	if !b.onlyDrivers() { // whose events no program on a processor runs
		b.tell(cfg, axis)
	}
	cfg.Counters = b.counters(axis)
	cfg.Warnings = b.warn
	return cfg, nil
}

// counterRoom is what a counter takes without its values, and reasonRoom what a stretch of missing values does, in
// bytes.
const counterRoom, reasonRoom = 1024, 96

// counters makes a counter of each event, with an instance for each place.
func (b *builder) counters(axis *capture.Axis) []*capture.Counter {
	var out, extra []*capture.Counter
	byName := map[string]*capture.Counter{}
	var tally memory.Tally
	sums := b.overKinds()
	for _, s := range slices.Concat(b.order, sums) {
		tally.Must(counterRoom + reasonRoom*uint64(len(s.rows)))
		for _, c := range s.counters(axis) {
			name := c.Name
			list := &out
			if name != s.event {
				list = &extra
			}
			whole := byName[name]
			switch {
			case s.instance == "" && whole == nil:
				byName[name] = c
				*list = append(*list, c)
				continue
			case s.instance == "":
				whole.Col, whole.Reasons, whole.Warnings = c.Col, c.Reasons, c.Warnings
				continue
			case whole == nil:
				whole = &capture.Counter{Meta: c.Meta, Axis: axis}
				whole.Warnings = c.Warnings
				if c.Kind == capture.Gauge {
					whole.Combine = capture.CombineMean
				}
				byName[name] = whole
				*list = append(*list, whole)
			case len(whole.Warnings) == 0:
				whole.Warnings = c.Warnings
			}
			c.Meta.Instance = s.instance
			c.Name = name + "[" + s.instance + "]"
			whole.Instances = append(whole.Instances, c)
		}
	}
	for name, c := range byName {
		plain, mode := modifiers(name)
		if mode != "" && byName[plain] == nil {
			c.Aliases = append(c.Aliases, plain)
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s was counted with the modifier %s (%s) only", plain, mode,
				modifierText(mode)))
		}
	}
	return append(out, extra...)
}

// modifiers divides an event such as cycles:u, as perf calls events where a user may not measure the kernel.
func modifiers(event string) (plain, mode string) {
	i := strings.LastIndexByte(event, ':')
	if i <= 0 || i == len(event)-1 || strings.Trim(event[i+1:], "ukhHGpPSDIWeb") != "" {
		return event, ""
	}
	return event[:i], event[i+1:]
}

func modifierText(mode string) string {
	var parts []string
	for _, m := range []struct{ letter, text string }{{"u", "programs"}, {"k", "the kernel"}, {"h", "the hypervisor"},
		{"H", "this machine"}, {"G", "its guests"}} {
		if strings.Contains(mode, m.letter) {
			parts = append(parts, m.text)
		}
	}
	if len(parts) == 0 {
		return "see perf list"
	}
	return "while " + strings.Join(parts, " and ") + " ran"
}

// counters are the counts of a series and, where they say something, the percentages beside them.
func (s *series) counters(axis *capture.Axis) []*capture.Counter {
	if len(s.kinds) > 0 {
		return []*capture.Counter{s.sum(axis)}
	}
	n := axis.Len()
	main := &capture.Counter{Axis: axis, Meta: capture.Meta{Name: s.event, Unit: s.unit, Doc: s.doc, Source: "perf stat"},
		Reasons: s.reasons(n)}
	if s.unit == shareUnit {
		main.Kind, main.Doc = capture.Gauge, shareDoc
	}
	main.Col = capture.LazyColumn(n, func() (capture.Data, error) { return s.column(s.values, n), nil })
	out := []*capture.Counter{main}
	percent := func(suffix, title string, texts []string) {
		c := &capture.Counter{Axis: axis, Meta: capture.Meta{Name: s.event + suffix, Title: title, Unit: "percent",
			Kind: capture.Gauge, Source: "perf stat"}}
		c.Col = capture.LazyColumn(n, func() (capture.Data, error) {
			return capture.Data{F: s.column(texts, n).Floats()}, nil
		})
		out = append(out, c)
	}
	least := 100.0
	for i, text := range s.running {
		if f, err := number(text); err == nil && s.values[i] != notCounted && s.values[i] != notSupported {
			least = min(least, f)
		}
	}
	if least < 100 {
		main.Warnings = append(main.Warnings,
			fmt.Sprintf(
				"%s shared a hardware counter and ran for as little as %s %% of its time: perf scaled its counts up, they are estimates",
				s.event, strconv.FormatFloat(least, 'f', -1, 64)))
		percent(":running", "Share of the time that "+s.event+" was on a hardware counter", s.running)
	}
	if slices.ContainsFunc(s.noise, func(t string) bool { return t != "" }) {
		percent(":noise", "Relative deviation of "+s.event+" over the runs", s.noise)
	}
	return out
}

func number(text string) (float64, error) {
	return strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
}

// column puts values into their samples: exact integers where all are whole, else doubles.
func (s *series) column(texts []string, n int) capture.Data {
	u := make([]uint64, n)
	valid := capture.Bitmap{Bits: make([]byte, (n+7)/8)}
	whole := true
	for k, text := range texts {
		if text == notCounted || text == notSupported || text == "" {
			continue
		}
		v, ok := count(text)
		if !ok {
			whole = false
			break
		}
		u[s.rows[k]] = v
		valid.Bits[s.rows[k]>>3] |= 1 << (s.rows[k] & 7)
	}
	if whole {
		return capture.Data{U: u, Valid: valid}
	}
	out := capture.MissingData(n)
	for k, text := range texts {
		if f, err := number(text); err == nil {
			out.F[s.rows[k]] = f
		}
	}
	return out
}

// ranNever reports whether an event without a count was never there to be counted, by the share that perf prints of its time.
func ranNever(running string) bool {
	share, err := number(running)
	return running == "" || err == nil && share == 100
}

// whyNotCounted tells from the share of its time that an event ran why it has no count. perf prints all of it where
// that time is none.
func whyNotCounted(running string) capture.Reason {
	share, err := number(running)
	switch {
	case err == nil && share == 0:
		return capture.Reason{Code: capture.NotScheduled,
			Text: "perf stat: <not counted>: the event never got onto a hardware counter"}
	case err == nil:
		return capture.Reason{Code: capture.NotCollected,
			Text: "perf stat: <not counted>: what the event counts for did not run"}
	}
	return capture.Reason{Code: capture.NotCollected,
		Text: "perf stat: <not counted>: the event never got onto a hardware counter, or what it counts for did not run"}
}

// count reads a whole number, with or without zeros behind its point.
func count(text string) (uint64, bool) {
	before, after, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	if strings.Trim(after, "0") != "" {
		return 0, false
	}
	v, err := strconv.ParseUint(before, 10, 64)
	return v, err == nil
}

func (s *series) reasons(n int) []capture.ReasonRun {
	var out []capture.ReasonRun
	add := func(from, to int, why capture.Reason) {
		if from >= to {
			return
		}
		if k := len(out); k > 0 && out[k-1].To == from && out[k-1].Reason == why {
			out[k-1].To = to
			return
		}
		out = append(out, capture.ReasonRun{From: from, To: to, Reason: why})
	}
	absent := capture.Reason{Code: capture.NotCollected, Text: "perf stat printed no line for this event here"}
	next := 0
	for k, row := range s.rows {
		add(next, row, absent)
		switch s.values[k] {
		case notCounted:
			add(row, row+1, whyNotCounted(s.running[k]))
		case notSupported:
			add(row, row+1, capture.Reason{Code: capture.Unsupported,
				Text: "perf stat: <not supported>: this machine has no such event"})
		}
		next = max(next, row+1)
	}
	add(next, n, absent)
	return out
}
