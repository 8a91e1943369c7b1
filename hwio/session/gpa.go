package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// GPA is the id of the catalogue of GPA's counters.
const GPA = "amd-gpa"

// apis are the graphics and compute APIs that GPA's counters exist for.
var apis = []string{"gl", "dx11", "dx12", "vk", "cl", "hsa"}

// ResultOptions say what stored hardware results were measured on.
type ResultOptions struct {
	Generation string // "gfx6" to "gfx9"; "" takes it from the results' property generation, or from the ASIC
	API        string // one of apis; "" takes it from the results' property api
	ASIC       string // such as "TONGA", for the constants of the device; "" if the properties state them
	// Properties are constants of the device by the names that captures use (num_simds, ts_freq, ...). They go before
	// those of the results and of the ASIC.
	Properties []capture.Property
	MaxPerPass int // limits the hardware counters of a pass; 0 leaves it to GPA's limits
}

// OverResults is a backend of GPA's counters of AMD hardware over results that were measured before: a capture whose
// columns are hardware counters by GPA's names, with one row for each sample. A label "sample" gives the rows the
// numbers of the samples, else they count from 0 in every pass; a label "pass" tells, from 1, which pass a row belongs
// to, else the rows hold all passes. Samples that the results do not have fail to begin. Counters are computed by
// generation and API with GPA's rule that a division by 0 gives 0.
func OverResults(results *capture.Capture, o ResultOptions) Backend {
	return &overResults{results: results, opt: o}
}

type overResults struct {
	results  *capture.Capture
	opt      ResultOptions
	counters []Counter
	limits   Limits
	props    []capture.Property
	device   capture.Device
	columns  map[string]*capture.Counter // by lower-case name
}

var (
	_ Backend       = (*overResults)(nil)
	_ commandRunner = (*overResults)(nil)
	_ describer     = (*overResults)(nil)
	_ metaOf        = (*overResults)(nil)
)

func (b *overResults) Open(context.Context) error {
	if b.results == nil {
		return errors.New("no hardware results are given")
	}
	generation, api := strings.ToLower(b.opt.Generation), strings.ToLower(b.opt.API)
	var device asicConstants
	if b.opt.ASIC != "" {
		var err error
		if device, err = findASIC(b.opt.ASIC); err != nil {
			return fail(HardwareNotSupported, "%v", err)
		}
	}
	stated := func(name string) string {
		p, _ := b.results.Property(name)
		return strings.ToLower(p.Text)
	}
	if generation == "" {
		generation = stated("generation")
	}
	if generation == "" {
		generation = device.Generation
	}
	if api == "" {
		api = stated("api")
	}
	// In the order in which a user has to say more: without the generation no API can be judged.
	switch {
	case generation == "":
		return fail(HardwareNotSupported, "the generation of the GPU is not known: give generation, such as gfx8, or the ASIC")
	case api == "":
		return fail(APINotSupported, "the API is not known: give api, one of %s", strings.Join(apis, ", "))
	case !slices.Contains(apis, api):
		return fail(APINotSupported, "no API is called %q; there are %s", api, strings.Join(apis, ", "))
	case device.Generation != "" && device.Generation != generation:
		return fail(HardwareNotSupported, "%s is of generation %s, not %s", device.ASIC, device.Generation, generation)
	}
	limits, err := gpaLimits(generation, device.MaxSQ)
	if err != nil {
		return fail(HardwareNotSupported, "%v", err)
	}
	limits.Max = b.opt.MaxPerPass
	b.limits = limits
	b.describe(generation, api, device)
	b.columns = map[string]*capture.Counter{}
	for _, c := range b.results.Counters {
		b.columns[strings.ToLower(c.Name)] = c
		for _, in := range c.Instances {
			b.columns[strings.ToLower(in.Name)] = in
		}
	}
	if b.counters, err = gpaCounters(generation, api, limits.Slots); err != nil {
		return err
	}
	if len(b.counters) == 0 {
		return fail(APINotSupported, "GPA has no counters of %s for the API %s", generation, api)
	}
	return nil
}

