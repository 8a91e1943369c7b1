package mali

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// gauge is a level that the kernel shows in a text file.
type gauge struct {
	meta  capture.Meta
	path  string
	value func([]byte) float64 // NaN where the text holds no value
	slow  bool                 // reading it may ask a sensor over a bus
}

const devfreqDir = "/sys/class/devfreq/"

// findGauges lists what the kernel shows about the GPU's clock, load and temperature and about the memory's clock. dir
// is the device's folder, "" if unknown.
func findGauges(root sysroot.Root, dir, source string) []gauge {
	var out []gauge
	has := map[string]bool{}
	add := func(g gauge, name, title, unit, doc string) {
		g.meta.Name, g.meta.Title, g.meta.Unit, g.meta.Doc = name, title, unit, doc
		g.meta.Kind, g.meta.Source, g.meta.Block = capture.Gauge, source, "gpu"
		if has[name] && g.meta.Instance == "" {
			return
		}
		data, err := root.Read(g.path)
		if err != nil || math.IsNaN(g.value(data)) && !g.slow {
			return
		}
		has[name] = true
		out = append(out, g)
	}
	device := ""
	if dir != "" {
		device = root.LinkName(dir)
	}
	for _, name := range root.List(devfreqDir) {
		path := devfreqDir + name
		lower := strings.ToLower(name)
		switch {
		case device != "" && name == device || contains(lower, "mali", "gpu", "g3d"):
			add(gauge{path: path + "/cur_freq", value: clockHz}, "gpu_frequency", "GPU frequency", "Hz",
				"Clock of the GPU as its frequency driver ("+name+") sets it.")
			add(gauge{path: path + "/load", value: share}, "gpu_utilisation", "GPU utilisation", "percent",
				"Share of time in which the GPU was busy, as its frequency driver ("+name+") estimates it.")
		case contains(lower, "dmc", "mif", "ddr", "memory", "emc", "dvfsrc", "bus_mem"):
			add(gauge{path: path + "/cur_freq", value: clockHz}, "memory_frequency", "Memory frequency", "Hz",
				"Clock of the memory controller as its frequency driver ("+name+") sets it.")
			add(gauge{path: path + "/load", value: share}, "memory_utilisation", "Memory utilisation", "percent",
				"Share of the memory's bandwidth in use, as its frequency driver ("+name+") measures it.")
		}
	}
	if dir != "" {
		add(gauge{path: dir + "/clock", value: clockHz}, "gpu_frequency", "GPU frequency", "Hz",
			"Clock of the GPU as its driver's file clock shows it.")
		for _, file := range []string{"utilization", "utilisation"} {
			add(gauge{path: dir + "/" + file, value: share}, "gpu_utilisation", "GPU utilisation", "percent",
				"Share of time in which the GPU was busy, as its driver estimates it.")
		}
	}
	const zones = "/sys/class/thermal/"
	var hot []gauge
	for _, zone := range root.List(zones) {
		kind, err := root.String(zones + zone + "/type")
		if err == nil && strings.HasPrefix(zone, "thermal_zone") &&
			contains(strings.ToLower(kind), "gpu", "mali", "g3d") {
			hot = append(hot, gauge{path: zones + zone + "/temp", value: celsius, slow: true,
				meta: capture.Meta{Instance: kind, Combine: capture.CombineMax}})
		}
	}
	for i, g := range hot {
		kind := g.meta.Instance
		switch {
		case len(hot) == 1:
			g.meta.Instance = ""
		case slices.ContainsFunc(hot[:i], func(o gauge) bool { return o.meta.Instance == kind }):
			g.meta.Instance = fmt.Sprintf("%s_%d", kind, i)
		}
		add(g, "gpu_temperature", "GPU temperature", "celsius",
			"Temperature of the GPU's thermal zone; of several zones the hottest.")
	}
	return out
}

func contains(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// number reads the whole number that a text starts with.
func number(data []byte) float64 {
	text := bytes.TrimSpace(data)
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || n == 0 && text[n] == '-') {
		n++
	}
	v, err := strconv.ParseInt(string(text[:n]), 10, 64)
	if err != nil {
		return math.NaN()
	}
	return float64(v)
}

