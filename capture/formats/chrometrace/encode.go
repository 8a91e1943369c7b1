package chrometrace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/lanes"
	"astrolabe/capture/progress"
)

// Encode writes c as a Chrome trace.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	e := &encoder{w: w}
	e.write(`{"displayTimeUnit":"ns","otherData":`)
	e.json(about(c))
	e.write(`,"counters":`)
	e.json(describe(c))
	e.write(`,"traceEvents":[`)
	series, err := e.processes(c)
	if err != nil {
		return err
	}
	e.slices(c)
	meter := progress.From(ctx)
	meter.Begin(int64(c.Len()), progress.Samples)
	for i := range c.Len() {
		if i%1024 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			meter.Set(int64(i))
		}
		at := c.Axis.Start[i]
		for k := range series {
			e.counter(&series[k], i, at)
		}
	}
	e.write("\n]}\n")
	return e.err
}

// encoder writes events, and keeps the first error.
type encoder struct {
	w     io.Writer
	err   error
	begun bool
	line  []byte
}

func (e *encoder) write(s string) {
	if e.err == nil {
		_, e.err = io.WriteString(e.w, s)
	}
}

func (e *encoder) json(v any) {
	text, err := toJSON(v)
	if e.err == nil {
		e.err = err
	}
	e.write(string(text))
}

// toJSON leaves < and & as they are.
func toJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}

func quote(s string) string {
	text, err := toJSON(s)
	if err != nil {
		return `""` // a string always has a JSON form
	}
	return string(text)
}

