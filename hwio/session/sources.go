package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// SourceOptions say how readers are used.
type SourceOptions struct {
	// Counters are names or globs of what can be enabled, for sources that can count more than they list; none means
	// what they list.
	Counters []string
	// MaxPerPass limits the counters of a pass; 0 puts all into one.
	MaxPerPass int
	// PID limits samples between Begin and End to a process; 0 is the whole machine. A command that Run starts is
	// always measured alone.
	PID int
	// Options are those of the sources' own.
	Options map[string]string
}

// OverSources is a backend that measures with readers. Every pass opens its own counters. A reader that is read on
// demand is read at the begin and the end of a sample; of a device that stamps its own samples those that arrive in
// between are taken together. Instances, such as one per processor, make one value.
func OverSources(sources []hwio.Source, o SourceOptions) Backend {
	return &overSources{sources: sources, opt: o}
}

type overSources struct {
	sources  []hwio.Source
	opt      SourceOptions
	counters []Counter
	of       map[string]origin // by the counter's name
	device   capture.Device
	gpu      string
	props    []capture.Property // of the streams: what the counters' metrics need beside them
	epoch    time.Time
}

// origin is where a counter comes from.
type origin struct {
	source int
	meta   capture.Meta
}

var (
	_ Backend       = (*overSources)(nil)
	_ commandRunner = (*overSources)(nil)
	_ describer     = (*overSources)(nil)
	_ metaOf        = (*overSources)(nil)
)

func (b *overSources) Open(ctx context.Context) error {
	b.counters, b.props, b.of, b.epoch = nil, nil, map[string]origin{}, time.Now()
	for k, src := range b.sources {
		if st := src.Probe(ctx); st.Usable {
			if b.gpu == "" || b.gpu == "cpu" && st.GPU != "" {
				b.gpu, b.device.Name = st.GPU, st.Device
			}
		}
		metas, err := b.list(ctx, src)
		if err != nil {
			return fmt.Errorf("list the counters of %s: %w", src.Name(), err)
		}
		for _, m := range metas {
			name := m.Name
			if _, taken := b.of[name]; taken {
				name = src.Name() + "_" + name // as a recording of both calls it
			}
			if _, taken := b.of[name]; taken {
				continue
			}
			b.of[name] = origin{k, m}
			b.add(src, name, m)
		}
	}
	if len(b.counters) == 0 {
		return fail(HardwareNotSupported, "the source has no counter here")
	}
	return nil
}

func (b *overSources) add(src hwio.Source, name string, m capture.Meta) {
	group := m.Block
	if group == "" {
		group = src.Name()
	}
	c := Counter{Name: name, Group: group, Doc: m.Doc, Unit: m.Unit, Usage: usageOf(m.Unit), Type: typeFloat64,
		Kind:    kindPublic,
		Combine: m.Kind}
	if m.Kind == capture.Delta && m.Unit != "joules" && m.Unit != "s" && m.Unit != "ms" {
		c.Type = typeUint64
	}
	c.Hardware = []Hardware{{Name: name}}
	b.counters = append(b.counters, c)
}

// list describes what can be enabled of a source.
func (b *overSources) list(ctx context.Context, src hwio.Source) ([]capture.Meta, error) {
	if len(b.opt.Counters) == 0 {
		return src.Counters(ctx)
	}
	// A user who may not watch the whole machine may still watch this process.
	for _, pid := range []int{b.opt.PID, os.Getpid()} {
		s, err := src.Open(ctx, hwio.Request{Counters: b.opt.Counters, Period: hwio.DefaultPeriod, PID: pid,
			Options: b.opt.Options})
		switch {
		case errors.Is(err, hwio.ErrNoMatch):
			return nil, nil
		case err != nil && pid != os.Getpid():
			continue
		case err != nil:
			return nil, err
		}
		var out []capture.Meta
		for _, c := range s.Schema().Columns {
			c.Meta.Instance = ""
			if hwio.MatchAny(b.opt.Counters, &c.Meta) &&
				!slices.ContainsFunc(out, func(m capture.Meta) bool { return m.Name == c.Meta.Name }) {
				out = append(out, c.Meta)
			}
		}
		return out, s.Close()
	}
	return nil, nil
}

