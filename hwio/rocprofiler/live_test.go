//go:build linux && (amd64 || arm64)

package rocprofiler

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/standin"
	"astrolabe/hwio/internal/vendorproc"
)

// stand puts the stand-in in the library's place, with faults, and returns a source that finds it and the file that will hold every
// value that the library hands out.
func stand(t *testing.T, faults string, defines ...string) (*Source, string) {
	t.Helper()
	t.Setenv(vendorproc.Variable, programs.Path(t, "astrolabe/hwio/vendorlib"))
	t.Setenv(libraryVariable, standin.Library(t, standin.Rocprofiler, defines...))
	truth := filepath.Join(t.TempDir(), "truth")
	t.Setenv("STANDIN_ROCPROFILER", faults)
	t.Setenv("STANDIN_TRUTH", truth)
	return New(""), truth
}

// recording is what a stream appended.
type recording struct {
	schema   *capture.Schema
	batch    *capture.Batch
	conclude []string
	err      error
}

// record reads a stream until it has so many rows, or ends.
func record(t *testing.T, s *Source, rows int, r hwio.Request) *recording {
	t.Helper()
	if r.Period == 0 {
		r.Period = 2 * time.Millisecond
	}
	st, err := s.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Close(); err != nil {
			t.Error("a second Close:", err)
		}
	}()
	out := &recording{schema: st.Schema()}
	out.batch = capture.NewBatch(out.schema, rows)
	if out.err = st.Read(t.Context(), out.batch); out.err != nil {
		return out
	}
	if n := out.batch.Len(); n != 0 {
		t.Errorf("the first read appended %d rows", n)
	}
	for end := time.Now().Add(5 * time.Minute); out.batch.Len() < rows && out.err == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the stream stands still")
		}
		out.err = st.Read(t.Context(), out.batch)
	}
	if out.err == nil {
		out.err = st.(hwio.Finisher).Finish(t.Context(), out.batch)
	}
	out.conclude = st.(hwio.Concluder).Conclude()
	for i := range out.batch.Cols {
		if out.batch.Cols[i].Len() != out.batch.Len() {
			t.Fatalf("column %s has %d values for %d rows", out.schema.Columns[i].Meta.Name, out.batch.Cols[i].Len(), out.batch.Len())
		}
	}
	for i := range out.batch.Start {
		if out.batch.End[i] <= out.batch.Start[i] || (i > 0 && out.batch.Start[i] < out.batch.End[i-1]) {
			t.Fatalf("row %d from %d to %d follows one that ends at %d", i, out.batch.Start[i], out.batch.End[i], out.batch.End[max(i, 1)-1])
		}
	}
	return out
}

// column finds the columns of a counter.
func (r *recording) columns(name string) (out []int) {
	for i, c := range r.schema.Columns {
		if c.Meta.Name == name {
			out = append(out, i)
		}
	}
	return out
}

func (r *recording) total(column int) (sum float64) {
	c := &r.batch.Cols[column]
	for _, v := range c.U {
		sum += float64(v)
	}
	for _, v := range c.F {
		sum += v
	}
	return sum
}

// read the stand-in's account: the value of every instance in every sample.
func readTruth(t *testing.T, path string) map[string]map[uint64]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]map[uint64]float64{}
	for in := bufio.NewScanner(f); in.Scan(); {
		var sample uint64
		var name string
		var instance int
		var v float64
		if _, err := fmt.Sscan(in.Text(), &sample, &name, &instance, &v); err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(name, " ", instance)
		if out[key] == nil {
			out[key] = map[uint64]float64{}
		}
		out[key][sample] = v
	}
	return out
}