// describe collects the properties, the caller's first.
func (b *overResults) describe(generation, api string, d asicConstants) {
	b.device = capture.Device{Name: d.ASIC, Vendor: "AMD"}
	if d.ASIC == "" {
		b.device = b.results.Device
	}
	b.props = nil
	add := func(p capture.Property) {
		if !slices.ContainsFunc(b.props, func(q capture.Property) bool { return q.Name == p.Name }) {
			b.props = append(b.props, p)
		}
	}
	add(capture.Property{Name: "generation", Text: generation, IsText: true})
	add(capture.Property{Name: "api", Text: api, IsText: true})
	for _, list := range [][]capture.Property{b.opt.Properties, b.results.Properties} {
		for _, p := range list {
			add(p)
		}
	}
	if d.ASIC != "" {
		for name, n := range map[string]int{"num_shader_engines": d.ShaderEngines, "num_simds": d.SIMDs,
			"su_clocks_prim": d.SUClocksPrim, "num_prim_pipes": d.PrimPipes} {
			add(capture.Property{Name: name, Number: float64(n)})
		}
	}
	slices.SortStableFunc(b.props, func(p, q capture.Property) int { return strings.Compare(p.Name, q.Name) })
}

// gpaCounters lists the counters of a generation and API: the public ones, those of the API itself, and the hardware
// counters that the public ones read.
func gpaCounters(generation, api string, slots map[string]int) ([]Counter, error) {
	cat, err := metrics.Get(GPA)
	if err != nil {
		return nil, err
	}
	var out, queries, raw []Counter
	seen := map[string]bool{}
	for _, e := range cat.Entries() {
		at := slices.IndexFunc(e.Variants, func(v *metrics.Variant) bool {
			return slices.Contains(v.Generations, generation) && slices.Contains(v.APIs, api)
		})
		if at < 0 {
			continue
		}
		c := Counter{Name: e.Title, Group: e.Group, Doc: e.Doc, Unit: e.Unit, Usage: e.Usage, Type: typeFloat64,
			Kind:    kindPublic,
			Combine: e.Kind}
		if t := ParseType(e.DataType); t != "" {
			c.Type = t
		}
		if !e.IsMetric() {
			// Entries without a formula are counted by the API itself; they take no place on the hardware.
			c.Kind = kindSoftware
			c.Hardware = []Hardware{{Name: c.Name, Software: true}}
			queries = append(queries, c)
			continue
		}
		// Samples add up, but for what is a share: that of two samples is not the sum of theirs.
		if c.Combine = capture.Delta; c.Usage == usagePercentage || c.Usage == usageRatio {
			c.Combine = capture.Gauge
		}
		// A program is written as its steps "of" its operands, which are the hardware counters in their order.
		_, list, _ := strings.Cut(e.Variants[at].Expr, " of ")
		for _, word := range strings.Fields(list) {
			for _, name := range expand(word) {
				h, err := parseHardware(name, slots)
				if err != nil {
					return nil, fmt.Errorf("catalogue %s, %s: %w", GPA, e.Title, err)
				}
				c.Hardware = append(c.Hardware, h)
				// Many counters read the same hardware counter, which can be enabled once by itself.
				if !seen[name] {
					seen[name] = true
					raw = append(raw, Counter{Name: name, Group: h.Block, Doc: "Hardware counter of block " +
						h.Block + ".", Usage: usageItems, Type: typeUint64,
						Kind: KindHardware, Combine: capture.Delta, Hardware: []Hardware{h}})
				}
			}
		}
		out = append(out, c)
	}
	return append(append(out, queries...), raw...), nil
}

// expand lists the names that an operand such as "TCC*_X[0..3]" or "SPI*_Y[0,1]" stands for.
func expand(word string) []string {
	name, numbers, ok := strings.Cut(strings.TrimSuffix(word, "]"), "[")
	if !ok {
		return []string{word}
	}
	var out []string
	for part := range strings.SplitSeq(numbers, ",") {
		lo, hi, isRange := strings.Cut(part, "..")
		if !isRange {
			hi = lo
		}
		a, errA := strconv.Atoi(lo)
		b, errB := strconv.Atoi(hi)
		if errA != nil || errB != nil || b-a > 1<<10 {
			return []string{word}
		}
		for ; a <= b; a++ {
			out = append(out, strings.Replace(name, "*", strconv.Itoa(a), 1))
		}
	}
	return out
}

func (b *overResults) Close() error           { return nil }
func (b *overResults) Counters() []Counter    { return b.counters }
func (b *overResults) Limits() Limits         { return b.limits }
func (b *overResults) Device() capture.Device { return b.device }

