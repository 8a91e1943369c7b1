package i915perf_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
)

// printed runs i915-perf-reader on a file and returns, for every counter, its value in each report.
func printed(t *testing.T, path string) map[string][]string {
	t.Helper()
	program, err := exec.LookPath("i915-perf-reader")
	if err != nil {
		t.Skip("SKIPPED: i915-perf-reader is not installed (Debian's intel-gpu-tools)")
	}
	text, err := exec.Command(program, "-r", "-c", "all", path).Output()
	if err != nil {
		t.Fatalf("i915-perf-reader: %v", err)
	}
	out := map[string][]string{}
	inReport := false
	for _, line := range strings.Split(string(text), "\n") {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case strings.HasPrefix(line, "Time"):
			inReport = false // what follows is of the whole residency
		case strings.HasPrefix(line, " report"):
			inReport = true
		case ok && inReport && strings.HasPrefix(line, "   "):
			out[name] = append(out[name], value)
		}
	}
	return out
}

func TestTheUsualReaderPrintsTheSameNumbersOfWhatWeWrite(t *testing.T) {
	for _, set := range []string{"RenderBasic", "ComputeBasic", "MemoryReads", "TestOa"} {
		cat, err := metrics.Get("intel-kbl-gt2")
		if err != nil {
			t.Fatal(err)
		}
		info := gt2()
		info.Set = set
		if s, err := cat.Set(set); err != nil {
			t.Fatal(err)
		} else {
			info.GUID = s.GUID
		}
		rng := rand.New(rand.NewPCG(5, 8))
		r := newRecording(info).correlate().run(1e6, 1e6).report(0x20)
		for i := range 120 {
			r.run(1e6+int64(rng.IntN(1000)), 900_000+rng.Uint64N(100_000))
			for k := range r.values {
				r.values[k] += rng.Uint64N(300_000)
			}
			r.report([]uint32{0x20, 0x21, 0xFFFFFFFF, 0x20}[i/10%4])
			if i%30 == 29 {
				r.correlate()
			}
		}
		dir := t.TempDir()
		native, again := filepath.Join(dir, "x.arrow"), filepath.Join(dir, "x.record")
		if err := all.Registry().Save(context.Background(), native, "", r.run(1e6, 1).correlate().open(t)); err != nil {
			t.Fatal(err)
		}
		c := open(t, native)
		if doubts := all.Registry().Doubts(again, "", c); len(doubts) > 0 {
			t.Errorf("%s: doubts %q", set, doubts)
		}
		if err := all.Registry().Save(context.Background(), again, "", c); err != nil {
			t.Fatal(err)
		}
		values, compared := printed(t, again), 0
		for symbol, list := range values {
			m, err := metrics.Resolve(c, set+"/"+symbol)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != c.Len() {
				t.Fatalf("%s/%s: %d values printed, there are %d samples", set, symbol, len(list), c.Len())
			}
			for i, text := range list {
				want, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				if got := m.Value(i).Float(); math.Abs(got-want) > 6e-7+1e-9*math.Abs(want) ||
					!strings.Contains(text, ".") && got != want {
					t.Errorf("%s/%s sample %d is %v, i915-perf-reader prints %s", set, symbol, i, got, text)
				}
				compared++
			}
		}
		if compared < 120*10 {
			t.Errorf("%s: only %d values were compared", set, compared)
		}
		t.Logf("%s: %d values", set, compared)
	}
}
