package intelgputop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// row is one period: how long it was in ns, and what was counted in it, by the catalogue's names.
type row struct {
	length float64
	values map[string]float64
}

// log is what a file holds.
type log struct {
	name   string
	period float64 // ns, of a table; 0 where nobody said
	rows   []row
	warn   []string
}

// engines are the catalogue's counters of a kind of engine, by what intel_gpu_top calls it in JSON and in tables.
var engines = map[string]string{
	"Render/3D": "engine_render", "Blitter": "engine_copy", "Video": "engine_video", "VideoEnhance": "engine_enhance", "Compute": "engine_compute",
	"RCS": "engine_render", "BCS": "engine_copy", "VCS": "engine_video", "VECS": "engine_enhance", "CCS": "engine_compute",
}

// engineOf is the counter of an engine by its name, with or without its number: "Render/3D/0", "VCS/1", "RCS".
func engineOf(name string) (counter string, ok bool) {
	if i := strings.LastIndexByte(name, '/'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i]
	}
	counter, ok = engines[name]
	return counter, ok
}

// busy notes that an engine worked for a share of the period, in percent.
func (r *row) busy(name string, percent float64) {
	if counter, ok := engineOf(name); ok && percent >= 0 {
		for _, one := range []string{counter, "engine_busiest"} {
			r.values[one] = max(r.values[one], percent/100*r.length)
		}
	}
}

// level notes the mean of the period.
func (r *row) level(counter string, v float64) { r.values[counter] = v }

// amount notes what was counted in the period, by its rate in a second.
func (r *row) amount(counter string, perSecond float64) {
	r.values[counter] = perSecond * r.length / 1e9
}

// object is what is read of an object; engines and power have a text beside their numbers.
type object struct {
	Period struct {
		Duration float64
		Unit     string
	}
	Frequency  map[string]any
	Interrupts map[string]any
	RC6        map[string]any `json:"rc6"`
	Power      map[string]any
	Memory     map[string]any `json:"imc-bandwidth"`
	Engines    map[string]map[string]any
}

var periodUnits = map[string]float64{"ms": 1e6, "": 1e6, "s": 1e9, "us": 1e3, "ns": 1}

// objects reads JSON: an array, or objects one after the other.
func (l *log) objects(ctx context.Context, raw []byte) error {
	at := 0
	for ctx.Err() == nil {
		rest := bytes.TrimLeft(raw[at:], "[], \t\r\n\ufeff")
		at = len(raw) - len(rest)
		if len(rest) == 0 {
			return nil
		}
		line := 1 + bytes.Count(raw[:at], []byte("\n"))
		var o object
		d := json.NewDecoder(bytes.NewReader(rest))
		err := d.Decode(&o)
		if errors.Is(err, io.ErrUnexpectedEOF) && len(l.rows) > 0 {
			l.warn = append(l.warn, fmt.Sprintf("truncated: the object in line %d breaks off and is left out", line))
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: no object of intel_gpu_top -J: %w", l.name, line, err)
		}
		at += int(d.InputOffset())
		scale, known := periodUnits[o.Period.Unit]
		length := o.Period.Duration * scale
		if !known || !(length > 0 && length < 1<<52) {
			return fmt.Errorf("%s:%d: a period of %g %s is none", l.name, line, o.Period.Duration, o.Period.Unit)
		}
		l.take(&o, length)
	}
	return ctx.Err()
}

// take makes a row of an object.
func (l *log) take(o *object, length float64) {
	r := row{length, map[string]float64{}}
	number := func(of map[string]any, key string, scale float64, note func(string, float64), counter string) {
		if v, ok := of[key].(float64); ok {
			note(counter, v*scale)
		}
	}
	number(o.Frequency, "requested", 1e6, r.level, "frequency_requested")
	number(o.Frequency, "actual", 1e6, r.level, "frequency")
	number(o.Interrupts, "count", 1, r.amount, "interrupts")
	number(o.RC6, "value", 1e7, r.amount, "rc6_time") // percent of a second, in ns
	number(o.Power, "GPU", 1, r.level, "power_gpu")
	number(o.Power, "Package", 1, r.level, "power_package")
	number(o.Memory, "reads", 1<<20, r.amount, "memory_read")
	number(o.Memory, "writes", 1<<20, r.amount, "memory_written")
	for name, e := range o.Engines {
		if v, ok := e["busy"].(float64); ok {
			r.busy(name, v)
		}
	}
	l.rows = append(l.rows, r)
}

