package rocprofcompute

import (
	"bufio"
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/internal/testfiles"
)

// realWorkloads are the folders of testdata/workloads with what pandas 3.1 says of their files:
//
//	x = pandas.read_csv("pmc_perf.csv")
//	counters = [c for c in x if c is no column of the dispatch, such as Grid_Size, obj, wave_size_3]
//	len(x), x.Kernel_Name.nunique(), len(counters), x[counters].sum().sum(), (x.End_Timestamp - x.Start_Timestamp).sum()
//	y = pandas.read_csv("SQ_LEVEL_WAVES.csv"); y.SQ_ACCUM_PREV_HIRES.sum(), y.GRBM_GUI_ACTIVE.sum()
var realWorkloads = []struct {
	folder, gpu       string
	dispatches        int
	columns           int     // of counters in pmc_perf.csv
	sum               float64 // of all values of those columns
	ns                float64 // that the dispatches took; NaN where every run has a time of its own
	waves, waveCycles float64 // SQ_LEVEL_WAVES_ACCUM and GRBM_GUI_ACTIVE@SQ_LEVEL_WAVES, 0 without that file
	warnings          []string
}{
	{"device_filter-mi300a", "gfx942", 3, 2057, 1070581276, 20269, 142533968, 585287, []string{"measured by several runs", "have the same times to the nanosecond"}},
	{"dispatch_0_1-mi200", "gfx90a", 2, 972, 1118893452, 36160, 123527660, 68905, []string{"measured by several runs", "have the same times to the nanosecond"}},
	{"dispatch_2-mi100", "gfx908", 1, 949, 812782302, 18561, 91397252, 38554, []string{"measured by several runs", "have the same times to the nanosecond"}},
	{"ipblocks_CPC-mi300x", "gfx942", 3, 16, 12202784, 42280, 0, 0, []string{"have the same times to the nanosecond"}},
	{"ipblocks_SQ-mi100", "gfx908", 3, 73, 203779068, 61920, 301505528, 135704, []string{"measured by several runs", "have the same times to the nanosecond"}},
	{"ipblocks_TCC-mi300a", "gfx942", 3, 41, 434930750, 19829, 0, 0, []string{"have the same times to the nanosecond"}},
	{"mem_levels_HBM-mi200", "gfx90a", 3, 27, 3379194, 52800, 0, 0, []string{"have the same times to the nanosecond"}},
	{"vcopy-mi300x", "gfx942", 3, 2665, 1550972224, 0, 434234796, 1357651,
		[]string{"measured by several runs", "3 of 3 dispatches end when they start", "have the same times to the nanosecond"}},
	{"vcopy-mi350", "gfx950", 3, 1021, 344995448, math.NaN(), 0, 0, []string{"not all of the 128 L2 channels were measured"}},
}

func TestRealWorkloadsHoldWhatPandasFinds(t *testing.T) {
	for _, w := range realWorkloads {
		t.Run(w.folder, func(t *testing.T) {
			dir := testfiles.Path(t, "workloads", w.folder)
			c := openPath(t, dir, formats.Options{})
			eq(t, "gpu", c.GPU, w.gpu)
			eq(t, "dispatches", c.Len(), w.dispatches)
			eq(t, "kernels", c.Label("kernel").Dict, []string{"vecCopy(double*, double*, double*, int, int)"})
			columns, sum := 0, 0.0
			for _, name := range headerLine(t, filepath.Join(dir, mainFile)) {
				if !isCounter(name) {
					continue
				}
				columns++
				sum += total(t, c, name)
			}
			eq(t, "columns", columns, w.columns)
			eq(t, "sum", sum, w.sum)
			if ns := 0.0; w.ns == w.ns {
				for i := range c.Len() {
					ns += float64(c.Axis.Interval(i))
				}
				eq(t, "ns", ns, w.ns)
			}
			if w.waves > 0 {
				eq(t, "waves", total(t, c, "SQ_LEVEL_WAVES_ACCUM"), w.waves)
				eq(t, "cycles of their run", total(t, c, "GRBM_GUI_ACTIVE@SQ_LEVEL_WAVES"), w.waveCycles)
			}
			if len(c.Warnings) != len(w.warnings) {
				t.Errorf("warnings:\n%s", strings.Join(c.Warnings, "\n"))
			}
			for _, text := range w.warnings {
				if !strings.Contains(strings.Join(c.Warnings, "\n"), text) {
					t.Errorf("no warning says %q:\n%s", text, strings.Join(c.Warnings, "\n"))
				}
			}
		})
	}
}

