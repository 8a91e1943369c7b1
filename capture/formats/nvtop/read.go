package nvtop

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
	"time"

	"astrolabe/capture"
	"astrolabe/capture/progress"
)

// device is a GPU in a snapshot, as far as it is read.
type device struct {
	Name        string  `json:"device_name"`
	Clock       *string `json:"gpu_clock"`
	MemoryClock *string `json:"mem_clock"`
	Temperature *string `json:"temp"`
	Power       *string `json:"power_draw"`
	Load        *string `json:"gpu_util"`
	InUse       *string `json:"mem_util"`
	MemoryUsed  *string `json:"mem_used"`
	MemoryAll   *string `json:"mem_total"`
}

// log is a whole file.
type log struct {
	name  string
	shots [][]device
	warn  []string
}

// read decodes every snapshot of the text. One that breaks off at the end is left out.
func (l *log) read(ctx context.Context, text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	line := func(at int64) int { // in which what follows begins
		rest := text[min(at, int64(len(text))):]
		return 1 + bytes.Count(text[:len(text)-len(bytes.TrimLeft(rest, " \t\r\n"))], []byte{'\n'})
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var shot []device
		err := d.Decode(&shot)
		switch {
		case errors.Is(err, io.EOF) && len(l.shots) > 0:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && len(l.shots) > 0:
			l.warn = append(l.warn, fmt.Sprintf("truncated: the snapshot behind line %d breaks off and is left out", line(d.InputOffset())))
			return nil
		case err != nil:
			return fmt.Errorf("%s:%d: snapshot %d: %w", l.name, line(d.InputOffset()), len(l.shots)+1, err)
		case len(shot) == 0: // the line is that of its end
			return fmt.Errorf("%s:%d: snapshot %d has no GPU", l.name, line(d.InputOffset()), len(l.shots)+1)
		}
		l.shots = append(l.shots, shot)
		progress.From(ctx).Set(d.InputOffset())
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// series is what one counter is read from.
type series struct {
	name, unit string
	of         func(d *device) *string
	units      map[string]func(x float64) float64 // by what stands behind the number
}

func times(scale float64) func(float64) float64 { return func(x float64) float64 { return x * scale } }

var known = []series{
	{"gpu_busy_percent", "percent", func(d *device) *string { return d.Load }, map[string]func(float64) float64{"%": times(1)}},
	{"sensor_sclk", "Hz", func(d *device) *string { return d.Clock }, map[string]func(float64) float64{"MHz": times(1e6)}},
	{"sensor_mclk", "Hz", func(d *device) *string { return d.MemoryClock }, map[string]func(float64) float64{"MHz": times(1e6)}},
	{"temperature", "celsius", func(d *device) *string { return d.Temperature }, map[string]func(float64) float64{"C": times(1), "F": func(x float64) float64 { return (x - 32) / 1.8 }}},
	{"power", "watts", func(d *device) *string { return d.Power }, map[string]func(float64) float64{"W": times(1)}},
	{"vram_used", "bytes", func(d *device) *string { return d.MemoryUsed }, map[string]func(float64) float64{"": times(1)}},
	{"mem_util", "percent", func(d *device) *string { return d.InUse }, map[string]func(float64) float64{"%": times(1)}},
}

// all is a property of the GPU.
var all = series{"vram_bytes", "bytes", func(d *device) *string { return d.MemoryAll }, map[string]func(float64) float64{"": times(1)}}

// number is the value of a series, NaN where it is null.
func (s *series) number(d *device) (float64, error) {
	text := s.of(d)
	if text == nil {
		return math.NaN(), nil
	}
	digits := strings.TrimRight(*text, "%CFHMWhz")
	x, err := strconv.ParseFloat(digits, 64)
	scale := s.units[strings.TrimPrefix(*text, digits)]
	if err != nil || scale == nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is no number in the unit of %s", *text, s.name)
	}
	return scale(x), nil
}

// build makes the counters of a GPU, or of the one that works the most where device is -1.
func (l *log) build(period time.Duration, device int, cfg *capture.Config) error {
	if device < 0 {
		device = l.busiest()
		if n := len(l.shots[0]); n > 1 {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%d GPUs are in each snapshot, of which number %d, %s, works the most: the others are left out (option device= names another)", n, device, l.shots[0][device].Name))
		}
	}
	axis := capture.NewUniformAxis(len(l.shots), int64(period))
	cfg.Axis = axis
	for i, shot := range l.shots {
		if device >= len(shot) {
			return fmt.Errorf("%s: snapshot %d has %d GPUs, of which none has the number %d", l.name, i+1, len(shot), device)
		}
	}
	first := &l.shots[0][device]
	cfg.Device.Name = first.Name
	for _, word := range []string{"AMD", "Radeon"} {
		if strings.Contains(first.Name, word) {
			cfg.GPU = "amd-live"
		}
	}
	for _, s := range known {
		column, some := make([]float64, len(l.shots)), false
		for i, shot := range l.shots {
			x, err := s.number(&shot[device])
			if err != nil {
				return fmt.Errorf("%s: snapshot %d: %w", l.name, i+1, err)
			}
			column[i], some = x, some || x == x
		}
		if some {
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: s.name, Unit: s.unit, Kind: capture.Gauge}, Axis: axis, Col: capture.NewColumn(capture.Data{F: column})})
		}
	}
	if len(cfg.Counters) == 0 {
		return fmt.Errorf("%s: GPU %d has null for all that is read: its driver tells nothing", l.name, device)
	}
	if x, err := all.number(first); err == nil && x > 0 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: all.name, Number: x})
	}
	return nil
}

// busiest is the number of the GPU of the first snapshot that works the most over all of them.
func (l *log) busiest() int {
	best, most := 0, -1.0
	for k := range l.shots[0] {
		sum := 0.0
		for _, shot := range l.shots {
			if k < len(shot) {
				if x, err := known[0].number(&shot[k]); err == nil && x == x {
					sum += x
				}
			}
		}
		if sum > most {
			best, most = k, sum
		}
	}
	return best
}
