package amdgpu

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// stream makes one row per read of what samplers counted since the last and of the latest readings.
type stream struct {
	l         *layout
	schema    capture.Schema
	counts    [][2][]regTotals // per sampler: now and before
	values    [][2][]value     // per readings
	began     bool
	reasonFor map[refusal]capture.Reason
	once      sync.Once
	closeErr  error
}

// refusal is a reason that was already put in words.
type refusal struct {
	sampler, reg int
	text         string
}

var (
	_ hwio.Stream    = (*stream)(nil)
	_ hwio.Concluder = (*stream)(nil)
)

// newStream starts the layout's threads.
func newStream(l *layout) *stream {
	s := &stream{l: l, reasonFor: map[refusal]capture.Reason{}}
	s.schema.Config = l.config
	for _, c := range l.cols {
		s.schema.Columns = append(s.schema.Columns, capture.ColumnSpec{Meta: c.meta, Integer: c.integer})
	}
	for _, sm := range l.samplers {
		s.counts = append(s.counts, [2][]regTotals{make([]regTotals, len(sm.regs)), make([]regTotals, len(sm.regs))})
		sm.start()
	}
	for _, r := range l.readings {
		s.values = append(s.values, [2][]value{make([]value, len(r.now)), make([]value, len(r.now))})
		if !r.blocks {
			r.refresh()
		}
		r.start()
	}
	return s
}

func (s *stream) Schema() *capture.Schema { return &s.schema }

// Read appends one sample.
func (s *stream) Read(_ context.Context, b *capture.Batch) error {
	if s.l.gone() {
		return io.EOF
	}
	for i, sm := range s.l.samplers {
		c := &s.counts[i]
		c[0], c[1] = c[1], c[0]
		sm.take(c[0])
	}
	for i, r := range s.l.readings {
		v := &s.values[i]
		v[0], v[1] = v[1], v[0]
		r.take(v[0])
	}
	if !s.began {
		s.began = true
		return nil
	}
	for i := range s.l.cols {
		if c := &s.l.cols[i]; c.readings < 0 {
			s.appendSampled(b, i, c)
		} else {
			v := &s.values[c.readings]
			appendReading(b, i, c, &v[0][c.slot], &v[1][c.slot])
		}
	}
	return nil
}

// appendSampled appends what a sampler counted since the last read.
func (s *stream) appendSampled(b *capture.Batch, i int, c *column) {
	sets := &s.counts[c.sampler]
	now, before := &sets[0][c.reg], &sets[1][c.reg]
	n := now.samples - before.samples
	if n == 0 && c.what != theSamples {
		if why, missing := s.why(c, now); missing {
			b.AppendMissingFor(i, why)
			return
		}
	}
	ones := now.ones[c.bit] - before.ones[c.bit]
	switch c.what {
	case theSamples:
		b.AppendInt(i, n)
	case theOnes:
		b.AppendInt(i, ones)
	default:
		if n == 0 {
			b.AppendMissingFor(i, tooShort)
			return
		}
		p := float64(ones) / float64(n)
		b.AppendFloat(i, 100*math.Sqrt(p*(1-p)/float64(n)))
	}
}

var (
	tooShort = capture.Reason{Code: capture.TooFewSamples,
		Text: "no sample of the register fell into this time: take a longer period or a higher rate"}
	wentBack = capture.Reason{Code: capture.Unknown, Text: "the count went back, as after a reset of the GPU"}
)

// why says why a register gave no sample. The words are made once.
func (s *stream) why(c *column, t *regTotals) (capture.Reason, bool) {
	sm := s.l.samplers[c.sampler]
	if t.last == nil || sm.g.gone.Load() || sm.g.sleeping.Load() {
		return sm.why(c.reg, t)
	}
	key := refusal{c.sampler, c.reg, t.last.Error()}
	why, ok := s.reasonFor[key]
	if !ok {
		why, _ = sm.why(c.reg, t)
		s.reasonFor[key] = why
	}
	return why, true
}

// appendReading appends a slow value: a level as it stands, a total as its growth.
func appendReading(b *capture.Batch, i int, c *column, now, before *value) {
	switch {
	case !now.ok:
		b.AppendMissingFor(i, now.why)
	case c.meta.Kind == capture.Gauge && c.integer:
		b.AppendInt(i, now.whole)
	case c.meta.Kind == capture.Gauge:
		b.AppendFloat(i, now.number)
	case !before.ok:
		b.AppendMissingFor(i, before.why)
	default:
		grown := now.whole - before.whole
		if c.wide > 0 && c.wide < 64 {
			grown &= 1<<c.wide - 1
		}
		// A count of any size that seems to have made more than half a turn has gone back.
		if wide := c.wide; (wide == 0 && grown >= 1<<63) || (wide > 0 && grown >= 1<<(wide-1)) {
			b.AppendMissingFor(i, wentBack)
			return
		}
		if c.integer {
			b.AppendInt(i, grown)
			return
		}
		b.AppendFloat(i, float64(grown)*c.scale)
	}
}

// Conclude tells of GPUs that were removed and of registers that could not always be read.
func (s *stream) Conclude() []string {
	var out []string
	for _, g := range s.l.gpus {
		if g.gone.Load() {
			out = append(out, fmt.Sprintf("amdgpu: %s (%s) was removed while it was measured", g.card.Name, g.name))
		}
	}
	for i, sm := range s.l.samplers {
		sm.take(s.counts[i][0])
		seconds := float64(now()-sm.begun) / 1e9
		asked := seconds * 1e9 / float64(sm.period)
		if done := s.counts[i][0][0]; !sm.slept.Load() && seconds > 0 &&
			float64(done.samples+done.refused) < 0.8*asked {
			out = append(out, fmt.Sprintf("amdgpu: %s: status registers could be read %.0f times a second, not the %.0f that were asked for: the machine is busy or the driver slow. Shares have a larger error, and lean towards the times with more samples (grbm_samples)",
				sm.g.card.Name, float64(done.samples+done.refused)/seconds, asked/seconds))
		}
		for k := range sm.regs {
			if t := &s.counts[i][0][k]; t.refused > 0 {
				out = append(out, fmt.Sprintf("amdgpu: %s: %s could not be read %d times of %d, as while a GPU is reset; shares are of the other times", sm.g.card.Name, sm.regs[k].name, t.refused, t.refused+t.samples))
			}
		}
	}
	return out
}

// Close ends the measurement.
func (s *stream) Close() error {
	s.once.Do(func() { s.closeErr = s.l.close() })
	return s.closeErr
}
