package rocprofcompute

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/internal/testfiles"
)

func openPath(t testing.TB, path string, opt formats.Options) *capture.Capture {
	t.Helper()
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func eq(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(capture.Axis{})); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// longCells reads a long file with the standard library: counter and dispatch to value.
func longCells(t *testing.T, path string) (cells map[[2]string]float64, durations map[[2]string]uint64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	cells, durations = map[[2]string]float64{}, map[[2]string]uint64{}
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[at("Counter_Value")], 64)
		if err != nil {
			t.Fatal(err)
		}
		start, _ := strconv.ParseUint(r[at("Start_Timestamp")], 10, 64)
		end, _ := strconv.ParseUint(r[at("End_Timestamp")], 10, 64)
		k := [2]string{r[at("Counter_Name")], r[at("Dispatch_ID")]}
		cells[k], durations[k] = v, end-start
	}
	return cells, durations
}

func TestGfx1151HasEveryValueOfTheFile(t *testing.T) {
	dir := testfiles.Path(t, "captures", "gfx1151-vcopy")
	c := openPath(t, dir, formats.Options{})
	eq(t, "samples", c.Len(), 3)
	eq(t, "counters", len(c.Counters), 147)
	eq(t, "passes", len(c.Passes), 10)
	eq(t, "gpu", c.GPU, "gfx1151")
	cells, durations := longCells(t, filepath.Join(dir, "pmc_perf.csv"))
	eq(t, "cells", len(cells), 441)
	for k, v := range cells {
		ctr := c.Counter(k[0])
		if ctr == nil {
			t.Fatalf("no counter %s", k[0])
		}
		i, _ := strconv.Atoi(k[1])
		if ctr.Value(i).Float() != v || ctr.Interval(i) != float64(durations[k]) {
			t.Errorf("%s[%d] = %v in %v ns, want %v in %v ns", k[0], i, ctr.Value(i).Float(), ctr.Interval(i), v, durations[k])
		}
	}
	eq(t, "exact", c.Counter("GCEA_SARB_DRAM_REQ_PER_VC_sum").Col.Data().U, []uint64{1770040, 1647860, 1648660})
	// The pass 8fbb was measured first, although it stands fourth in the file.
	eq(t, "axis", c.Axis, &capture.Axis{Clock: "gpu",
		Start: []int64{0, 2065482, 2587497}, End: []int64{37991, 2094216, 2656667}})
	for name, want := range map[string]string{"dispatch": "2", "kernel": "vecCopy(double*, double*, double*, int, int)", "grid_size": "1048576", "workgroup_size": "256", "gpu": "0", "gpu_id": "1"} {
		l := c.Label(name)
		if l == nil {
			t.Fatalf("no label %s", name)
		}
		got, _ := l.Value(2)
		eq(t, name, got, want)
	}
	p, _ := c.Property("cu_per_gpu")
	eq(t, "cu_per_gpu", p, capture.Property{Name: "cu_per_gpu", Number: 32})
	eq(t, "device", c.Device.Name, "RDNA35_HALO")
	eq(t, "start", c.StartTime.UTC().Format("2006-01-02 15:04:05"), "2026-05-07 03:17:02")
}

func TestGfx1151DurationRules(t *testing.T) {
	dir := testfiles.Path(t, "captures", "gfx1151-vcopy")
	for rule, want := range map[string]float64{"": 166.31, "pass": 166.31, "median": 177.624, "first": 344.512} {
		c := openPath(t, dir, formats.Options{Duration: rule})
		ctr := c.Counter("TCP_GL1_REQ_READ_sum")
		ns := 0.0
		for i := range c.Len() {
			ns += ctr.Interval(i)
		}
		if got := ctr.Sum().Float() * 64 / ns; math.Abs(got-want) > 0.001 {
			t.Errorf("rule %q: read bandwidth %v GB/s, want %v", rule, got, want)
		}
		if a, b := ctr.PassID(), c.Counter("GCEA_PRB_REQ_sum").PassID(); a == b {
			t.Errorf("rule %q: counters of different passes both say pass %q", rule, a)
		}
	}
}

