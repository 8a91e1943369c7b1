package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"astrolabe/capture/capturetest"
	models "astrolabe/capture/capturetest/all"
	formats "astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

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
	// i915perf takes captures of OA reports only, which no model makes
	for _, f := range []string{"arrow", "csv", "parquet", "perfetto", "chrometrace", "prometheus"} {
		add("convert-"+f, intel, func(c string) []string { return []string{"convert", c, out + "." + f, "--format", f} })
	}
	add("convert-gpa", "amd-gpa gfx9 cl", func(c string) []string {
		return []string{"convert", c, out + ".gpa", "--format", "gpa"}
	})

	captures := map[string]string{}
	capture := func(b *testing.B, model string, samples int) string {
		key := fmt.Sprintf("%s-%d", model, samples)
		if path, ok := captures[key]; ok {
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