func (b *overSources) Close() error           { return nil }
func (b *overSources) Counters() []Counter    { return b.counters }
func (b *overSources) Limits() Limits         { return Limits{Max: b.opt.MaxPerPass} }
func (b *overSources) Device() capture.Device { return b.device }

func (b *overSources) Describe(cfg *capture.Config, _ []uint32) {
	cfg.GPU = b.gpu
	cfg.Properties = append(cfg.Properties, b.props...)
}

// learn keeps the properties of a stream that none before it has.
func (b *overSources) learn(schema *capture.Schema) {
	for _, p := range schema.Config.Properties {
		if !slices.ContainsFunc(b.props, func(have capture.Property) bool { return have.Name == p.Name }) {
			b.props = append(b.props, p)
		}
	}
}

// Meta describes a counter as its source does.
func (b *overSources) Meta(h *Hardware) capture.Meta {
	m := b.of[h.Name].meta
	m.Name, m.Instance = h.Name, ""
	if m.Source == "" {
		m.Source = b.sources[b.of[h.Name].source].Name()
	}
	return m
}

// Evaluate gives the value as it was measured.
func (b *overSources) Evaluate(c *Counter, operands []capture.Value) (capture.Value, error) {
	v := operands[0]
	if c.Type == typeUint64 && !v.IsInt() && v.Float() >= 0 && v.Float() < 1<<63 {
		v = capture.IntValue(uint64(math.Round(v.Float())))
	}
	return v, nil
}

// request asks one source for its counters of a pass; nil where it has none.
func (b *overSources) request(source int, hardware []Hardware) *hwio.Request {
	r := &hwio.Request{PID: b.opt.PID, Options: b.opt.Options, Period: hwio.DefaultPeriod}
	for _, h := range hardware {
		if o := b.of[h.Name]; o.source == source {
			r.Counters = append(r.Counters, o.meta.Name)
		}
	}
	if len(r.Counters) == 0 {
		return nil
	}
	return r
}

// sourcePass is a pass that reads streams at the begin and the end of samples.
type sourcePass struct {
	b       *overSources
	readers []*reader
	count   int
	began   time.Time
}

// reader is one stream with the batch it fills.
type reader struct {
	name   string
	stream hwio.Stream
	batch  *capture.Batch
	gather *gatherer
}

func (b *overSources) StartPass(ctx context.Context, _ int, hardware []Hardware) (Pass, error) {
	p := &sourcePass{b: b, count: len(hardware)}
	for k, src := range b.sources {
		req := b.request(k, hardware)
		if req == nil {
			continue
		}
		s, err := src.Open(ctx, *req)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open source %s: %w", src.Name(), err), p.Close())
		}
		b.learn(s.Schema())
		names := make([]string, len(hardware))
		for i, h := range hardware {
			if o := b.of[h.Name]; o.source == k {
				names[i] = o.meta.Name
			}
		}
		p.readers = append(p.readers, &reader{src.Name(), s, capture.NewBatch(s.Schema(), 16),
			newGatherer(s.Schema(), names)})
		if err := p.readers[len(p.readers)-1].read(ctx); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// read fills the batch anew.
func (r *reader) read(ctx context.Context) error {
	r.batch.Reset()
	if err := r.stream.Read(ctx, r.batch); err != nil {
		return fmt.Errorf("read source %s: %w", r.name, err)
	}
	return nil
}

func (p *sourcePass) Begin(ctx context.Context, _ uint32) error {
	for _, r := range p.readers {
		if err := r.read(ctx); err != nil {
			return err
		}
	}
	p.began = time.Now()
	return nil
}

func (p *sourcePass) End(ctx context.Context) (Result, error) {
	ended := time.Now()
	m := newMeasurement(p.count)
	m.Start, m.End = int64(p.began.Sub(p.b.epoch)), int64(ended.Sub(p.b.epoch))
	for _, r := range p.readers {
		if err := r.read(ctx); err != nil {
			return nil, err
		}
		r.gather.add(r.batch)
		r.gather.into(m)
	}
	return resultOf(m), nil
}

func (p *sourcePass) Close() error {
	var all []error
	for _, r := range p.readers {
		all = append(all, r.stream.Close())
	}
	p.readers = nil
	return errors.Join(all...)
}

// withOptions is a source whose own options are set, for a recording, which has none.
type withOptions struct {
	hwio.Source
	options map[string]string
}

func (s withOptions) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	if len(s.options) > 0 {
		merged := maps.Clone(s.options)
		maps.Copy(merged, r.Options)
		r.Options = merged
	}
	return s.Source.Open(ctx, r)
}

