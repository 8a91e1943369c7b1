package cli

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"astrolabe/capture/capturetest"
	models "astrolabe/capture/capturetest/all"
	"astrolabe/capture/decode/oa"
	formats "astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

// reports stands for a recording of OA reports, which no model makes.
const reports = "oa reports"

// recordedReports is a recording of i915-perf-recorder with as many samples, and a clock correlation every thousand.
func recordedReports(b *testing.B, samples int) []byte {
	info := oa.Info{TimestampFrequency: 12e6, DeviceID: 0x5916, MinFrequency: 3e8, MaxFrequency: 1.1e9,
		Set: "RenderBasic", GUID: "99c1a40e-a090-4354-86e3-4d068bb1917e"}
	info.SetFormat(oa.A32u40A4u32B8C8)
	payload, err := info.Payload()
	if err != nil {
		b.Fatal(err)
	}
	out := oa.AppendRecord(nil, oa.RecordVersion, binary.LittleEndian.AppendUint64(nil, 1))
	out = oa.AppendRecord(out, oa.RecordInfo, payload)
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]uint64, len(oa.A32u40A4u32B8C8.Counters()))
	report := make(oa.Report, oa.A32u40A4u32B8C8.Size)
	for i := range samples + 1 {
		if i%1000 == 0 {
			c := oa.Correlation{CPU: int64(i)*10_000 + 1, GPU: uint64(i) * 120}
			out = oa.AppendRecord(out, oa.RecordCorrelation, c.Payload())
		}
		for k := range values {
			values[k] += rng.Uint64N(5000)
		}
		id := uint64(oa.Timer)<<19 | 1<<16 | 60<<25 | 60
		oa.A32u40A4u32B8C8.Put(report, id, uint64(i)*120+60, uint64(0x20+i/500%3), uint64(i)*10_000, values)
		out = oa.AppendRecord(out, oa.RecordSample, report)
	}
	return out
}

// BenchmarkGrowth runs whole commands on captures of ASTROLABE_BENCH_ROWS samples (10,000), and of a tenth and a hundredth of
// them: cpu-ms is the processor time of the program. What grows faster from size to size than the samples do is a fault.
func BenchmarkGrowth(b *testing.B) {
	most := 10_000
	if s := os.Getenv("ASTROLABE_BENCH_ROWS"); s != "" {
		var err error
		if most, err = strconv.Atoi(s); err != nil || most < 100 {
			b.Fatalf("ASTROLABE_BENCH_ROWS=%s: give a number of samples from 100 on", s)
		}
	}
	exe := programs.Path(b, "astrolabe")
	dir := b.TempDir()
	script := filepath.Join(dir, "map.star")
	if err := os.WriteFile(script, []byte("def map(cap):\n    return {n: c.total() for n, c in cap.counters.items()}\n"),
		0o666); err != nil {
		b.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	type command struct {
		name, model string
		args        func(capture string) []string
	}
	var list []command
	add := func(name, model string, args func(capture string) []string) {
		list = append(list, command{name, model, args})
	}
	seen := map[string]bool{}
	for _, m := range models.Models() {
		if seen[m.Script()] { // each triage script once
			continue
		}
		seen[m.Script()] = true
		add("report", m.Name(), func(c string) []string { return []string{"report", "-o", out + ".png", c} })
	}
	generic, err := filepath.Abs("../../scripts/triage/generic.star") // of no model
	if err != nil {
		b.Fatal(err)
	}
	add("report-generic", "mali-g720", func(c string) []string {
		return []string{"report", "--script", generic, "-o", out + ".png", c}
	})
	const mali, intel = "mali-g720", "intel-kbl-gt2 RenderBasic"
	add("stat", mali, func(c string) []string { return []string{"stat", c} })
	add("compare", mali, func(c string) []string { return []string{"compare", c, c} })
	add("check", mali, func(c string) []string {
		return []string{"check", c, "--limit", "findings.critical < 1000", "--limit", "GPU_ACTIVE > 0"}
	})
	add("lake-add", mali, func(c string) []string {
		return []string{"lake", "add", c, "--lake", out + ".lake", "--replace"}
	})
	add("map", mali, func(c string) []string { return []string{"map", script, c} })
	for _, f := range []string{"arrow", "csv", "parquet", "perfetto", "chrometrace", "prometheus"} {
		add("convert-"+f, intel, func(c string) []string { return []string{"convert", c, out + "." + f, "--format", f} })
	}
	add("convert-gpa", "amd-gpa gfx9 cl", func(c string) []string {
		return []string{"convert", c, out + ".gpa", "--format", "gpa"}
	})

	add("convert-i915perf", reports, func(c string) []string { return []string{"convert", c, out + ".record", "--format", "i915perf"} })
	add("stat", reports, func(c string) []string { return []string{"stat", c} })

	captures := map[string]string{}
	capture := func(b *testing.B, model string, samples int) string {
		key := fmt.Sprintf("%s-%d", model, samples)
		if path, ok := captures[key]; ok {
			return path
		}
		if model == reports {
			path := filepath.Join(dir, fmt.Sprintf("%d.record", len(captures)))
			if err := os.WriteFile(path, recordedReports(b, samples), 0o666); err != nil {
				b.Fatal(err)
			}
			captures[key] = path
			return path
		}
		all := models.Models()
		m := all[slices.IndexFunc(all, func(m capturetest.Model) bool { return m.Name() == model })]
		c, err := m.Generate(capturetest.Case{Load: 0.5, Noise: 0.1, Samples: samples, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.arrow", len(captures)))
		if err := formats.Registry().Save(b.Context(), path, "arrow", c); err != nil {
			b.Fatal(err)
		}
		captures[key] = path
		return path
	}
	for _, c := range list {
		for _, n := range []int{most / 100, most / 10, most} {
			b.Run(fmt.Sprintf("%s/%s/%d", c.name, c.model, n), func(b *testing.B) {
				path := capture(b, c.model, n)
				least := -1.0
				for b.Loop() {
					cmd := exec.Command(exe, c.args(path)...)
					if text, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%s: %v\n%s", cmd, err, text)
					}
					used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
					if ms := float64(used.Microseconds()) / 1000; least < 0 || ms < least {
						least = ms
					}
				}
				b.ReportMetric(least, "cpu-ms")
			})
		}
	}
}