func TestTotalsAreThoseOfTheLibrary(t *testing.T) {
	for name, c := range map[string]struct {
		faults  string
		defines []string
	}{
		"ROCm 7":                          {},
		"ROCm 6":                          {defines: []string{"STANDIN_ROCM6"}},
		"numbers that hold the agent":     {faults: "agent-ids"},
		"records in another order":        {faults: "reversed"},
		"a buffer that was too small":     {faults: "small-buffer"},
		"a library that prints on stdout": {faults: "print"},
	} {
		t.Run(name, func(t *testing.T) {
			s, truth := stand(t, c.faults, c.defines...)
			r := record(t, s, 20, hwio.Request{Counters: []string{"TCP_REQ*", "grbm_gui_active", "SQ_BUSY_CYCLES*", "GL2C_HIT"}})
			if r.err != nil {
				t.Fatal(r.err)
			}
			want := readTruth(t, truth)
			// The first sample was for the layout, the second is the baseline.
			rise := func(counter string, instance int) float64 {
				v := want[fmt.Sprint(counter, " ", instance)]
				return v[uint64(r.batch.Len()+1)] - v[1]
			}
			for counter, n := range map[string]int{"TCP_REQ": 16, "TCP_REQ_READ": 16, "TCP_REQ_WRITE": 16, "TCP_REQ_MISS": 16, "GRBM_GUI_ACTIVE": 1, "SQ_BUSY_CYCLES": 2, "GL2C_HIT": 8} {
				cols := r.columns(counter)
				if len(cols) != n {
					t.Errorf("%s has %d instances, want %d", counter, len(cols), n)
					continue
				}
				sum := 0.0
				for i, col := range cols {
					if got := r.total(col); got != rise(counter, i) || got == 0 {
						t.Errorf("%s[%s] rose by %v, by %v in the library", counter, r.schema.Columns[col].Meta.Instance, got, rise(counter, i))
					}
					sum += r.total(col)
				}
				if cols := r.columns(counter + "_sum"); len(cols) == 1 {
					if got := r.total(cols[0]); got != sum {
						t.Errorf("%s_sum rose by %v, its instances by %v", counter, got, sum)
					}
				} else if strings.HasPrefix(counter, "TCP") {
					t.Errorf("%s_sum has %d columns", counter, len(cols))
				}
			}
			if got, want := r.total(r.columns("SQ_BUSY_CYCLES_avr")[0]), (rise("SQ_BUSY_CYCLES", 0)+rise("SQ_BUSY_CYCLES", 1))/2; got != want {
				t.Errorf("SQ_BUSY_CYCLES_avr rose by %v, want %v", got, want)
			}
			if cols := r.columns("SQ_BUSY_CYCLES_max"); len(cols) != 2 || r.schema.Columns[cols[0]].Meta.Combine != capture.CombineMax {
				t.Errorf("SQ_BUSY_CYCLES_max has %d columns that do not combine by their largest", len(cols))
			}
			if len(r.conclude) != 0 && !strings.Contains(strings.Join(r.conclude, ""), "periods more than their own") {
				t.Errorf("warnings %q", r.conclude)
			}
		})
	}
}

func TestInstancesAreNamedByTheirPositions(t *testing.T) {
	s, _ := stand(t, "")
	r := record(t, s, 1, hwio.Request{Counters: []string{"TCP_REQ", "SQ_WAVES", "GL2C_HIT", "GRBM_COUNT"}})
	names := func(counter string) (out []string) {
		for _, c := range r.columns(counter) {
			out = append(out, r.schema.Columns[c].Meta.Instance)
		}
		return out
	}
	if got := names("TCP_REQ"); len(got) != 16 || got[0] != "SE0/SA0/WGP0" || got[3] != "SE0/SA0/WGP3" || got[4] != "SE0/SA1/WGP0" || got[15] != "SE1/SA1/WGP3" {
		t.Errorf("instances of TCP_REQ: %q", got)
	}
	for counter, want := range map[string][]string{"SQ_WAVES": {"SE0", "SE1"}, "GRBM_COUNT": {""}, "GL2C_HIT": {"INST0", "INST1", "INST2", "INST3", "INST4", "INST5", "INST6", "INST7"}} {
		if got := names(counter); !slices.Equal(got, want) {
			t.Errorf("instances of %s: %q, want %q", counter, got, want)
		}
	}
}

func TestRecordingsCarryWhatTheCatalogueNeeds(t *testing.T) {
	s, _ := stand(t, "")
	r := record(t, s, 1, hwio.Request{})
	cfg := r.schema.Config
	if cfg.GPU != "gfx1151" || cfg.Device.Name != "Stand-in Radeon" || cfg.Device.Driver != "rocprofiler-sdk 1.0.0" {
		t.Errorf("GPU %q, device %+v", cfg.GPU, cfg.Device)
	}
	if cfg.Options.Denom != "per_second" {
		t.Errorf("metrics are given %q, but a stretch of time is no kernel", cfg.Options.Denom)
	}
	for name, want := range map[string]float64{"cu_per_gpu": 32, "simd_per_cu": 2, "se_per_gpu": 2, "sa_per_se": 2, "wave_size": 32, "max_waves_per_cu": 32, "max_sclk": 2799, "num_xcd": 1} {
		i := slices.IndexFunc(cfg.Properties, func(p capture.Property) bool { return p.Name == name })
		if i < 0 || cfg.Properties[i].Number != want {
			t.Errorf("property %s is missing or not %v", name, want)
		}
	}
	for _, name := range []string{"GRBM_GUI_ACTIVE", "SQ_WAVES", "GL2C_HIT"} {
		if len(r.columns(name)) == 0 {
			t.Errorf("%s is not in the default set", name)
		}
	}
}