func TestGfx1151HazardsAreFlagged(t *testing.T) {
	c := openPath(t, testfiles.Path(t, "captures", "gfx1151-vcopy"), formats.Options{})
	var flagged []string
	for _, ctr := range c.Counters {
		if len(ctr.Warnings) > 0 {
			flagged = append(flagged, ctr.Name)
		}
	}
	slices.Sort(flagged)
	eq(t, "flagged counters", flagged, []string{"GRBM_CP_BUSY", "GRBM_SPI_BUSY", "TCP_REQ_MISS_sum", "TCP_REQ_READ_sum", "TCP_REQ_WRITE_sum", "TCP_REQ_sum"})
	eq(t, "the measured 0 stays", c.Counter("TCP_REQ_sum").Col.Data().U, []uint64{0, 0, 0})
	all := strings.Join(c.Warnings, "\n")
	for _, want := range []string{"TCP_REQ_sum", "TCP_REQ_MISS_sum", "clock gating", "GRBM_CP_BUSY, GRBM_SPI_BUSY: the same value"} {
		if !strings.Contains(all, want) {
			t.Errorf("the warnings do not say %q:\n%s", want, all)
		}
	}
	eq(t, "warnings", len(c.Warnings), 2)
}

func TestMeasuredPeaksAreTheMedianOfTheGPUs(t *testing.T) {
	c := openPath(t, testfiles.Path(t, "captures", "mi200-vcopy"), formats.Options{})
	for name, want := range map[string]float64{
		"HBMBw_empirical_peak": (1389.0227 + 1389.0236) / 2, "FP32Flops_empirical_peak": (20985.506 + 21032.83) / 2,
		"LDSBw_empirical_peak": (18220.432 + 18243.783) / 2, "MFMAI8Ops_empirical_peak": (166923.81 + 166970.84) / 2,
	} {
		p, ok := c.Property(name)
		if !ok || math.Abs(p.Number-want) > 1e-9*want {
			t.Errorf("%s is %v (%v), want %v", name, p.Number, ok, want)
		}
	}
	for _, name := range []string{"device_empirical_peak", "HBMBwLow_empirical_peak", "hbmBwHigh_empirical_peak"} {
		if _, ok := c.Property(name); ok {
			t.Errorf("there is a property %s", name)
		}
	}
	if _, ok := openPath(t, testfiles.Path(t, "captures", "mi100-vcopy"), formats.Options{}).Property("HBMBw_empirical_peak"); ok {
		t.Error("a folder without roofline.csv has a measured peak")
	}
}

func TestADamagedRooflineIsAWarning(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,20\n", "sysinfo.csv": sysinfo, "roofline.csv": "device,HBMBw\n"})
	wantWarning(t, c, `roofline.csv.*no row of values as long as the header.*the measured peaks are unknown`)
}

func TestMI200WideHasCountersInstancesAndLevels(t *testing.T) {
	c := openPath(t, testfiles.Path(t, "captures", "mi200-vcopy"), formats.Options{})
	eq(t, "samples", c.Len(), 3)
	eq(t, "gpu", c.GPU, "gfx90a")
	eq(t, "axis", c.Axis, &capture.Axis{Clock: "gpu", Start: []int64{0, 113760, 150880}, End: []int64{20480, 130080, 166400}})
	tcc := c.Counter("TCC_EA_WRREQ")
	if tcc == nil || len(tcc.Instances) != 32 {
		t.Fatalf("TCC_EA_WRREQ = %+v", tcc)
	}
	eq(t, "instance", tcc.Instances[3].Name+" "+tcc.Instances[3].Meta.Instance, "TCC_EA_WRREQ[3] 3")
	eq(t, "instance value", tcc.Instances[0].Value(0).Float(), 4096.0)
	// The channels were measured in other passes than the sum over all channels, so the two agree to about 0.1 percent only.
	if a, b := tcc.Value(1).Float(), c.Counter("TCC_EA_WRREQ_sum").Value(1).Float(); math.Abs(a-b) > b/500 {
		t.Errorf("the instances add up to %v, the sum counter is %v", a, b)
	}
	for name, want := range map[string][]uint64{
		"SQ_LEVEL_WAVES_ACCUM":    {44799316, 77475332, 79703012},
		"SQ_IFETCH_LEVEL_ACCUM":   {1540604, 1048652, 1048672},
		"SQ_INST_LEVEL_SMEM":      {172104, 225136, 237466},
		"SQ_INST_LEVEL_LDS_ACCUM": {0, 0, 0},
		"SQ_WAVES":                {16384, 16384, 16384},
	} {
		eq(t, name, c.Counter(name).Col.Data().U, want)
	}
	eq(t, "level pass", c.Counter("SQ_LEVEL_WAVES_ACCUM").PassID(), "SQ_LEVEL_WAVES")
	if a, b := c.Counter("SQ_WAVES").PassID(), c.Counter("SQ_INSTS_SMEM").PassID(); a == b || !strings.HasPrefix(a, "pmc_perf#") {
		t.Errorf("SQ_WAVES is from pass %q, SQ_INSTS_SMEM from %q", a, b)
	}
	eq(t, "duration", c.Counter("SQ_WAVES").Interval(0), 20480.0)
	if c.Counter("SQ_ACCUM_PREV_HIRES") != nil || c.Counter("wave_size_3") != nil || c.Counter("obj") != nil {
		t.Error("a column that is no counter became one")
	}
	if len(c.Warnings) != 2 || !strings.Contains(c.Warnings[1], "24 runs have the same times to the nanosecond") ||
		!strings.Contains(c.Warnings[0], "GRBM_GUI_ACTIVE: measured by several runs") && !strings.Contains(c.Warnings[0], "more: measured by several runs") {
		t.Errorf("warnings:\n%s", strings.Join(c.Warnings, "\n"))
	}
	// Each level file has counted cycles of its own, which AMD's panels divide the level by.
	for name, want := range map[string][]uint64{
		"GRBM_GUI_ACTIVE": {29465, 41616, 41603}, "GRBM_GUI_ACTIVE@SQ_LEVEL_WAVES": {27964, 40878, 40812}, "GRBM_GUI_ACTIVE@SQ_IFETCH_LEVEL": {27003, 41252, 40493},
	} {
		ctr := c.Counter(name)
		if ctr == nil {
			t.Fatalf("no counter %s", name)
		}
		eq(t, name, ctr.Col.Data().U, want)
	}
	p, _ := c.Property("num_hbm_channels")
	eq(t, "num_hbm_channels", p.Number, 32.0)
}