// The filter of dispatch_7-mi100 matched nothing.
func TestARealWorkloadWithoutDispatchesIsRefused(t *testing.T) {
	_, err := formats.NewRegistry(Format{}).Open(context.Background(), testfiles.Path(t, "workloads", "dispatch_7-mi100"), formats.Options{})
	if err == nil || !strings.Contains(err.Error(), "no dispatch was measured: 22 files (pmc_perf_0.csv to SQ_LEVEL_WAVES.csv) are without rows") {
		t.Errorf("error %v", err)
	}
}

func headerLine(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	s.Scan()
	return strings.Split(s.Text(), ",")
}

// total adds up the values of a counter or instance.
func total(t *testing.T, c *capture.Capture, name string) float64 {
	t.Helper()
	base, id := splitInstance(name)
	ctr := c.Counter(base)
	if ctr != nil && id != "" {
		whole := ctr
		ctr = nil
		for _, in := range whole.Instances {
			if in.Meta.Instance == id {
				ctr = in
			}
		}
	}
	if ctr == nil {
		t.Errorf("no counter %s", name)
		return math.NaN()
	}
	sum := 0.0
	for i := range ctr.Len() {
		sum += ctr.Value(i).Float()
	}
	return sum
}

// cut copies a real workload without the last row of one of its files.
func cut(t *testing.T, folder, file string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(testfiles.Path(t, "workloads", folder))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:bytes.LastIndexByte(data, '\n')+1], 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A level file counts the cycles of one die, and pmc_perf.csv those of all: where a frame lacks a dispatch, no other fills the hole. AMD's tool glues
// frames by row number and drops the rows beyond the shortest.
func TestAFrameWithFewerRowsIsNotFilledFromAnother(t *testing.T) {
	values := func(dir, name string) (out []float64) {
		c := openPath(t, dir, formats.Options{}).Counter(name)
		for i := range c.Len() {
			out = append(out, c.Value(i).Float())
		}
		return out
	}
	whole := testfiles.Path(t, "workloads", "device_filter-mi300a")
	for file, names := range map[string]struct{ cut, kept []string }{
		"pmc_perf.csv": {[]string{"GRBM_GUI_ACTIVE", "SQ_WAVES", "SQ_WAVE_CYCLES"}, []string{"GRBM_GUI_ACTIVE@SQ_LEVEL_WAVES", "SQ_LEVEL_WAVES_ACCUM"}},
		"SQ_LEVEL_WAVES.csv": {[]string{"GRBM_GUI_ACTIVE@SQ_LEVEL_WAVES", "SQ_LEVEL_WAVES_ACCUM"},
			[]string{"GRBM_GUI_ACTIVE", "GRBM_GUI_ACTIVE@SQ_IFETCH_LEVEL", "SQ_WAVES"}},
	} {
		dir := cut(t, "device_filter-mi300a", file)
		for _, name := range names.cut {
			got, want := values(dir, name), values(whole, name)
			if got[0] != want[0] || got[1] != want[1] || !math.IsNaN(got[2]) {
				t.Errorf("%s without its last row: %s is %v, and %v in the whole workload", file, name, got, want)
			}
		}
		for _, name := range names.kept {
			eq(t, file+": "+name, values(dir, name), values(whole, name))
		}
	}
}