// Describe makes a capture one of the catalogue, with what its formulas need.
func (b *overResults) Describe(cfg *capture.Config, _ []uint32) {
	cfg.GPU, cfg.Properties = GPA, slices.Clone(b.props)
}

// Meta describes a hardware counter.
func (b *overResults) Meta(h *Hardware) capture.Meta {
	return capture.Meta{Name: h.Name, Title: h.Name, Block: h.Block, Source: b.results.Format, GPU: GPA}
}

// resultsPass finds the rows of a pass.
type resultsPass struct {
	b        *overResults
	pass     int
	hardware []Hardware
	rows     []int // of the pass
	next     int
	row      int
}

func (b *overResults) StartPass(_ context.Context, pass int, hardware []Hardware) (Pass, error) {
	return &resultsPass{b: b, pass: pass, hardware: hardware, rows: b.rows(pass)}, nil
}

// rows lists the rows of the results that belong to a pass.
func (b *overResults) rows(pass int) []int {
	var out []int
	label := b.results.Label("pass")
	for i := range b.results.Len() {
		if label != nil {
			if v, ok := label.Value(i); ok && v != strconv.Itoa(pass+1) {
				continue
			}
		}
		out = append(out, i)
	}
	return out
}

func (p *resultsPass) Begin(_ context.Context, sample uint32) error {
	if label := p.b.results.Label("sample"); label != nil {
		for _, row := range p.rows {
			if v, ok := label.Value(row); ok && v == strconv.FormatUint(uint64(sample), 10) {
				p.row = row
				return nil
			}
		}
		return fmt.Errorf("the stored results have no sample %d in pass %d", sample, p.pass+1)
	}
	if p.next >= len(p.rows) {
		return fmt.Errorf("the stored results have %d samples in pass %d", len(p.rows), p.pass+1)
	}
	p.row = p.rows[p.next]
	p.next++
	return nil
}

func (p *resultsPass) End(context.Context) (Result, error) {
	return resultOf(p.b.measured(p.row, p.hardware)), nil
}

func (p *resultsPass) Close() error { return nil }

// measured reads one row of the results.
func (b *overResults) measured(row int, hardware []Hardware) *Measurement {
	m := newMeasurement(len(hardware))
	m.Start, m.End = b.results.Axis.Start[row], b.results.Axis.End[row]
	for i, h := range hardware {
		c := b.columns[strings.ToLower(h.Name)]
		if c == nil {
			m.Why[i] = capture.Reason{Code: capture.NotCollected, Text: "the stored results have no " + h.Name}
			continue
		}
		m.Values[i] = c.Value(row)
		if m.Values[i].Missing() {
			m.Why[i], _ = c.Why(row)
		}
	}
	return m
}

// RunPass replays every sample of a pass: stored results need no command.
func (b *overResults) RunPass(ctx context.Context, pass int, hardware []Hardware, r *Run) ([]*Measurement, error) {
	if len(r.Args) > 0 {
		return nil, errors.New("stored results are replayed as they are: give no command")
	}
	var out []*Measurement
	for _, row := range b.rows(pass) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out = append(out, b.measured(row, hardware))
	}
	return out, nil
}

// Evaluate computes a public counter by the catalogue's formula for the generation and API.
func (b *overResults) Evaluate(c *Counter, operands []capture.Value) (capture.Value, error) {
	if c.Kind != kindPublic {
		return operands[0], nil
	}
	axis := capture.NewUniformAxis(1, 1)
	cfg := capture.Config{Axis: axis, GPU: GPA, Properties: b.props}
	seen := map[string]bool{}
	for i, h := range c.Hardware {
		if seen[h.Name] {
			continue
		}
		seen[h.Name] = true
		col := capture.Data{F: []float64{operands[i].Float()}}
		if u, ok := operands[i].Uint64(); ok {
			col = capture.Data{U: []uint64{u}}
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: h.Name, GPU: GPA}, Axis: axis,
			Col: capture.NewColumn(col)})
	}
	one, err := capture.New(cfg)
	if err != nil {
		return capture.Value{}, err
	}
	ctr, err := metrics.Resolve(one, c.Name)
	if err != nil {
		return capture.Value{}, err
	}
	v := ctr.Value(0)
	if v.Missing() {
		why, _ := ctr.Why(0)
		return v, errors.New(why.String())
	}
	return v, nil
}
