package mangohud

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
	"astrolabe/capture/progress"
)

// Format is a log of MangoHud. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// Name is "mangohud".
func (Format) Name() string { return "mangohud" }

// Doc says what the format is.
func (Format) Doc() string {
	return "log of MangoHud (text: lines about the system, then a table whose header starts with fps,frametime)"
}

// header begins the table.
var header = []byte("fps,frametime,")

// before is how many lines may stand before the table: the version and the system.
const before = 8

// table is where the table begins, -1 where there is none.
func table(head []byte) int {
	at := 0
	for range before {
		if bytes.HasPrefix(head[at:], header) {
			return at
		}
		n := bytes.IndexByte(head[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
	}
	return -1
}

// Sniff goes by the header of the table, which has the time since the log began.
func (Format) Sniff(in *formats.Input) int {
	at := -1
	if !in.IsDir {
		at = table(in.Head)
	}
	if at < 0 {
		return 0
	}
	line, _, _ := bytes.Cut(in.Head[at:], []byte{'\n'})
	if !bytes.HasSuffix(bytes.TrimSpace(line), []byte(",elapsed")) {
		return 0
	}
	return 90
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return fmt.Sprintf("no header that starts with %s and ends with elapsed in the first %d lines", header, before)
}

// Open reads the table, and the system before it.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	at := table(in.Head)
	if at < 0 {
		return nil, fmt.Errorf("%s: %s", in.Path, Format{}.WhyNot(in))
	}
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cfg := capture.Config{
		Name:   strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path)),
		Path:   in.Path,
		Format: Format{}.Name(),
	}
	system(in.Head[:at], &cfg)
	opt.Apply(&cfg)
	// A row is what was so when it was written.
	extra := map[string]any{"time_column": "elapsed", "time_unit": "ns", "time": "end"}
	maps.Copy(extra, opt.Extra)
	size := in.Size - int64(at)
	progress.From(ctx).Begin(size, progress.Bytes)
	if err := csv.Table(ctx, in.Path, io.NewSectionReader(r, int64(at), size), size, extra, &cfg); err != nil {
		return nil, err
	}
	for _, c := range cfg.Counters {
		c.Kind, c.Guessed = capture.Gauge, false
		if unit, ok := units[c.Name]; ok {
			c.Unit = unit
		}
	}
	unknown(&cfg)
	frames(&cfg)
	if cfg.GPU == "" {
		cfg.Warnings = append(cfg.Warnings, in.Path+" does not say which GPU it is of: give gpu= for the metrics of its catalogue, amd-live for one of AMD's")
	}
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}

// system reads the lines before the table: names, and below them what they are.
func system(text []byte, cfg *capture.Config) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines[:max(0, len(lines)-1)] {
		names := strings.Split(strings.TrimSpace(line), ",")
		if len(names) < 3 || names[0] != "os" {
			continue
		}
		for k, v := range strings.Split(strings.TrimSpace(lines[i+1]), ",") {
			if v = strings.TrimSpace(v); k >= len(names) || v == "" {
				continue
			}
			cfg.Properties = append(cfg.Properties, capture.Property{Name: names[k], Text: v, IsText: true})
			if names[k] == "gpu" {
				cfg.Device.Name = v
			}
		}
	}
	for _, word := range []string{"AMD", "Radeon", "RADV"} {
		if strings.Contains(cfg.Device.Name, word) {
			cfg.GPU = "amd-live"
		}
	}
}

// units are those of MangoHud's columns.
var units = map[string]string{
	"frametime": "ms", "cpu_load": "percent", "cpu_power": "W", "cpu_temp": "celsius", "cpu_mhz": "MHz",
	"gpu_load": "percent", "gpu_temp": "celsius", "gpu_core_clock": "MHz", "gpu_mem_clock": "MHz", "gpu_power": "W",
	"gpu_vram_used": "GiB", "ram_used": "GiB", "swap_used": "GiB", "process_rss": "GiB",
}

// unknown takes out columns of 0 that nothing at work has: what MangoHud cannot read.
func unknown(cfg *capture.Config) {
	kept := cfg.Counters[:0]
	for _, c := range cfg.Counters {
		d, zero := c.Col.Data(), c.Name != "cpu_load" && c.Name != "gpu_load" && c.Name != "swap_used"
		for i := 0; zero && i < d.Len(); i++ {
			zero = d.Float(i) == 0
		}
		if zero {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("%s is 0 throughout, which MangoHud writes where it cannot read it: left out", c.Name))
			continue
		}
		kept = append(kept, c)
	}
	cfg.Counters = kept
}

// Rows are frames where nearly all of them are as long as the frame that they tell of.
const (
	frameNear = 0.1
	framesAll = 0.9
	framesFew = 8 // rows from which that can be said
)

// frames labels rows that are frames.
func frames(cfg *capture.Config) {
	n := cfg.Axis.Len()
	var took *capture.Counter
	for _, c := range cfg.Counters {
		if c.Name == "frametime" {
			took = c
		}
	}
	if took == nil || n < framesFew {
		return
	}
	d, alike := took.Col.Data(), 0
	for i := 1; i < n; i++ {
		length := float64(cfg.Axis.End[i] - cfg.Axis.Start[i])
		if math.Abs(d.Float(i)*1e6-length) <= frameNear*length {
			alike++
		}
	}
	if float64(alike) < framesAll*float64(n-1) {
		return
	}
	l := &capture.Label{Name: "frame", Codes: make([]int32, n), Dict: make([]string, n)}
	for i := range n {
		l.Codes[i], l.Dict[i] = int32(i), strconv.Itoa(i)
	}
	cfg.Labels = append(cfg.Labels, l)
}
