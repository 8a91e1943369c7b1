package intelgputop

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// Format is the output of intel_gpu_top. Its zero value is ready for use.
type Format struct{}

var _ formats.Explainer = Format{}

// catalogue is that of what monitors tell of an Intel GPU.
const catalogue = "intel-live"

// Name is "intelgputop".
func (Format) Name() string { return "intelgputop" }

// Doc says what the format is.
func (Format) Doc() string {
	return "output of intel_gpu_top -J (objects with period, frequency and engines) or -c (a table with RC6 % and RCS %)"
}

// Extensions are those of its JSON; tables are called as all others.
func (Format) Extensions() []string { return []string{".json"} }

// Sniff goes by the keys of the first object, or by the header of the table.
func (Format) Sniff(in *formats.Input) int {
	if !in.IsDir && (isJSON(in.Head) || isTable(in.Head)) {
		return 95
	}
	return 0
}

func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, "[ \t\r\n\ufeff")
	if !bytes.HasPrefix(head, []byte{'{'}) || !bytes.Contains(head, []byte(`"rc6"`)) && !bytes.Contains(head, []byte(`"interrupts"`)) {
		return false
	}
	return bytes.Contains(head, []byte(`"period"`)) && bytes.Contains(head, []byte(`"engines"`))
}

func isTable(head []byte) bool {
	line, rest, ended := bytes.Cut(head, []byte("\n"))
	names := cells(string(line))
	some := false
	for _, name := range names {
		if _, ok := engineOf(strings.TrimSuffix(name, " %")); ok && strings.HasSuffix(name, " %") {
			some = true
		}
	}
	return ended && len(rest) > 0 && some && (strings.HasPrefix(names[0], "Freq MHz") || strings.Contains(string(line), "RC6 %"))
}

func cells(line string) []string {
	out := strings.Split(strings.TrimPrefix(strings.TrimRight(line, "\r"), "\ufeff"), ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// WhyNot says what is missing.
func (Format) WhyNot(in *formats.Input) string {
	if in.IsDir {
		return "it is a folder"
	}
	return "no object with the keys period, engines and rc6 at its beginning, and no header with columns such as RC6 % and RCS %"
}

// parsePeriod reads the option period.
func parsePeriod(v any) (float64, error) {
	var ns float64
	switch v := v.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return 0, formats.OptionErrorf("option period: %q is no duration: write it as \"250ms\"", v)
		}
		ns = float64(d)
	case float64:
		ns = v * 1e9
	case int:
		ns = float64(v) * 1e9
	case int64:
		ns = float64(v) * 1e9
	}
	if !(ns >= 1 && ns < 1<<52) {
		return 0, formats.OptionErrorf("option period: %v is not a positive duration of at least 1 ns, in seconds or as \"250ms\"", v)
	}
	return ns, nil
}

// Open reads all periods.
func (Format) Open(ctx context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	l := &log{name: in.Path}
	for name, v := range opt.Extra {
		if name != "period" {
			return nil, formats.OptionErrorf("intelgputop has no option %s=%v; it has period=\"250ms\"", name, v)
		}
		if v == nil {
			continue
		}
		var err error
		if l.period, err = parsePeriod(v); err != nil {
			return nil, err
		}
	}
	if err := memory.Room(8 * uint64(in.Size)); err != nil {
		return nil, err
	}
	raw, err := formats.ReadRegular(in.Path)
	if err != nil {
		return nil, err
	}
	progress.From(ctx).Begin(int64(len(raw)), progress.Bytes)
	if isTable(raw) {
		err = l.table(ctx, string(raw))
	} else {
		err = l.objects(ctx, raw)
	}
	if err != nil {
		return nil, err
	}
	if len(l.rows) == 0 {
		return nil, fmt.Errorf("%s: it holds no period of intel_gpu_top", in.Path)
	}
	cfg := capture.Config{Path: in.Path, Format: Format{}.Name(), GPU: catalogue,
		Name: strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))}
	l.build(&cfg)
	opt.Apply(&cfg)
	formats.Monitored(&cfg, catalogue)
	if opt.Warn != nil {
		for _, w := range cfg.Warnings {
			opt.Warn(w)
		}
	}
	return capture.New(cfg)
}
