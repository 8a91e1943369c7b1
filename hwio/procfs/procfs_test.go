package procfs

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// tree is a fixture of /proc and /sys that a test changes between reads.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T, files map[string]string) *tree {
	tr := &tree{t, t.TempDir()}
	for name, text := range files {
		tr.set(name, text)
	}
	return tr
}

func (tr *tree) set(name, text string) {
	tr.t.Helper()
	path := filepath.Join(tr.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	// Sensors are read in the background: the file is overwritten, so that none of them finds it empty for a moment.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		tr.t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(text), 0)
	if err := errors.Join(err, f.Truncate(int64(len(text))), f.Close()); err != nil {
		tr.t.Fatal(err)
	}
}

// values reads one sample of the stream and returns it by "name" or "name[instance]"; missing values are absent.
func values(t *testing.T, s hwio.Stream) (map[string]float64, *capture.Batch) {
	t.Helper()
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for i, c := range s.Schema().Columns {
		name := c.Meta.Name
		if c.Meta.Instance != "" {
			name += "[" + c.Meta.Instance + "]"
		}
		if b.Cols[i].Len() != 1 {
			t.Fatalf("%s has %d values", name, b.Cols[i].Len())
		}
		if !b.Cols[i].Missing(0) {
			out[name] = b.Cols[i].Float(0)
		}
	}
	return out, b
}

func baseline(t *testing.T, s hwio.Stream) {
	t.Helper()
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Cols {
		if b.Cols[i].Len() != 0 {
			t.Fatalf("the baseline delivered a value of column %d", i)
		}
	}
}

const stat0 = `cpu  300 0 300 3000 3 0 0 0 0 0
cpu0 100 1 100 1000 1 2 3 4 5 6
cpu1 200 0 200 2000 2 0 0 0 0 0
intr 5000 1 2 3
ctxt 777
btime 1700000000
processes 42
procs_running 3
procs_blocked 1
softirq 1 2 3
`

func machine(t *testing.T) *tree {
	return newTree(t, map[string]string{
		"proc/stat":                     stat0,
		"proc/loadavg":                  "0.52 0.10 0.05 1/93 5235\n",
		"proc/meminfo":                  "MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:    8192 kB\n",
		"proc/pressure/cpu":             "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/pressure/io":              "some avg10=0.00 avg60=0.00 avg300=0.00 total=20\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=10\n",
		"sys/devices/system/cpu/online": "0-1\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1800000\n",
		"sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_cur_freq": "2200000\n",
		"sys/class/thermal/thermal_zone0/type":                 "big\n",
		"sys/class/thermal/thermal_zone0/temp":                 "45500\n",
		"sys/class/thermal/thermal_zone1/type":                 "big\n",
		"sys/class/thermal/thermal_zone1/temp":                 "-1000\n",
		"sys/class/thermal/cooling_device0/type":               "fan\n",
		"sys/class/hwmon/hwmon0/name":                          "core-temp\n",
		"sys/class/hwmon/hwmon0/temp1_input":                   "61000\n",
		"sys/class/hwmon/hwmon0/temp1_label":                   "Package id 0\n",
		"sys/class/hwmon/hwmon0/fan2_input":                    "1200\n",
		"sys/class/hwmon/hwmon0/power1_average":                "15000000\n",
		"sys/class/hwmon/hwmon0/power1_input":                  "16000000\n",
		"sys/class/hwmon/hwmon0/temp9_input":                   "broken\n",
	})
}

func open(t *testing.T, tr *tree, patterns ...string) hwio.Stream {
	t.Helper()
	s, err := New(tr.dir).Open(t.Context(), hwio.Request{Counters: patterns, Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSamplesAreDifferencesOfTheKernelsCounts(t *testing.T) {
	tr := machine(t)
	s := open(t, tr)
	baseline(t, s)
	tr.set("proc/stat", `cpu  0 0 0 0
cpu0 103 1 100 1007 1 2 3 4 5 6
cpu1 200 0 201 2000 9 0 0 0 0 0
intr 5100 9 9 9
ctxt 800
processes 44
procs_running 7
procs_blocked 0
`)
	tr.set("proc/pressure/cpu", "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500\n")
	got, _ := values(t, s)
	want := map[string]float64{
		"cpu_user[0]": 30e6, "cpu_nice[0]": 0, "cpu_system[0]": 0, "cpu_idle[0]": 70e6, "cpu_iowait[0]": 0, "cpu_irq[0]": 0,
		"cpu_softirq[0]": 0, "cpu_steal[0]": 0, "cpu_guest[0]": 0,
		"cpu_user[1]": 0, "cpu_nice[1]": 0, "cpu_system[1]": 10e6, "cpu_idle[1]": 0, "cpu_iowait[1]": 70e6, "cpu_irq[1]": 0,
		"cpu_softirq[1]": 0, "cpu_steal[1]": 0, "cpu_guest[1]": 0,
		"intr": 100, "ctxt": 23, "processes": 2, "procs_running": 7, "procs_blocked": 0,
		"pressure_cpu_some": 500e3, "pressure_io_some": 0, "pressure_io_full": 0,
		"cpu_frequency[0]": 1.8e9, "cpu_frequency[1]": 2.2e9, "load_1m": 0.52, "mem_total": 16 << 20, "mem_available": 8 << 20,
		"temperature[big]": 45.5, "temperature[big_2]": -1,
		"hwmon_core_temp_Package_id_0": 61, "hwmon_core_temp_fan2": 1200, "hwmon_core_temp_power1": 15,
	}
	for name, v := range want {
		if g, ok := got[name]; !ok || math.Abs(g-v) > 1e-9*math.Abs(v) {
			t.Errorf("%s = %v (present: %v), want %v", name, g, ok, v)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("unexpected counters: %v", got)
	}
}

func TestMissingFilesMakeNoCounter(t *testing.T) {
	tr := newTree(t, map[string]string{"proc/stat": "cpu0 1 2 3 4\nctxt 5\n"})
	metas, err := New(tr.dir).Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range metas {
		names = append(names, m.Name)
		if m.Doc == "" || m.Title == "" || m.GPU != "cpu" || m.Source != "procfs" || m.Instance != "" {
			t.Errorf("incomplete description: %+v", m)
		}
	}
	if want := []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_idle", "ctxt"}; !slices.Equal(names, want) {
		t.Errorf("counters = %v, want %v", names, want)
	}
}

func TestWhatCannotBeReadIsMissingWithAReason(t *testing.T) {
	tr := machine(t)
	s := open(t, tr, "cpu_idle", "ctxt", "pressure_cpu_some", "procs_running")
	baseline(t, s)
	// CPU 1 goes offline, the count of context switches is unreadable, idle time goes back, the pressure file is empty.
	tr.set("proc/stat", "cpu0 100 1 100 999 1\nctxt many\nprocs_running 2\n")
	tr.set("proc/pressure/cpu", "")
	got, b := values(t, s)
	if len(got) != 1 || got["procs_running"] != 2 {
		t.Errorf("values = %v, want only procs_running", got)
	}
	if len(b.Reasons) != 4 {
		t.Fatalf("reasons = %+v", b.Reasons)
	}
	texts := ""
	for _, r := range b.Reasons {
		texts += r.Reason.Text + "\n"
	}
	for _, want := range []string{"CPU 1", "went back", "/proc/stat did not hold", "pressure file"} {
		if !strings.Contains(texts, want) {
			t.Errorf("no reason says %q:\n%s", want, texts)
		}
	}
	// The sample after a missing one has no baseline of its own and is missing too; the one after that is there again.
	tr.set("proc/stat", stat0)
	if got, _ = values(t, s); len(got) != 2 || got["cpu_idle[0]"] != 10e6 {
		t.Errorf("values = %v, want procs_running and cpu_idle[0]", got)
	}
	if got, _ = values(t, s); got["ctxt"] != 0 || len(got) != 4 {
		t.Errorf("values = %v", got)
	}
}

func TestSensorsAreReadInTheBackgroundAndHeld(t *testing.T) {
	tr := machine(t)
	s := open(t, tr, "temperature")
	baseline(t, s)
	tr.set("sys/class/thermal/thermal_zone0/temp", "50000\n")
	deadline := time.Now().Add(5 * time.Minute)
	for {
		got, _ := values(t, s)
		if got["temperature[big]"] == 50 {
			break
		}
		if got["temperature[big]"] != 45.5 {
			t.Fatalf("temperature = %v, neither the old nor the new value", got)
		}
		if time.Now().After(deadline) {
			t.Fatal("the new temperature never came")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestPatternsChooseCountersAndUnknownOnesMatchNothing(t *testing.T) {
	tr := machine(t)
	s := open(t, tr, "CPU-user", "mem_*")
	var names []string
	for _, c := range s.Schema().Columns {
		names = append(names, c.Meta.Name+c.Meta.Instance)
	}
	if want := []string{"cpu_user0", "cpu_user1", "mem_total", "mem_available"}; !slices.Equal(names, want) {
		t.Errorf("columns = %v, want %v", names, want)
	}
	if _, err := New(tr.dir).Open(t.Context(), hwio.Request{Counters: []string{"cycles"}}); !errors.Is(err, hwio.ErrNoMatch) {
		t.Errorf("err = %v, want ErrNoMatch", err)
	}
}

func TestProbeAndDiagnoseSayWhatIsMissing(t *testing.T) {
	src := New(newTree(t, nil).dir)
	if st := src.Probe(t.Context()); st.Usable || st.Reason == "" {
		t.Errorf("status of an empty tree = %+v", st)
	}
	src = New(newTree(t, map[string]string{"proc/stat": "cpu0 1 2 3 4\nctxt 5\n"}).dir)
	if st := src.Probe(t.Context()); !st.Usable || st.GPU != "cpu" || !strings.HasPrefix(st.Details[0], "1 CPU in 1 cluster;") {
		t.Errorf("status = %+v", st)
	}
	usable := 0
	for _, f := range src.Diagnose(t.Context()) {
		if f.Usable {
			usable++
		} else if f.Reason == "" {
			t.Errorf("finding without a reason: %+v", f)
		}
	}
	if usable != 1 {
		t.Errorf("%d findings are usable, want only the processor times", usable)
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	tr := machine(t)
	s := open(t, tr)
	baseline(t, s)
	b := capture.NewBatch(s.Schema(), 1)
	if err := s.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(50, func() {
		b.Reset()
		if err := s.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("a read allocates %v times", n)
	}
}

func TestUserHZComesFromTheAuxiliaryVector(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the fixture is a 64-bit little-endian vector")
	}
	pair := func(k, v byte) string { return string([]byte{k, 0, 0, 0, 0, 0, 0, 0, v, 0, 0, 0, 0, 0, 0, 0}) }
	tr := newTree(t, map[string]string{"proc/stat": stat0, "proc/self/auxv": pair(6, 9) + pair(17, 250) + pair(0, 0)})
	s := open(t, tr, "cpu_user")
	baseline(t, s)
	tr.set("proc/stat", strings.Replace(stat0, "cpu0 100", "cpu0 101", 1))
	if got, _ := values(t, s); got["cpu_user[0]"] != 4e6 {
		t.Errorf("one unit of 1/250 s is %v ns", got["cpu_user[0]"])
	}
}

func TestThisMachinesTimesAreThoseOfTheKernel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	s, err := New("").Open(t.Context(), hwio.Request{Counters: []string{"cpu_*", "ctxt"}, Period: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// Each value grew by no less than /proc/stat itself says between the two reads, and by no more than it says around them: however long they take.
	before, start := rawStat(t), time.Now()
	baseline(t, s)
	begun := rawStat(t)
	time.Sleep(100 * time.Millisecond)
	done := rawStat(t)
	got, _ := values(t, s)
	after, wall := rawStat(t), float64(time.Since(start).Nanoseconds())
	if got["ctxt"] < 1 {
		t.Errorf("ctxt = %v", got["ctxt"])
	}
	for _, c := range s.Schema().Columns {
		if c.Meta.Name != "cpu_user" {
			continue
		}
		var sum float64
		for k, name := range []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"} {
			key := fmt.Sprintf("cpu_%s[%s]", name, c.Meta.Instance)
			in := func(stat map[string][]float64) float64 { return stat["cpu"+c.Meta.Instance][k] * 10e6 }
			v, ok := got[key]
			if !ok {
				continue // idle times may go back, and are missing then
			}
			// Idle time is estimated anew for every reader.
			if least, most := in(done)-in(begun)-10e6, in(after)-in(before)+10e6; v < least || v > most {
				t.Errorf("%s grew by %v ms, by %v to %v in the file", key, v/1e6, least/1e6, most/1e6)
			}
			sum += v
		}
		// Each of the eight is cut to 10 ms, at both ends.
		if sum > wall+160e6 {
			t.Errorf("CPU %s: the times add up to %.0f ms of %.0f", c.Meta.Instance, sum/1e6, wall/1e6)
		}
	}
}

// rawStat is /proc/stat as it stands, in units of 10 ms.
func rawStat(t *testing.T) map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]float64{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 9 || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		for _, word := range f[1:9] {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			out[f[0]] = append(out[f[0]], v)
		}
	}
	return out
}

func FuzzStat(f *testing.F) {
	f.Add([]byte(stat0))
	f.Add([]byte("cpu0 99999999999999999999 1\ncpu1\ncpu\ncpu 1"))
	f.Add([]byte("ctxt \nintr 18446744073709551615"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStat([]int{0, 1, 5})
		s.parse(data)
		for row, n := range s.fields {
			if n < 0 || n > statFields {
				t.Fatalf("row %d has %d fields", row, n)
			}
		}
	})
}

func FuzzTexts(f *testing.F) {
	f.Add([]byte("some avg10=0.00 total=12\nfull avg10=0.00 total=13\n"))
	f.Add([]byte("MemTotal:       16384 kB\n"))
	f.Add([]byte("-42000\n"))
	f.Add([]byte("0.52 0.10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		pressure(data)
		if v := meminfo(data, "MemTotal"); v < 0 {
			t.Fatalf("memory of %v bytes", v)
		}
		if v := load(data); v < 0 {
			t.Fatalf("load of %v", v)
		}
		reading(data)
	})
}

func BenchmarkReadThisMachine(b *testing.B) {
	s, err := New("").Open(b.Context(), hwio.Request{Period: time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	batch := capture.NewBatch(s.Schema(), 1)
	b.ReportAllocs()
	for b.Loop() {
		batch.Reset()
		if err := s.Read(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}
