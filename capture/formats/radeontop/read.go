package radeontop

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture"
)

// rate is how often the register is read in a second unless the user says otherwise.
const rate = 120

// blocks are radeontop's names of the bits of GRBM_STATUS, which are the catalogue's, but for that of the whole pipe. Bits of other
// registers, and one that each generation has for something else (sh), are not read.
var blocks = []string{"gpu", "ee", "vgt", "ta", "sx", "spi", "sc", "pa", "db", "cb"}

func block(name string) string {
	if name == "gpu" {
		return "gfx"
	}
	return name
}

// interval divides a line into its time in ns of the Unix epoch and its values; ok is false where it is none.
func interval(line string) (at int64, values string, ok bool) {
	clock, values, ok := strings.Cut(line, ": bus ")
	seconds, micros, dot := strings.Cut(clock, ".")
	if !ok || !dot {
		return 0, "", false
	}
	s, err := strconv.ParseUint(seconds, 10, 32)
	us, err2 := strconv.ParseUint(micros, 10, 32)
	if err != nil || err2 != nil || us >= 1e6 {
		return 0, "", false
	}
	_, values, ok = strings.Cut(values, ", ")
	return int64(s)*1e9 + int64(us)*1e3, values, ok && strings.HasPrefix(values, "gpu ")
}

// row is what a line says: shares in percent, and amounts in mb or ghz, by name.
type row struct {
	end            int64
	shares, others map[string]float64
}

// parse reads the values of a line.
func parse(values string) (row, error) {
	r := row{shares: map[string]float64{}, others: map[string]float64{}}
	for one := range strings.SplitSeq(values, ", ") {
		words := strings.Fields(one)
		if len(words) < 2 || len(words) > 3 {
			return r, fmt.Errorf("%q is no name with a share", one)
		}
		share, err := number(words[1], "%")
		if err != nil {
			return r, err
		}
		r.shares[words[0]] = share
		if len(words) == 3 {
			unit := "mb"
			if strings.HasSuffix(words[2], "ghz") {
				unit = "ghz"
			}
			if r.others[words[0]], err = number(words[2], unit); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

func number(text, unit string) (float64, error) {
	digits, ok := strings.CutSuffix(text, unit)
	x, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is no number in %s", text, unit)
	}
	return x, nil
}

// read makes a capture of the lines. One that breaks off at the end is left out.
func read(name, text string, cfg *capture.Config) error {
	var rows []row
	n := 0
	for line := range strings.Lines(text) {
		n++
		whole := strings.HasSuffix(line, "\n")
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, dumping) {
			continue
		}
		at, values, ok := interval(line)
		r, err := row{}, fmt.Errorf("it is no line of an interval")
		if ok {
			r, err = parse(values)
		}
		switch {
		case err != nil && !whole && len(rows) > 0:
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("truncated: line %d breaks off and is left out", n))
			continue
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, n, err)
		case len(rows) > 0 && at <= rows[len(rows)-1].end:
			return fmt.Errorf("%s:%d: the time does not go on: the clock was set back, or these are two dumps", name, n)
		}
		r.end = at
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%s: it has no line of an interval", name)
	}
	build(rows, cfg)
	return nil
}

// build makes the counters. The first interval is taken for as long as the second, or a second where there is one only.
func build(rows []row, cfg *capture.Config) {
	length := int64(1e9)
	if len(rows) > 1 {
		length = rows[1].end - rows[0].end
	}
	begin := rows[0].end - length
	cfg.StartTime = time.Unix(0, begin)
	axis := &capture.Axis{Start: make([]int64, len(rows)), End: make([]int64, len(rows))}
	for i, r := range rows {
		axis.End[i] = r.end - begin
		if i > 0 {
			axis.Start[i] = axis.End[i-1]
		}
	}
	cfg.Axis = axis
	add := func(name, unit string, kind capture.Kind, of func(r *row, seconds float64) (float64, bool)) {
		column, some := make([]float64, len(rows)), false
		for i := range rows {
			x, ok := of(&rows[i], float64(axis.End[i]-axis.Start[i])/1e9)
			if some = some || ok; !ok {
				x = math.NaN()
			}
			column[i] = x
		}
		if some {
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, Kind: kind}, Axis: axis,
				Col: capture.NewColumn(capture.Data{F: column})})
		}
	}
	add("grbm_samples", "samples", capture.Delta, func(_ *row, seconds float64) (float64, bool) { return rate * seconds, true })
	for _, b := range blocks {
		add("busy_"+block(b)+"_ones", "samples", capture.Delta, func(r *row, seconds float64) (float64, bool) {
			share, ok := r.shares[b]
			return rate * seconds * share / 100, ok
		})
	}
	for _, o := range []struct {
		name, of, unit string
		scale          float64
	}{{"vram_used", "vram", "bytes", 1 << 20}, {"gtt_used", "gtt", "bytes", 1 << 20}, {"sensor_mclk", "mclk", "Hz", 1e9}, {"sensor_sclk", "sclk", "Hz", 1e9}} {
		add(o.name, o.unit, capture.Gauge, func(r *row, _ float64) (float64, bool) {
			x, ok := r.others[o.of]
			return x * o.scale, ok
		})
	}
	// What is all of it, or the highest, follows from a share and the amount: of the largest share, which tells it best.
	for _, c := range []struct {
		name, of string
		scale    float64
	}{{"vram_bytes", "vram", 1 << 20}, {"gtt_bytes", "gtt", 1 << 20}, {"max_sclk_hz", "sclk", 1e9}, {"max_mclk_hz", "mclk", 1e9}} {
		best, all := 0.0, 0.0
		for _, r := range rows {
			if share := r.shares[c.of]; share > best && r.others[c.of] > 0 {
				best, all = share, r.others[c.of]/share*100*c.scale
			}
		}
		if all > 0 && !math.IsInf(all, 0) {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: c.name, Number: math.Round(all)})
		}
	}
}