// columns are what the columns of a table hold, but for those of engines.
var columns = map[string]func(r *row, v float64){
	"Freq MHz req": func(r *row, v float64) { r.level("frequency_requested", v*1e6) },
	"Freq MHz act": func(r *row, v float64) { r.level("frequency", v*1e6) },
	"IRQ /s":       func(r *row, v float64) { r.amount("interrupts", v) },
	"RC6 %":        func(r *row, v float64) { r.amount("rc6_time", v*1e7) },
	"Power W gpu":  func(r *row, v float64) { r.level("power_gpu", v) },
	"Power W pkg":  func(r *row, v float64) { r.level("power_package", v) },
	"IMC MiB/s rd": func(r *row, v float64) { r.amount("memory_read", v*(1<<20)) },
	"IMC MiB/s wr": func(r *row, v float64) { r.amount("memory_written", v*(1<<20)) },
}

// table reads the table of -c.
func (l *log) table(ctx context.Context, text string) error {
	lines := strings.Split(text, "\n")
	names := cells(lines[0])
	if l.period == 0 {
		l.period = 1e9
		l.warn = append(l.warn, "the table does not say how long its periods are: each is taken for a second, as by intel_gpu_top itself (option period= says otherwise)")
	}
	for n, line := range lines[1:] {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fields := cells(line)
		if strings.TrimSpace(line) == "" || fields[0] == names[0] { // the header of another run
			continue
		}
		if len(fields) != len(names) {
			if n+2 == len(lines) && len(l.rows) > 0 {
				l.warn = append(l.warn, fmt.Sprintf("truncated: line %d breaks off and is left out", n+2))
				return nil
			}
			return fmt.Errorf("%s:%d: %d values below %d columns", l.name, n+2, len(fields), len(names))
		}
		r := row{l.period, map[string]float64{}}
		for i, field := range fields {
			note, engine := columns[names[i]], strings.TrimSuffix(names[i], " %")
			if _, ok := engineOf(engine); note == nil && (!ok || engine == names[i]) {
				continue
			}
			v, err := strconv.ParseFloat(field, 64)
			if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				return fmt.Errorf("%s:%d: column %q: %q is no number", l.name, n+2, names[i], field)
			}
			if note != nil {
				note(&r, v)
			} else {
				r.busy(engine, v)
			}
		}
		l.rows = append(l.rows, r)
	}
	return nil
}

// counters are the catalogue's, in its order, with their units.
var counters = []struct {
	name, unit string
	kind       capture.Kind
}{
	{"engine_busiest", "ns", capture.Delta}, {"engine_render", "ns", capture.Delta}, {"engine_compute", "ns", capture.Delta}, {"engine_copy", "ns", capture.Delta},
	{"engine_video", "ns", capture.Delta}, {"engine_enhance", "ns", capture.Delta}, {"rc6_time", "ns", capture.Delta}, {"frequency", "Hz", capture.Gauge},
	{"frequency_requested", "Hz", capture.Gauge}, {"power_gpu", "watts", capture.Gauge}, {"power_package", "watts", capture.Gauge},
	{"memory_read", "bytes", capture.Delta}, {"memory_written", "bytes", capture.Delta}, {"interrupts", "interrupts", capture.Delta},
}

// build makes the counters of the rows, which follow each other.
func (l *log) build(cfg *capture.Config) {
	cfg.Warnings, cfg.Device.Vendor = l.warn, "Intel"
	axis := &capture.Axis{Start: make([]int64, len(l.rows)), End: make([]int64, len(l.rows))}
	now := 0.0
	for i, r := range l.rows {
		axis.Start[i] = int64(now)
		now += r.length
		axis.End[i] = int64(now)
	}
	cfg.Axis = axis
	for _, c := range counters {
		column, some := make([]float64, len(l.rows)), false
		for i, r := range l.rows {
			v, ok := r.values[c.name]
			if column[i] = v; !ok {
				column[i] = math.NaN()
			}
			some = some || ok
		}
		if some {
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: c.name, Unit: c.unit, Kind: c.kind}, Axis: axis,
				Col: capture.NewColumn(capture.Data{F: column})})
		}
	}
}
