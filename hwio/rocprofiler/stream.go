package rocprofiler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/vendorproc"
)

// stream makes rows of the samples that the second program sends: one per pair of consecutive ones.
type stream struct {
	src     *Source
	proc    *vendorproc.Process
	agent   vendorproc.Agent
	schema  capture.Schema
	columns []column
	period  time.Duration
	level   string // performance level at the start
	file    string // where it stands

	began  bool
	ended  error
	looked time.Time     // for samples, the last time
	quiet  time.Duration // since the last sample, as far as this program was run
	at     int64         // time of the last sample, ns of CLOCK_MONOTONIC
	before []float64     // its values
	delta  []float64
	why    []capture.Reason
	total  map[string]float64 // of each hardware counter

	rows, stretched, merged, back, lost, fractions uint64
	stopped                                        vendorproc.RocprofilerStopped
}

var (
	_ hwio.Stream    = (*stream)(nil)
	_ hwio.Stamper   = (*stream)(nil)
	_ hwio.Finisher  = (*stream)(nil)
	_ hwio.Concluder = (*stream)(nil)
)

func newStream(s *Source, p *vendorproc.Process, started *vendorproc.RocprofilerStarted, offers []offer,
	period time.Duration) *stream {
	st := &stream{src: s, proc: p, agent: started.Agent, period: period, total: map[string]float64{}}
	st.schema.Config = config(&started.Agent, started)
	st.level, st.file = s.powerLevel(&started.Agent)
	if st.level != "" {
		st.schema.Config.Device.Extra["power_dpm_force_performance_level"] = st.level
	}
	st.columns, st.schema.Columns = layout(&started.Agent, offers, started.Columns)
	n := len(started.Columns)
	st.before, st.delta, st.why = make([]float64, n), make([]float64, n), make([]capture.Reason, n)
	for _, c := range st.columns {
		st.total[c.base] = 0
	}
	var silent []string
	for _, name := range hardware(offers) {
		if _, ok := st.total[name]; !ok {
			silent = append(silent, name)
		}
	}
	if len(silent) > 0 {
		st.schema.Config.Warnings = append(st.schema.Config.Warnings,
			fmt.Sprintf("%s: the library delivers no values of %s: they are not recorded", sourceName,
				strings.Join(silent, ", ")))
	}
	return st
}

func (st *stream) Schema() *capture.Schema { return &st.schema }

// StampsSamples marks the stream: a sample's time is that of the call that read it.
func (st *stream) StampsSamples() {}

// Read starts the samples the first time, and then appends what has come.
func (st *stream) Read(ctx context.Context, b *capture.Batch) error {
	if st.ended != nil {
		return st.ended
	}
	if !st.began {
		return st.begin(ctx)
	}
	return st.drain(b)
}

func (st *stream) begin(ctx context.Context) error {
	if err := st.proc.Call(ctx, vendorproc.OpRocprofilerBegin, struct{}{}, nil); err != nil {
		return st.src.explain(err)
	}
	s, err := st.proc.Next()
	if err == nil && s == nil {
		err = errors.New("no sample came when the first was asked for")
	}
	if err != nil {
		return st.src.explain(err)
	}
	if len(s.Values) != len(st.before) {
		return fmt.Errorf("a sample has %d values, not the %d that were agreed on", len(s.Values), len(st.before))
	}
	st.at, st.looked = middle(s), time.Now()
	copy(st.before, s.Values)
	st.proc.Recycle(s)
	st.began = true
	return nil
}

func middle(s *vendorproc.Sample) int64 { return s.Start + (s.End-s.Start)/2 }

// silence is how long no sample may come before the library is taken to hang.
func (st *stream) silence() time.Duration { return max(3*time.Second, 20*st.period) }

// listen adds the time since the last look to the time without a sample. Of a long one only so much as between two
// looks of a program that is run: a stopped one (Ctrl-Z, a busy machine) finds samples of before that are still on
// their way.
func (st *stream) listen() {
	now := time.Now()
	st.quiet += min(now.Sub(st.looked), max(st.period, 100*time.Millisecond))
	st.looked = now
}

// drain appends the samples that are there.
func (st *stream) drain(b *capture.Batch) error {
	rows := len(b.Start)
	st.listen()
	for {
		s, err := st.proc.Next()
		if err != nil {
			st.ended = st.src.explain(err)
			break
		}
		if s == nil {
			if st.quiet > st.silence() {
				st.proc.Kill()
				st.ended = fmt.Errorf("rocprofiler-sdk has delivered nothing for %v: it hangs, and the program it is in was ended", st.quiet.Round(time.Millisecond))
			}
			break
		}
		st.quiet = 0
		if err := st.append(b, s); err != nil {
			st.ended = err
			break
		}
		st.proc.Recycle(s)
	}
	if len(b.Start) > rows {
		return nil // the end is told by the next Read
	}
	return st.ended
}