func (e *encoder) event(b []byte) {
	if e.begun {
		e.write(",\n")
	} else {
		e.write("\n")
	}
	e.begun = true
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

// micros writes ns as microseconds, exactly.
func micros(b []byte, ns int64) []byte {
	whole, rest := ns/1000, ns%1000
	if ns < 0 && whole == 0 {
		b = append(b, '-')
	}
	b = strconv.AppendInt(b, whole, 10)
	if rest == 0 {
		return b
	}
	if rest < 0 {
		rest = -rest
	}
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

// series is one counter event per sample: a counter with its instances, if any.
type series struct {
	head []byte // up to the time
	args []argument
}

type argument struct {
	key  string // with its colon
	data capture.Data
}

// Numbers of processes and threads in the trace.
const (
	mainProcess = 1
	gapThread   = 1
	firstRegion = 2
)

// processes names the processes, one for each hardware block of each device, and lays out their counters.
func (e *encoder) processes(c *capture.Capture) ([]series, error) {
	pids := map[[2]string]int{}
	pid := func(device, block string) int {
		if device == "" {
			device = c.Device.Name
		}
		id, ok := pids[[2]string{device, block}]
		if !ok {
			id = mainProcess + len(pids)
			pids[[2]string{device, block}] = id
			name := c.Name
			for _, part := range []string{device, block} {
				if part != "" {
					name += " " + part
				}
			}
			e.event(fmt.Appendf(nil, `{"ph":"M","pid":%d,"name":"process_name","args":{"name":%s}}`, id, quote(name)))
		}
		return id
	}
	pid("", "")
	var out []series
	for _, ctr := range c.Counters {
		if len(ctr.Instances) == 0 || ctr.Col != nil {
			s, err := newSeries(pid(ctr.Device, ctr.Block), ctr.Name, ctr.Unit, []*capture.Counter{ctr})
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		byDevice := map[string][]*capture.Counter{}
		var devices []string
		for _, in := range ctr.Instances {
			if byDevice[in.Device] == nil {
				devices = append(devices, in.Device)
			}
			byDevice[in.Device] = append(byDevice[in.Device], in)
		}
		for _, dev := range devices {
			name := ctr.Name
			if ctr.Col != nil {
				name += " by instance"
			}
			s, err := newSeries(pid(dev, ctr.Block), name, ctr.Unit, byDevice[dev])
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func newSeries(pid int, name, unit string, counters []*capture.Counter) (series, error) {
	if unit != "" {
		name += " (" + unit + ")"
	}
	s := series{head: fmt.Appendf(nil, `{"ph":"C","pid":%d,"name":%s,"ts":`, pid, quote(name))}
	for _, c := range counters {
		key := c.Meta.Instance
		if key == "" {
			key = "value"
		}
		a := argument{key: quote(key) + ":"}
		switch {
		case c.Col != nil:
			if err := c.Col.Err(); err != nil {
				return s, fmt.Errorf("counter %s: %w", c.Name, err)
			}
			a.data = c.Col.Data()
		default:
			a.data = capture.Data{F: c.Floats()}
		}
		s.args = append(s.args, a)
	}
	return s, nil
}

// counter writes the values of a sample, nothing where none is there.
func (e *encoder) counter(s *series, i int, at int64) {
	b := append(e.line[:0], s.head...)
	b = append(micros(b, at), `,"args":{`...)
	some := false
	for _, a := range s.args {
		if a.data.Missing(i) || a.data.U == nil && math.IsInf(a.data.F[i], 0) {
			continue
		}
		if some {
			b = append(b, ',')
		}
		some = true
		b = append(b, a.key...)
		if a.data.U != nil {
			b = strconv.AppendUint(b, a.data.U[i], 10)
		} else {
			b = strconv.AppendFloat(b, a.data.F[i], 'g', -1, 64)
		}
	}
	e.line = append(b, '}', '}')
	if some {
		e.event(e.line)
	}
}

// slices writes labels, regions, gaps and late spans as complete events.
func (e *encoder) slices(c *capture.Capture) {
	thread := func(id int, name string) {
		e.event(fmt.Appendf(nil, `{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%s}}`, mainProcess,
			id, quote(name)))
	}
	slice := func(id int, name, category string, start, end int64, args any) {
		text, err := toJSON(args)
		if err != nil && e.err == nil {
			e.err = err
		}
		b := fmt.Appendf(nil, `{"ph":"X","pid":%d,"tid":%d,"name":%s,"cat":%s,"ts":`, mainProcess, id, quote(name),
			quote(category))
		b = append(micros(b, start), `,"dur":`...)
		b = append(micros(b, max(0, end-start)), `,"args":`...)
		e.event(append(append(b, text...), '}'))
	}
	all := lanes.Tracks(len(c.Regions), "regions", func(i int) string { return c.Regions[i].Track },
		func(i int) (start, end int64) { return c.Regions[i].Start, c.Regions[i].End })
	for k, lane := range all {
		thread(firstRegion+k, lane.Name)
		for _, i := range lane.Items {
			r := &c.Regions[i]
			args := map[string]any{"depth": r.Depth}
			if r.Track != "" {
				args["track"] = r.Track
			}
			slice(firstRegion+k, r.Name, categoryRegion, r.Start, r.End, args)
		}
	}
	next := firstRegion + len(all)
	missed := func(gaps []capture.Gap, name, category string, first int) {
		for k, lane := range lanes.Spread(len(gaps), func(i int) (start, end int64) {
			return gaps[i].Start, gaps[i].End
		}) {
			id := first
			if k > 0 || first == 0 {
				id = next
				next++
			}
			thread(id, name)
			for _, i := range lane {
				g := &gaps[i]
				slice(id, g.Reason.String(), category, g.Start, g.End,
					map[string]any{"lost": g.Lost, "code": g.Reason.Code.String()})
			}
		}
	}
	missed(c.Gaps, "gaps", categoryGap, gapThread)
	missed(c.Late, "late", categoryLate, 0)
	for _, l := range c.Labels {
		runs := labelRuns(c.Axis, l)
		for k, lane := range lanes.Spread(len(runs), func(i int) (start, end int64) { return runs[i].start, runs[i].end }) {
			thread(next, lanes.Name(l.Name, k))
			for _, i := range lane {
				slice(next, runs[i].value, categoryLabel, runs[i].start, runs[i].end,
					map[string]any{"label": l.Name, "unique": l.Unique})
			}
			next++
		}
	}
}

// about says what was measured.
func about(c *capture.Capture) map[string]any {
	out := map[string]any{"name": c.Name, "clock": c.Axis.Clock}
	for k, v := range map[string]string{"gpu": c.GPU, "device": c.Device.Name, "driver": c.Device.Driver,
		"vendor": c.Device.Vendor, "device_id": c.Device.ID} {
		if v != "" {
			out[k] = v
		}
	}
	properties := map[string]any{}
	for _, p := range c.Properties {
		if properties[p.Name] = p.Text; !p.IsText && !math.IsNaN(p.Number) && !math.IsInf(p.Number, 0) {
			properties[p.Name] = p.Number
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(c.Warnings) > 0 {
		out["warnings"] = c.Warnings
	}
	if !c.StartTime.IsZero() {
		out["start"] = c.StartTime.Format(time.RFC3339Nano)
	}
	return out
}

type counterDoc struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Unit  string `json:"unit,omitempty"`
	Block string `json:"block,omitempty"`
	Doc   string `json:"doc,omitempty"`
	// Combine says what the instances make together, where there are some.
	Combine string `json:"combine,omitempty"`
	Expr    string `json:"expr,omitempty"` // of a metric
	Pass    string `json:"pass,omitempty"` // that it was measured in

	Missing  []missingDoc `json:"missing,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
}

// missingDoc says why values are missing in samples from one number up to another.
type missingDoc struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Code string `json:"code"`
	Why  string `json:"why"`
}

func describe(c *capture.Capture) []counterDoc {
	out := []counterDoc{}
	for _, ctr := range c.Counters {
		d := counterDoc{Name: ctr.Name, Kind: ctr.Kind.String(), Unit: ctr.Unit, Block: ctr.Block, Doc: ctr.Doc,
			Expr: ctr.Expr, Warnings: ctr.Warnings}
		if len(ctr.Instances) > 0 {
			d.Combine = ctr.Combine.String()
		}
		if ctr.Pass != nil {
			d.Pass = ctr.Pass.ID
		}
		for _, r := range ctr.Reasons {
			d.Missing = append(d.Missing, missingDoc{r.From, r.To, r.Reason.Code.String(), r.Reason.String()})
		}
		out = append(out, d)
	}
	return out
}