func TestCountersAreThoseOfTheHardwareAndTheirSums(t *testing.T) {
	s, _ := stand(t, "")
	list, err := s.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
		if m.Instance != "" || m.Source != "rocprofiler" || m.Block == "" {
			t.Errorf("%+v", m)
		}
	}
	for _, want := range []string{"TCP_REQ", "TCP_REQ_sum", "SQ_BUSY_CYCLES_avr", "GRBM_COUNT"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not listed", want)
		}
	}
	if slices.Contains(names, "GPU_UTIL") {
		t.Error("GPU_UTIL, which the library computes, is listed as a counter")
	}
	var ce *hwio.CounterError
	if _, err := s.Open(t.Context(), hwio.Request{Counters: []string{"GPU_UTIL"}}); !errors.As(err, &ce) {
		t.Errorf("opening a metric of the library: %v", err)
	}
	if _, err := s.Open(t.Context(), hwio.Request{Counters: []string{"cycles"}}); !errors.Is(err, hwio.ErrNoMatch) {
		t.Errorf("opening a counter that the GPU does not have: %v", err)
	}
	for _, options := range []map[string]string{{"agent": "7"}, {"sample": "1h"}, {"colour": "red"}} {
		if _, err := s.Open(t.Context(), hwio.Request{Options: options}); err == nil {
			t.Errorf("options %v were accepted", options)
		}
	}
}

func TestProbeSaysWhatIsMissing(t *testing.T) {
	for faults, want := range map[string][2]string{
		"old-version": {"0.4.0", "ROCm"},
		"new-version": {"2.0.0", "ROCm"},
		"old-agent":   {"200 bytes", "ROCm"},
		"no-gpu":      {"finds no GPU", ""},
		"unsupported": {"does not support this GPU", "amdgpu"},
		"hsa-fails":   {"0x1008", ""},
	} {
		s, _ := stand(t, faults)
		st := s.Probe(t.Context())
		if st.Usable || !strings.Contains(st.Reason, want[0]) || !strings.Contains(st.Fix, want[1]) || st.Fix == "" {
			t.Errorf("%s: usable %v, reason %q, fix %q", faults, st.Usable, st.Reason, st.Fix)
		}
		if f := s.Diagnose(t.Context()); len(f) != 1 || f[0].Usable || f[0].Reason != st.Reason {
			t.Errorf("%s: findings %+v", faults, f)
		}
	}
	s, _ := stand(t, "", "STANDIN_OLD")
	if st := s.Probe(t.Context()); st.Usable || !strings.Contains(st.Reason, "rocprofiler_sample_device_counting_service") {
		t.Errorf("without the function that samples: %+v", st)
	}
	s, _ = stand(t, "")
	if st := s.Probe(t.Context()); !st.Usable || st.GPU != "gfx1151" || st.Device != "Stand-in Radeon" {
		t.Errorf("a library that works: %+v", st)
	}
	t.Setenv(libraryVariable, "/nowhere/librocprofiler-sdk.so.1")
	if st := New("").Probe(t.Context()); st.Usable || !strings.Contains(st.Reason, "/nowhere") || !strings.Contains(st.Fix, libraryVariable) {
		t.Errorf("without the library: %+v", st)
	}
	t.Setenv(vendorproc.Variable, "/nowhere/astrolabe-vendorlib")
	if st := New("").Probe(t.Context()); st.Usable || !strings.Contains(st.Fix, "go build -o astrolabe-vendorlib ./hwio/vendorlib") {
		t.Errorf("without the second program: %+v", st)
	}
	if st := New(t.TempDir()).Probe(t.Context()); st.Usable || st.Reason == "" {
		t.Errorf("a copied tree: %+v", st)
	}
}

