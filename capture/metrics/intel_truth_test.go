package metrics

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

// oaTruth is the truth file of the sample recording.
type oaTruth struct {
	Counters  map[string]struct{ Type, Unit string }
	Total     oaGroup
	Contexts  map[string]oaGroup
	Intervals struct{ Values map[string][]float64 }
}

type oaGroup struct {
	Raw struct {
		Time  uint64 `json:"gpu_time"`
		Clock uint64 `json:"gpu_clock"`
		A     []uint64
		B     []uint64
		C     []uint64
	}
	Values map[string]float64
}

func readTruth(t testing.TB) *oaTruth {
	t.Helper()
	truth := &oaTruth{}
	testfiles.JSON(t, truth, "vectors", "intel_sample.truth.json")
	return truth
}

// oaCapture makes a capture of raw counters, one row per sample, as a reader would.
func oaCapture(t testing.TB, set string, rows map[string][]uint64) *capture.Capture {
	t.Helper()
	f := newFixture("intel-kbl-gt2", len(rows["TIMESTAMP"]))
	for _, name := range rawNames() {
		if v, ok := rows[name]; ok {
			c := f.add(name)
			c.Col = capture.NewColumn(capture.Data{U: v})
		}
	}
	for name, v := range map[string]float64{"EuCoresTotalCount": 24, "EuSlicesTotalCount": 1, "EuSubslicesTotalCount": 3, "SliceMask": 1, "SubsliceMask": 7, "GpuMaxFrequency": 1.15e9} {
		f.property(name, v)
	}
	if set != "" {
		f.cfg.Properties = append(f.cfg.Properties, capture.Property{Name: "metric_set", Text: set, IsText: true})
	}
	return f.capture(t)
}

func rawNames() []string {
	out := []string{"TIMESTAMP", "GPU_TICKS"}
	for i := range 36 {
		out = append(out, fmt.Sprintf("A%d", i))
	}
	for i := range 8 {
		out = append(out, fmt.Sprintf("B%d", i), fmt.Sprintf("C%d", i))
	}
	return out
}

func checkOA(t *testing.T, what string, truth *oaTruth, symbol string, got, want float64) {
	t.Helper()
	ok := got == want
	if truth.Counters[symbol].Type == "float" {
		ok = math.Abs(got-want) <= 1e-9*math.Abs(want)
	}
	if !ok {
		t.Errorf("%s %s = %v, want %v", what, symbol, got, want)
	}
}

func TestSampleRecordingHasTheTrueTotals(t *testing.T) {
	truth := readTruth(t)
	groups := map[string]oaGroup{"total": truth.Total}
	for name, g := range truth.Contexts {
		groups[name] = g
	}
	compared := 0
	for what, g := range groups {
		rows := map[string][]uint64{"TIMESTAMP": {g.Raw.Time}, "GPU_TICKS": {g.Raw.Clock}}
		for bank, values := range map[string][]uint64{"A": g.Raw.A, "B": g.Raw.B, "C": g.Raw.C} {
			for i, v := range values {
				rows[bank+strconv.Itoa(i)] = []uint64{v}
			}
		}
		cap := oaCapture(t, "RenderBasic", rows)
		for symbol, want := range g.Values {
			c, err := Resolve(cap, symbol)
			if err != nil {
				t.Fatal(err)
			}
			checkOA(t, what, truth, symbol, c.Total().Float(), want)
			checkOA(t, what, truth, symbol, c.Value(0).Float(), want)
			compared++
		}
		metrics, err := Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		if len(metrics) != len(g.Values) {
			t.Errorf("a capture of set RenderBasic has %d metrics, the set %d", len(metrics), len(g.Values))
		}
	}
	t.Logf("%d values", compared)
}

// sampleReports decodes the A, B and C deltas of consecutive reports of the sample recording.
func sampleReports(t testing.TB) map[string][]uint64 {
	t.Helper()
	data := testfiles.Read(t, "vectors", "intel_sample.record")
	word := func(r []byte, dw int) uint64 { return uint64(binary.LittleEndian.Uint32(r[4*dw:])) }
	rows := map[string][]uint64{}
	var last []byte
	for len(data) >= 8 {
		kind, size := binary.LittleEndian.Uint32(data), int(binary.LittleEndian.Uint16(data[6:]))
		if kind == 1 {
			r := data[8:size]
			if last != nil {
				add := func(name string, dw int) { rows[name] = append(rows[name], (word(r, dw)-word(last, dw))&(1<<32-1)) }
				add("TIMESTAMP", 1)
				add("GPU_TICKS", 3)
				for i := range 32 {
					value := func(r []byte) uint64 { return word(r, 4+i) | uint64(r[160+i])<<32 }
					name := fmt.Sprintf("A%d", i)
					rows[name] = append(rows[name], (value(r)-value(last))&(1<<40-1))
				}
				for i := range 4 {
					add(fmt.Sprintf("A%d", 32+i), 36+i)
				}
				for i := range 8 {
					add(fmt.Sprintf("B%d", i), 48+i)
					add(fmt.Sprintf("C%d", i), 56+i)
				}
			}
			last = r
		}
		data = data[size:]
	}
	return rows
}

