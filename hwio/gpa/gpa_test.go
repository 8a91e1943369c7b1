package gpa

import (
	"runtime"
	"strings"
	"testing"

	"astrolabe/hwio"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/standin"
	"astrolabe/hwio/internal/vendorproc"
)

// stand puts a stand-in in the library's place.
func stand(t *testing.T, fault string, defines ...string) *Source {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: libraries are loaded on Linux only")
	}
	t.Setenv(vendorproc.Variable, programs.Path(t, "astrolabe/hwio/vendorlib"))
	t.Setenv(libraryVariable, standin.Library(t, standin.GPA, defines...))
	t.Setenv(deviceVariable, "1002:1586:c1")
	t.Setenv(apiVariable, "")
	t.Setenv("STANDIN_GPA", fault)
	return New("")
}

func TestEveryInterfaceListsCountersAndPasses(t *testing.T) {
	for define, c := range map[string]struct{ interface_, device, timeType string }{
		"":              {"counter library", "1002:1586 revision c1, vulkan", "float64"},
		"STANDIN_TABLE": {"function table", "Stand-in Radeon", "float64"},
		"STANDIN_FLAT":  {"flat functions", "", "float64"},
	} {
		var defines []string
		if define != "" {
			defines = []string{define}
		}
		s := stand(t, "", defines...)
		info, err := s.list(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.interface_, err)
			continue
		}
		if !strings.HasPrefix(info.Interface, c.interface_) || info.Device != c.device || info.Passes != 4 {
			t.Errorf("%s: %q for %q, %d passes", c.interface_, info.Interface, info.Device, info.Passes)
		}
		want := []vendorproc.GPACounter{
			{Name: "GPUTime", Group: "Timing", Doc: "Time from the beginning to the end of the work, in milliseconds.", Type: c.timeType, Usage: "milliseconds", Passes: 1},
			{Name: "GPUBusy", Group: "Timing", Doc: "Percentage of time in which the GPU was busy.", Type: c.timeType, Usage: "percentage", Passes: 1},
			{Name: "TexUnitBusy", Group: "Timing", Doc: "Percentage of time in which the texture unit was active.", Type: c.timeType, Usage: "percentage", Passes: 2},
			{Name: "CSThreads", Group: "ComputeShader", Doc: "Number of threads.", Type: c.timeType, Usage: "items", Passes: 1},
			{Name: "FetchSize", Group: "GlobalMemory", Doc: "Data fetched from video memory, in bytes.", Type: c.timeType, Usage: "bytes", Passes: 3},
			{Name: "Wavefronts", Group: "ComputeShader", Doc: "Number of wavefronts.", Type: c.timeType, Usage: "items", Passes: 1},
		}
		if len(info.Counters) != len(want) {
			t.Errorf("%s: %d counters", c.interface_, len(info.Counters))
			continue
		}
		for i, w := range want {
			if info.Counters[i] != w {
				t.Errorf("%s: counter %d is %+v, want %+v", c.interface_, i, info.Counters[i], w)
			}
		}
	}
}

func TestProbeAndCountersShowPasses(t *testing.T) {
	s := stand(t, "")
	st := s.Probe(t.Context())
	details := strings.Join(st.Details, "\n")
	if st.Usable || !strings.Contains(details, "6 counters") || !strings.Contains(details, "need 4 passes") || !strings.Contains(st.Reason, "inside the application") {
		t.Errorf("%+v", st)
	}
	list, err := s.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := list[2]; m.Name != "TexUnitBusy" || m.Unit != "percent" || m.Block != "Timing" || !strings.HasSuffix(m.Doc, "(float64, 2 passes)") {
		t.Errorf("%+v", m)
	}
}

func TestOpenSaysWhatToDoInstead(t *testing.T) {
	s := stand(t, "")
	_, err := s.Open(t.Context(), hwio.Request{})
	if err == nil || !strings.Contains(err.Error(), "inside the application") || !strings.Contains(err.Error(), "CSV") {
		t.Errorf("Open: %v", err)
	}
}

func TestWhatIsMissingIsExplained(t *testing.T) {
	check := func(name string, s *Source, want ...string) {
		t.Helper()
		st := s.Probe(t.Context())
		for _, w := range want {
			if st.Usable || !strings.Contains(st.Reason+"; "+st.Fix, w) {
				t.Errorf("%s: %+v does not say %q", name, st, w)
			}
		}
	}
	check("another version", stand(t, "version"), "version 4", "version 3", libraryVariable)
	s := stand(t, "")
	t.Setenv(deviceVariable, "1002:dead")
	check("a GPU that the library does not know", s, "hardware not supported", deviceVariable)
	t.Setenv(deviceVariable, "Radeon")
	check("a device that is no number", s, "VENDOR:DEVICE")
	t.Setenv(deviceVariable, "1002:xyz")
	check("a device that is no number", s, "xyz")
	t.Setenv(deviceVariable, "1002:1586:c1")
	t.Setenv(apiVariable, "metal")
	check("an API that GPA does not have", s, "metal", "vulkan")
	check("no GPU for a context", stand(t, "no-context", "STANDIN_FLAT"), "OpenCL finds no GPU", "libGPUPerfAPICounters.so")
	s = stand(t, "")
	t.Setenv(libraryVariable, "/nowhere/libGPUPerfAPICounters.so")
	check("no library", s, "/nowhere")
	t.Setenv(vendorproc.Variable, "/nowhere/astrolabe-vendorlib")
	check("no second program", s, "go build -o astrolabe-vendorlib ./hwio/vendorlib")
	if runtime.GOOS == "linux" {
		t.Setenv(libraryVariable, standin.Library(t, standin.Rocprofiler))
		t.Setenv(vendorproc.Variable, programs.Path(t, "astrolabe/hwio/vendorlib"))
		check("another library", New(""), "neither")
	}
}

func TestNanosecondsTellThatCountersAreOfRDNA(t *testing.T) {
	for usage, want := range map[string]string{"milliseconds": "amd-gpa", "nanoseconds": "amd-gpa-rdna"} {
		info := &vendorproc.GPAInfo{Counters: []vendorproc.GPACounter{{Name: "GPUBusy", Usage: "percentage"}, {Name: "GPUTime", Usage: usage}}}
		if got := catalogueOf(info); got != want {
			t.Errorf("times in %s are of %s, want %s", usage, got, want)
		}
	}
}