func TestMI300XLongInfersPassesWithoutGUID(t *testing.T) {
	dir := testfiles.Path(t, "captures", "mi300x-vcopy-long")
	c := openPath(t, dir, formats.Options{})
	eq(t, "samples", c.Len(), 3)
	eq(t, "passes", len(c.Passes), 12)
	eq(t, "gpu", c.GPU, "gfx942")
	cells, durations := longCells(t, filepath.Join(dir, "pmc_perf.csv"))
	checked := 0
	for k, v := range cells {
		i, _ := strconv.Atoi(k[1])
		base, id := splitInstance(k[0])
		ctr := c.Counter(base)
		if id != "" {
			at := slices.IndexFunc(ctr.Instances, func(in *capture.Counter) bool { return in.Name == k[0] })
			ctr = ctr.Instances[at]
		}
		if ctr.Value(i-1).Float() != v || ctr.Interval(i-1) != float64(durations[k]) {
			t.Errorf("%s[%d] = %v in %v ns, want %v in %v ns", k[0], i, ctr.Value(i-1).Float(), ctr.Interval(i-1), v, durations[k])
		}
		checked++
	}
	eq(t, "cells", checked, 6027)
	hit := c.Counter("TCC_HIT")
	if hit == nil || len(hit.Instances) != 128 {
		t.Fatalf("TCC_HIT = %+v", hit)
	}
	for name, want := range map[string]string{"dispatch": "0", "dispatch_id": "1", "gpu": "0", "gpu_id": "2"} {
		got, _ := c.Label(name).Value(0)
		eq(t, name, got, want)
	}
	for _, ctr := range c.Counters {
		if ctr.Pass == nil {
			t.Errorf("%s has no pass", ctr.Name)
		}
	}
}

func TestTheMainFileAloneOpensLikeItsFolder(t *testing.T) {
	dir := testfiles.Path(t, "captures", "mi200-vcopy")
	a, b := openPath(t, dir, formats.Options{}), openPath(t, filepath.Join(dir, "pmc_perf.csv"), formats.Options{})
	eq(t, "counters", len(b.Counters), len(a.Counters))
	eq(t, "warnings", b.Warnings, a.Warnings)
	eq(t, "gpu", b.GPU, a.GPU)
	eq(t, "name", b.Name, a.Name)
}

func BenchmarkOpenGfx1151(b *testing.B) {
	dir := testfiles.Path(b, "captures", "gfx1151-vcopy")
	for b.Loop() {
		openPath(b, dir, formats.Options{})
	}
}

func BenchmarkOpenMI300X(b *testing.B) {
	dir := testfiles.Path(b, "captures", "mi300x-vcopy-long")
	for b.Loop() {
		openPath(b, dir, formats.Options{})
	}
}