func TestOpenExplainsWhatGoesWrong(t *testing.T) {
	for faults, want := range map[string]string{
		"permission":  "PERMISSION_DENIED",
		"crash-start": "crashed",
		"limit":       "these 7 counters need 2 passes: TCP_REQ TCP_REQ_READ TCP_REQ_WRITE TCP_REQ_MISS | TCP_GATE_EN2 TCP_GL1_REQ_READ TCP_GL1_REQ_WRITE",
	} {
		s, _ := stand(t, faults)
		_, err := s.Open(t.Context(), hwio.Request{Counters: []string{"TCP_*"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", faults, err, want)
		}
	}
	s, _ := stand(t, "hang-start")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := s.Open(ctx, hwio.Request{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a library that hangs: %v", err)
	}
}

func TestAnEndDuringTheRecordingIsAnErrorWithItsReason(t *testing.T) {
	for faults, want := range map[string]string{"crash": "SIGSEGV", "fail-for-good": "samples in a row failed", "hang": "hangs"} {
		if faults == "hang" && testing.Short() {
			continue
		}
		s, _ := stand(t, faults)
		r := record(t, s, 1000, hwio.Request{})
		if r.err == nil || errors.Is(r.err, io.EOF) || !strings.Contains(r.err.Error(), want) {
			t.Errorf("%s: %v, want %q", faults, r.err, want)
		}
		if r.batch.Len() != 3 {
			t.Errorf("%s: %d rows were kept of those before it, want 3", faults, r.batch.Len())
		}
	}
}

// A program that was stopped for an hour looks for samples before those of the meantime have reached it.
func TestAStoppedProgramTakesNoLibraryToHang(t *testing.T) {
	s, _ := stand(t, "")
	opened, err := s.Open(t.Context(), hwio.Request{Period: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	st, b := opened.(*stream), capture.NewBatch(opened.Schema(), 100)
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for rows := -1; rows < b.Len(); { // until a look finds nothing
		rows = b.Len()
		st.looked = st.looked.Add(-time.Hour)
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedValuesAreMissingWithAReason(t *testing.T) {
	for faults, c := range map[string]struct {
		want    string
		missing int
	}{"back": {"went back", 1}, "lost": {"no value of this instance", 2}} {
		s, _ := stand(t, faults)
		r := record(t, s, 12, hwio.Request{Counters: []string{"TCP_REQ", "TCP_REQ_sum"}})
		if r.err != nil {
			t.Fatal(r.err)
		}
		for _, name := range []string{"TCP_REQ", "TCP_REQ_sum"} {
			col := r.columns(name)[0]
			missing := 0
			for _, why := range r.batch.Reasons {
				if why.Col == col && strings.Contains(why.Reason.Text, c.want) {
					missing += why.To - why.From
				}
			}
			if missing != c.missing {
				t.Errorf("%s: %d values of %s are missing for that reason, want %d (%+v)", faults, missing, name, c.missing, r.batch.Reasons)
			}
		}
		if col := r.columns("TCP_REQ")[1]; r.batch.Cols[col].Valid.Bits != nil {
			t.Errorf("%s: another instance misses values too", faults)
		}
		if !strings.Contains(strings.Join(r.conclude, "\n"), "values are missing because") {
			t.Errorf("%s: the end does not say it: %q", faults, r.conclude)
		}
	}
}

func TestSamplesThatFailMakeLongerOnes(t *testing.T) {
	s, truth := stand(t, "fail")
	r := record(t, s, 12, hwio.Request{Counters: []string{"GRBM_COUNT"}})
	if r.err != nil {
		t.Fatal(r.err)
	}
	values := readTruth(t, truth)["GRBM_COUNT 0"]
	if got, want := r.total(0), values[uint64(r.batch.Len()+1)]-values[1]; got != want {
		t.Errorf("the counts are %v, want %v", got, want)
	}
	if end := strings.Join(r.conclude, "\n"); !strings.Contains(end, "3 samples failed") {
		t.Errorf("the end does not say it: %q", end)
	}
}

func TestZerosBesideCountsAreDoubtedAsGatedClocks(t *testing.T) {
	s, _ := stand(t, "gated")
	r := record(t, s, 5, hwio.Request{Counters: []string{"TCP_REQ", "TCP_GL1_REQ_READ", "GRBM_GUI_ACTIVE"}})
	end := strings.Join(r.conclude, "\n")
	if !strings.Contains(end, "TCP_REQ read 0 throughout") || !strings.Contains(end, "profile_standard") || strings.Contains(end, "TCP_GL1_REQ_READ read") {
		t.Errorf("the end says %q", end)
	}
}