// clockHz reads a frequency whose unit differs by vendor and shows in its size: no GPU runs below 10 MHz or above 10
// GHz.
func clockHz(data []byte) float64 {
	v := number(data)
	switch {
	case v < 0:
		return math.NaN()
	case v >= 1e7 || v == 0:
		return v
	case v >= 1e4:
		return v * 1e3
	}
	return v * 1e6
}

// share reads a percentage, also one with the clock behind it such as 45@800000000Hz.
func share(data []byte) float64 {
	if v := number(data); v >= 0 && v <= 100 {
		return v
	}
	return math.NaN()
}

func celsius(data []byte) float64 { return number(data) * 1e-3 }

// Gauges reads gauges in the background, so that a slow sensor never delays a sample.
type Gauges struct {
	Columns []capture.ColumnSpec
	gauges  []gauge
	files   []*sysroot.File
	latest  []atomic.Uint64 // bits of a double
	stop    chan struct{}
	done    chan struct{}
}

// Gauges are read once per period of the recording, within these limits. Slow ones are read in every fifth round.
const (
	gaugePeriod    = 20 * time.Millisecond
	gaugePeriodMax = time.Second
	slowRounds     = 5
)

// GaugeMetas lists the gauges of the machine, one for all instances.
func GaugeMetas(root sysroot.Root, dir, source string) []capture.Meta {
	var out []capture.Meta
	for _, g := range findGauges(root, dir, source) {
		m := g.meta
		m.Instance = ""
		if !slices.ContainsFunc(out, func(have capture.Meta) bool { return have.Name == m.Name }) {
			out = append(out, m)
		}
	}
	return out
}

// OpenGauges starts reading the gauges that want accepts.
func OpenGauges(root sysroot.Root, dir, source string, period time.Duration, want func(*capture.Meta) bool) *Gauges {
	g := &Gauges{stop: make(chan struct{}), done: make(chan struct{})}
	for _, one := range findGauges(root, dir, source) {
		if !want(&one.meta) {
			continue
		}
		f, err := root.Open(one.path)
		if err != nil {
			continue
		}
		g.gauges, g.files = append(g.gauges, one), append(g.files, f)
		g.Columns = append(g.Columns, capture.ColumnSpec{Meta: one.meta})
	}
	g.latest = make([]atomic.Uint64, len(g.gauges))
	g.read(true)
	if len(g.gauges) == 0 {
		close(g.done)
		return g
	}
	go func() {
		defer close(g.done)
		t := time.NewTicker(min(max(period, gaugePeriod), gaugePeriodMax))
		defer t.Stop()
		for round := 1; ; round++ {
			select {
			case <-t.C:
				g.read(round%slowRounds == 0)
			case <-g.stop:
				return
			}
		}
	}()
	return g
}

func (g *Gauges) read(slow bool) {
	for i := range g.gauges {
		if g.gauges[i].slow && !slow {
			continue
		}
		v := math.NaN()
		if data, err := g.files[i].Contents(); err == nil {
			v = g.gauges[i].value(data)
		}
		g.latest[i].Store(math.Float64bits(v))
	}
}

var noReading = capture.Reason{Code: capture.PowerGated,
	Text: "the kernel's file could not be read at that time: its device was off or busy"}

// Append adds the latest levels to the columns from first on.
func (g *Gauges) Append(b *capture.Batch, first int) {
	for i := range g.latest {
		if v := math.Float64frombits(g.latest[i].Load()); math.IsNaN(v) {
			b.AppendMissingFor(first+i, noReading)
		} else {
			b.AppendFloat(first+i, v)
		}
	}
}

// Close stops reading. A sensor that hangs in its driver keeps its file open until it answers.
func (g *Gauges) Close() error {
	select {
	case <-g.stop:
		return nil
	default:
	}
	close(g.stop)
	select {
	case <-g.done:
		return g.closeFiles()
	case <-time.After(time.Second):
		go func() {
			<-g.done
			_ = g.closeFiles()
		}()
		return nil
	}
}

func (g *Gauges) closeFiles() error {
	var first error
	for i, f := range g.files {
		if err := f.Close(); err != nil && first == nil {
			first = fmt.Errorf("close %s: %w", g.gauges[i].path, err)
		}
	}
	return first
}