func TestSampleRecordingHasTheTrueIntervals(t *testing.T) {
	truth := readTruth(t)
	cap := oaCapture(t, "RenderBasic", sampleReports(t))
	compared := 0
	for symbol, want := range truth.Intervals.Values {
		c, err := Resolve(cap, "RenderBasic/"+symbol)
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != len(want) {
			t.Fatalf("%d samples, want %d", c.Len(), len(want))
		}
		for i, v := range c.Floats() {
			checkOA(t, fmt.Sprint("interval ", i), truth, symbol, v, want[i])
			compared++
		}
		checkOA(t, "total", truth, symbol, c.Total().Float(), truth.Total.Values[symbol])
	}
	t.Logf("%d values", compared)
}

func TestRealGen9RowsKeepTheirIdentities(t *testing.T) {
	rows, rates := 0, 0
	for _, row := range testfiles.Rows(t, "intel-rows", "oneprof_gen9_rows.csv") {
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(row[name], 64)
			if err != nil {
				return math.NaN()
			}
			return v
		}
		if strings.HasPrefix(row["mode"], "Aggregated") || row["GpuTime"] == "" || row["GpuCoreClocks"] == "" {
			continue
		}
		f := newFixture("intel-kbl-gt2", 1)
		for _, name := range []string{"GpuTime", "GpuCoreClocks", "ShaderMemoryAccesses"} {
			f.add(name, number(name))
		}
		f.add("A30", 0)
		f.add("A31", 0)
		cap := f.capture(t)
		c, err := Resolve(cap, "ComputeBasic/AvgGpuCoreFrequency")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := math.Floor(c.Value(0).Float()/1e6), number("AvgGpuCoreFrequencyMHz"); got != want {
			t.Errorf("frequency %v, oneprof printed %v", got, want)
		}
		if row["L3ShaderThroughput"] != "" && row["SlmBytesRead"] == "0" && row["SlmBytesWritten"] == "0" {
			c, err := Resolve(cap, "ComputeBasic/L3ShaderThroughput")
			if err != nil || c.Value(0).Float() != number("L3ShaderThroughput") {
				t.Errorf("L3ShaderThroughput %v, oneprof printed %v (%v)", c.Value(0), row["L3ShaderThroughput"], err)
			}
		}
		if row["EuAvgIpcRate"] != "" {
			// The rate does not depend on the scale of its counters, which the percentages have lost.
			f := newFixture("intel-kbl-gt2", 1)
			for counter, name := range map[string]string{"A9": "EuFpuBothActive", "A10": "Fpu0Active", "A11": "Fpu1Active"} {
				f.add(counter, math.Round(number(name)*1e9))
			}
			c, err := Resolve(f.capture(t), "ComputeBasic/EuAvgIpcRate")
			if want := number("EuAvgIpcRate"); err != nil || want != 0 && math.Abs(c.Value(0).Float()-want) > 2e-3 {
				t.Errorf("EuAvgIpcRate %v, oneprof printed %v (%v)", c.Value(0), want, err)
			}
			rates++
		}
		rows++
	}
	t.Logf("%d rows, %d rates", rows, rates)
	if rates < 20 {
		t.Errorf("only %d rows have the counters of the IPC rate", rates)
	}
	if rows < 20 {
		t.Errorf("only %d rows are of single reports", rows)
	}
}

func TestRealKabyLakeRowsKeepTheirIdentity(t *testing.T) {
	text := testfiles.Read(t, "intel-rows", "gputop_kblgt2_renderbasic.txt")
	rows := 0
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, ",")
		if len(cells) != 6 {
			continue
		}
		misses, err := strconv.ParseFloat(strings.TrimSpace(cells[3]), 64)
		if err != nil {
			t.Fatal(err)
		}
		var shown float64
		var unit string
		if _, err := fmt.Sscan(cells[4], &shown, &unit); err != nil {
			t.Fatal(err)
		}
		shown *= map[string]float64{"MiB": 1 << 20, "GiB": 1 << 30}[unit]
		f := newFixture("intel-kbl-gt2", 1)
		f.add("C4", misses)
		c, err := Resolve(f.capture(t), "RenderBasic/GtiL3Throughput")
		if got := c.Value(0).Float(); err != nil || math.Abs(got-shown) > 1e-3*shown {
			t.Errorf("GtiL3Throughput %v, gputop showed %s (%v)", got, cells[4], err)
		}
		rows++
	}
	if rows != 9 {
		t.Errorf("%d rows", rows)
	}
}