var (
	wentBack = capture.Reason{Code: capture.Unknown,
		Text: "the count went back: the counters were reset, or another profiler used them"}
	noValue = capture.Reason{Code: capture.LostReports, Text: "the library delivered no value of this instance here"}
)

// append makes the row from the sample before to this one.
func (st *stream) append(b *capture.Batch, s *vendorproc.Sample) error {
	if len(s.Values) != len(st.before) {
		return fmt.Errorf("a sample has %d values, not the %d that were agreed on", len(s.Values), len(st.before))
	}
	at := middle(s)
	if at <= st.at {
		return fmt.Errorf("a sample is older than the one before it: a defect of %s", vendorproc.Program)
	}
	b.Start, b.End = append(b.Start, st.at), append(b.End, at)
	st.rows++
	if periods := float64(at-st.at) / float64(st.period); periods >= 1.5 {
		st.stretched++
		st.merged += uint64(math.Round(periods)) - 1
	}
	for i, v := range s.Values {
		d := v - st.before[i]
		switch {
		case d != d:
			st.lost++
			d, st.why[i] = math.NaN(), noValue
		case d < 0:
			st.back++
			d, st.why[i] = math.NaN(), wentBack
		}
		st.delta[i], st.before[i] = d, v
	}
	st.at = at
	for i := range st.columns {
		st.fill(b, i, &st.columns[i])
	}
	return nil
}

// fill appends a column's value.
func (st *stream) fill(b *capture.Batch, i int, c *column) {
	var sum float64
	for _, k := range c.from {
		if st.delta[k] != st.delta[k] {
			b.AppendMissingFor(i, st.why[k])
			return
		}
		sum += st.delta[k]
	}
	if c.how == instances {
		st.total[c.base] += sum
	} else if c.how == sumOf {
		st.total[c.base] = max(st.total[c.base], sum)
	}
	switch {
	case c.how == meanOf:
		b.AppendFloat(i, sum/float64(len(c.from)))
	default:
		if sum != math.Trunc(sum) {
			st.fractions++
		}
		b.AppendInt(i, uint64(math.Round(sum)))
	}
}

// stopWait is how long the library may take to stop.
const stopWait = 2 * time.Second

// Finish takes a last sample, stops counting and appends what came.
func (st *stream) Finish(ctx context.Context, b *capture.Batch) error {
	if !st.began || st.ended != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	err := st.proc.Call(ctx, vendorproc.OpRocprofilerStop, struct{}{}, &st.stopped)
	derr := st.drain(b)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("rocprofiler-sdk did not stop counting within %v: it hangs, and the program it is in was ended", stopWait)
	}
	if err != nil {
		return st.src.explain(err)
	}
	return derr
}

// Conclude tells how it went.
func (st *stream) Conclude() []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, sourceName+": "+fmt.Sprintf(format, args...))
	}
	if st.stretched > 0 {
		say("%d of %d samples cover %d periods more than their own, because the library or this machine was late: counts are complete, resolution is lost there", st.stretched, st.rows, st.merged)
	}
	if st.stopped.Failed > 0 {
		say("%d samples failed, the last with: %s; the samples after them are longer", st.stopped.Failed,
			st.stopped.Failure)
	}
	if st.back > 0 {
		say("%d values are missing because a count went back: the counters were reset, or another profiler used them", st.back)
	}
	if st.lost > 0 {
		say("%d values are missing because the library left out an instance in a sample", st.lost)
	}
	if st.stopped.Strange > 0 {
		say("%d values of instances that the first sample did not have were left out", st.stopped.Strange)
	}
	if st.fractions > 0 {
		say("%d values were no whole numbers and were rounded", st.fractions)
	}
	if text := st.gated(); text != "" {
		say("%s", text)
	}
	return out
}

// gated looks for counters that read 0 throughout while others counted.
func (st *stream) gated() string {
	if st.rows == 0 {
		return ""
	}
	var zero []string
	alive := false
	for name, sum := range st.total {
		if sum == 0 {
			zero = append(zero, name)
		} else {
			alive = alive || !strings.HasSuffix(name, "GRBM_COUNT")
		}
	}
	if len(zero) == 0 || !alive {
		return ""
	}
	slices.Sort(zero)
	names := strings.Join(zero, ", ")
	switch st.level {
	case "auto":
		return fmt.Sprintf("%s read 0 throughout while other counters counted, and the performance level is auto: their clock may have been off, so that 0 may mean unknown; %s, and record again", names, levelFix(st.file))
	case "":
		return fmt.Sprintf("%s read 0 throughout while other counters counted: if the performance level was auto their clock may have been off, so that 0 may mean unknown; %s, and record again", names, levelFix(st.file))
	}
	return ""
}

// Close ends the second program.
func (st *stream) Close() error { return st.proc.Close() }