// RunPass records the command.
func (b *overSources) RunPass(ctx context.Context, _ int, hardware []Hardware, r *Run) ([]*Measurement, error) {
	if len(r.Args) == 0 {
		return nil, errors.New("give a command to measure")
	}
	sink := &passSink{whole: r.Period == 0, start: time.Since(b.epoch)}
	for i := range hardware {
		sink.names = append(sink.names, hardware[i].Name)
	}
	o := hwio.Options{Period: r.Period, Command: &hwio.Command{Args: r.Args, Stdout: r.Output, Stderr: r.Output}}
	// One sample is asked for, but a recording has a longest period: the samples of a long run are put together.
	if sink.whole {
		o.Period = hwio.MaxPeriod
	}
	for k, src := range b.sources {
		if req := b.request(k, hardware); req != nil {
			o.Sources = append(o.Sources, withOptions{src, b.opt.Options})
			for _, name := range req.Counters {
				if !slices.Contains(o.Counters, name) {
					o.Counters = append(o.Counters, name)
				}
			}
		}
	}
	o.Create = func(schema *capture.Schema) (hwio.Sink, error) {
		b.learn(schema)
		sink.gather = newGatherer(schema, sink.names)
		sink.warnings = schema.Config.Warnings
		return sink, nil
	}
	res, err := hwio.Record(ctx, o)
	if err != nil {
		return nil, err
	}
	if res.Interrupted {
		return nil, context.Cause(ctx)
	}
	if e := res.Exit; e != nil && (e.Code != 0 || e.Signal != "") && r.Warn != nil {
		r.Warn(fmt.Sprintf("the command %s ended with %s", strings.Join(r.Args, " "), e))
	}
	return sink.measurements(), nil
}

// passSink takes the samples of a recorded pass.
type passSink struct {
	names    []string
	whole    bool // all samples make one
	start    time.Duration
	gather   *gatherer
	warnings []string
	out      []*Measurement
	from, to int64
	any      bool
}

func (s *passSink) Write(b *capture.Batch) error {
	for i := range b.Len() {
		s.gather.addRow(b, i)
		if !s.any {
			s.from, s.any = b.Start[i], true
		}
		s.to = b.End[i]
		if !s.whole {
			s.flush()
		}
	}
	for _, w := range b.Warnings {
		if !slices.Contains(s.warnings, w) {
			s.warnings = append(s.warnings, w)
		}
	}
	return nil
}

func (s *passSink) flush() {
	m := newMeasurement(len(s.names))
	m.Start, m.End = int64(s.start)+s.from, int64(s.start)+s.to
	s.gather.into(m)
	s.out = append(s.out, m)
	s.any = false
}

func (s *passSink) Close() error {
	if s.any {
		s.flush()
	}
	return nil
}

func (s *passSink) measurements() []*Measurement {
	if len(s.out) > 0 {
		s.out[0].Warnings = s.warnings
	}
	return s.out
}
