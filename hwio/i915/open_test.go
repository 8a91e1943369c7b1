package i915

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

func newFake(t testing.TB) (*Source, *fakeKernel) {
	f := kabyLake(t, "0x5912", "i915")
	k := newFakeKernel(f)
	return &Source{root: sysroot.At(f.root), k: k}, k
}

func request(options map[string]string) hwio.Request {
	return hwio.Request{Period: time.Millisecond, Options: options}
}

// released fails where something was left behind.
func (k *fakeKernel) released(t *testing.T) {
	t.Helper()
	if k.live != 0 || len(k.configs) != 0 {
		t.Errorf("%d open nodes or streams and configs %v were left behind; calls %q", k.live, k.configs, k.calls)
	}
}

func TestOpenStreamHasTheAskedProperties(t *testing.T) {
	s, k := newFake(t)
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	if k.flags != openCloexec|openNonblock|openDisabled {
		t.Errorf("flags = %#x", k.flags)
	}
	for id, want := range map[uint64]uint64{propSampleOA: 1, propMetricsSet: 8, propFormat: 10, propExponent: 12, propPollPeriod: 1e6} {
		if got := k.property(id); got != want {
			t.Errorf("property %d = %d, want %d", id, got, want)
		}
	}
	if k.configs[8] != "99c1a40e-a090-4354-86e3-4d068bb1917e" || !slices.Equal(k.opened, []string{s.root.Path("/dev/dri/renderD129")}) {
		t.Errorf("configs %v, opened %q", k.configs, k.opened)
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if want := []string{"open", "query", "add", "stream", "disable", "closestream", "remove", "close"}; !slices.Equal(k.calls, want) {
		t.Errorf("calls = %q, want %q", k.calls, want)
	}
	k.released(t)
}

func TestOldDriversAreNotAskedForWhatTheyLack(t *testing.T) {
	s, k := newFake(t)
	k.params[paramPerfRev] = 4
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if len(k.props) != 8 || k.property(propPollPeriod) != 0 {
		t.Errorf("properties = %d", k.props)
	}
}

func TestLoadedSetIsUsedAndLeftAlone(t *testing.T) {
	s, k := newFake(t)
	guid := "cd4b577b-073a-423f-a948-e198dd818c71"
	k.tree.file("/sys/class/drm/card0/metrics/"+guid+"/id", "1\n")
	st, err := s.Open(t.Context(), request(map[string]string{"set": "test_oa"}))
	if err != nil {
		t.Fatal(err)
	}
	if k.property(propMetricsSet) != 1 {
		t.Errorf("set %d", k.property(propMetricsSet))
	}
	if err := st.Close(); err != nil || slices.Contains(k.calls, "add") || slices.Contains(k.calls, "remove") {
		t.Errorf("%v, calls %q", err, k.calls)
	}
	k.released(t)
}

func TestSetThatAnotherProgramLoadsAtTheSameTimeIsShared(t *testing.T) {
	s, k := newFake(t)
	guid := "99c1a40e-a090-4354-86e3-4d068bb1917e"
	k.errs["add"] = syscall.EADDRINUSE
	k.onAdd = func() { k.tree.file("/sys/class/drm/card0/metrics/"+guid+"/id", "3\n") }
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil || k.property(propMetricsSet) != 3 || slices.Contains(k.calls, "remove") {
		t.Errorf("%v, set %d, calls %q", err, k.property(propMetricsSet), k.calls)
	}
	// It never shows up: the search ends.
	k.onAdd = nil
	k.tree.remove("/sys/class/drm/card0/metrics/" + guid)
	_, err = s.Open(t.Context(), request(nil))
	wantText(t, err, "cannot load the registers", "address already in use")
	k.released(t)
}

func TestSetThatAnotherProgramRemovesAtTheSameTimeIsLoadedAgain(t *testing.T) {
	s, k := newFake(t)
	path := "/sys/class/drm/card0/metrics/99c1a40e-a090-4354-86e3-4d068bb1917e"
	k.tree.file(path+"/id", "3\n")
	k.errs["stream"] = syscall.EINVAL
	k.onStream = func() {
		k.tree.remove(path)
		k.onStream, k.errs["stream"] = nil, nil
	}
	// The first try fails with the removed set, the second loads it.
	st, err := s.Open(t.Context(), request(nil))
	if err != nil {
		t.Fatal(err)
	}
	if k.property(propMetricsSet) != 8 {
		t.Errorf("set %d", k.property(propMetricsSet))
	}
	if err := st.Close(); err != nil {
		t.Error(err)
	}
	k.released(t)
}

func TestKeptConfigStays(t *testing.T) {
	s, k := newFake(t)
	st, err := s.Open(t.Context(), request(map[string]string{"keep-config": "yes"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil || len(k.configs) != 1 || k.live != 0 {
		t.Errorf("%v, configs %v, %d live", err, k.configs, k.live)
	}
}

func TestRefusalsOfTheKernelAreExplainedAndLeaveNothing(t *testing.T) {
	holder := func(k *fakeKernel) {
		k.tree.link("/proc/4711/fd/3", "anon_inode:[i915_perf]")
		k.tree.file("/proc/4711/comm", "vtune\n")
	}
	for _, c := range []struct {
		name, call string
		err        error
		change     func(*fakeKernel)
		options    map[string]string
		want       []string
	}{
		{"node", "open", &os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, nil, nil, []string{"/dev/dri/renderD129 may not be opened", "usermod -aG render"}},
		{"no node", "open", syscall.ENOENT, nil, nil, []string{"device node /dev/dri/renderD129 is not there", "--device /dev/dri/renderD129"}},
		{"no node", "open", syscall.ENODEV, nil, nil, []string{"the GPU is gone"}},
		{"config", "add", syscall.EACCES, nil, nil, []string{"permission denied", "dev.i915.perf_stream_paranoid is 1", "sudo sysctl dev.i915.perf_stream_paranoid=0", "setcap cap_perfmon+ep"}},
		{"config", "add", syscall.EINVAL, nil, nil, []string{"rejects the registers of metric set RenderBasic", "newer kernel"}},
		{"config", "add", intel.ErrNotSupported, nil, nil, []string{"no performance interface", "ENOTSUPP"}},
		{"paranoid", "stream", syscall.EACCES, func(k *fakeKernel) { k.tree.file("/proc/self/status", "CapEff:\t0000000000000000\n") }, nil, []string{"permission denied", "perf_stream_paranoid=0", "or run it as root"}},
		{"rate", "stream", syscall.EACCES, func(k *fakeKernel) {
			k.tree.file("/proc/self/status", "CapEff:\t0000000000000000\n")
			k.tree.file(paranoidFile, "0\n")
		}, map[string]string{"exponent": "3"}, []string{"a report every 1.333µs is more than the 100000 a second", "oa_max_sample_rate=750001"}},
		{"busy", "stream", syscall.EBUSY, holder, nil, []string{"another program measures this GPU", "process 4711 (vtune)", "device or resource busy"}},
		{"busy, unknown", "stream", syscall.EBUSY, nil, nil, []string{"serves one at a time", "end the other profiler"}},
		{"properties", "stream", syscall.EINVAL, nil, nil, []string{"rejects a stream of metric set RenderBasic (its number 8) in format A32u40_A4u32_B8_C8 with exponent 12"}},
		{"no unit", "stream", syscall.ENODEV, nil, nil, []string{"cannot use this GPU's OA unit"}},
		{"no perf", "stream", intel.ErrNotSupported, nil, nil, []string{"no performance interface", "4.14", "error 524"}},
		{"files", "stream", syscall.EMFILE, nil, nil, []string{"ulimit -n"}},
		{"other", "stream", syscall.ENOMEM, nil, nil, []string{"cannot open a stream of reports", "cannot allocate memory"}},
	} {
		s, k := newFake(t)
		k.errs[c.call] = c.err
		if c.change != nil {
			c.change(k)
		}
		_, err := s.Open(t.Context(), request(c.options))
		t.Run(c.name, func(t *testing.T) {
			wantText(t, err, c.want...)
			k.released(t)
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	s, k := newFake(t)
	for _, c := range []struct {
		options map[string]string
		want    []string
	}{
		{map[string]string{"set": "RenderBasik"}, []string{"RenderBasik", "did you mean", "RenderBasic"}},
		{map[string]string{"format": "A99"}, []string{"A99", "A32u40_A4u32_B8_C8"}},
		{map[string]string{"exponent": "25"}, []string{"0 to 24"}},
		{map[string]string{"exponent": "-1"}, []string{"0 to 24"}},
		{map[string]string{"exponent": "20", "format": "A12_B8_C8"}, []string{"0 to 19"}},
		{map[string]string{"card": "card9"}, []string{"no card of Intel is called \"card9\"", "card0 ("}},
		{map[string]string{"sseu": "1/2"}, []string{"want SLICES/SUBSLICES/EUS"}},
		{map[string]string{"sseu": "1/0/8"}, []string{"want SLICES/SUBSLICES/EUS"}},
		{map[string]string{"keep-config": "perhaps"}, []string{"yes or no"}},
		{map[string]string{"poll": "10us"}, []string{"poll \"10us\" is no time from 100µs"}},
		{map[string]string{"hold-preemption": "yes"}, []string{"only for a stream of that context"}},
		{map[string]string{"format": "MPEC8u32_B8_C8"}, []string{"reports of metric set RenderBasic", "have the format A32u40_A4u32_B8_C8 or A12"}},
		{map[string]string{"colour": "red"}, []string{"no option \"colour\""}},
	} {
		_, err := s.Open(t.Context(), request(c.options))
		wantText(t, err, c.want...)
	}
	if len(k.calls) != 0 {
		t.Errorf("calls %q before the options were checked", k.calls)
	}
	var names []string
	for _, o := range s.Options() {
		names = append(names, o.Name)
	}
	if !slices.Equal(names, []string{"set", "card", "engine", "format", "flex", "exponent", "sseu", "poll", "hold-preemption", "keep-config"}) {
		t.Errorf("options %q", names)
	}
}

func TestWhatOpenWouldRefuseIsKnownBefore(t *testing.T) {
	s, k := newFake(t)
	for set, want := range map[string]string{"RenderBasc": "did you mean RenderBasic?", "RenderBasic": ""} {
		err := s.Check(request(map[string]string{"set": set}))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("set %s: error is %v", set, err)
		}
	}
	r := request(map[string]string{"set": "ComputeBasic"})
	r.Counters = []string{"SamplersBusy"}
	if err := s.Check(r); err == nil || !strings.Contains(err.Error(), "does not have it") {
		t.Errorf("error is %v", err)
	}
	if len(k.calls) != 0 {
		t.Errorf("the driver was asked: %q", k.calls)
	}
}

func TestPeriodStaysWithinWhatTheCountersAndTheKernelAllow(t *testing.T) {
	for _, c := range []struct {
		period     time.Duration
		format     string
		privileged bool
		want       uint64
		warning    string
	}{
		{time.Millisecond, "10", true, 12, ""},
		{50 * time.Microsecond, "10", false, 8, ""},
		{time.Hour, "10", true, 24, "a report every 2.796202666s, not every 1h0m0s"},
		{time.Hour, "A12", true, 19, "wrap"},
		{10 * time.Second, "C4_B8", true, 24, "wrap"},
		{time.Microsecond, "10", true, 2, ""},
		{time.Microsecond, "10", false, 6, "oa_max_sample_rate allows 100000 a second"},
	} {
		s, k := newFake(t)
		if !c.privileged {
			k.tree.file("/proc/self/status", "CapEff:\t0000000000000000\n")
		}
		r := request(map[string]string{"format": c.format})
		r.Period = c.period
		st, err := s.Open(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.property(propExponent); got != c.want {
			t.Errorf("%v %s: exponent %d, want %d", c.period, c.format, got, c.want)
		}
		warnings := st.Schema().Config.Warnings
		if c.warning == "" && len(warnings) > 0 {
			t.Errorf("%v %s: warnings %q", c.period, c.format, warnings)
		}
		if c.warning != "" {
			if len(warnings) != 1 {
				t.Fatalf("%v %s: warnings %q", c.period, c.format, warnings)
			}
			wantText(t, errors.New(warnings[0]), c.warning)
		}
		st.Close()
	}
}

func TestCountersCanBeNamedByMetricSymbolAndRegister(t *testing.T) {
	s, _ := newFake(t)
	for _, p := range []string{"A7", "a*", "OAPERF_A0", "GpuBusy", "render_basic_eu_active", "RenderBasic/EuActive", "eu*"} {
		r := request(nil)
		r.Counters = []string{p}
		st, err := s.Open(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if m, ok := st.(hwio.Matcher); !ok || !m.Matches(p) {
			t.Errorf("the stream does not know %s", p)
		}
		st.Close()
	}
	r := request(nil)
	r.Counters = []string{"L30Bank0Stalled"}
	_, err := s.Open(t.Context(), r)
	var ce *hwio.CounterError
	if !errors.As(err, &ce) {
		t.Fatalf("err = %v", err)
	}
	wantText(t, err, "metric set RenderBasic does not have it", "--set ")
	r.Counters = []string{"nonsense"}
	if _, err := s.Open(t.Context(), r); !errors.Is(err, hwio.ErrNoMatch) {
		t.Errorf("err = %v", err)
	}
	metas, err := s.Counters(t.Context())
	if err != nil || len(metas) != 2+36+8+8 || metas[2].Name != "A0" || metas[2].Title != "GPU Busy" {
		t.Errorf("%d counters, %v", len(metas), err)
	}
	if names := s.Names(t.Context()); !slices.Contains(names, "EuActive") {
		t.Errorf("names = %q", names)
	}
}

func TestProbeSaysWhetherAndWhyNot(t *testing.T) {
	s, k := newFake(t)
	st := s.Probe(t.Context())
	if !st.Usable || st.GPU != "intel-kbl-gt2" || st.Device != "Intel Kaby Lake GT2" || len(st.Details) != 5 {
		t.Errorf("%+v", st)
	}
	k.released(t)
	if slices.Contains(k.calls, "stream") || slices.Contains(k.calls, "add") {
		t.Errorf("a look changed something: %q", k.calls)
	}
	check := func(want ...string) {
		t.Helper()
		st := s.Probe(t.Context())
		if st.Usable {
			t.Errorf("usable: %+v", st)
		}
		wantText(t, errors.New(st.Reason+"; "+st.Fix), want...)
		f := s.Diagnose(t.Context())
		if len(f) != 1 || f[0].Usable || f[0].Reason != st.Reason || f[0].Fix != st.Fix {
			t.Errorf("findings = %+v", f)
		}
	}
	k.tree.link("/proc/"+strconv.Itoa(os.Getpid()+1)+"/fd/3", "anon_inode:[i915_perf]")
	check("another program measures this GPU", "process "+strconv.Itoa(os.Getpid()+1))
	k.tree.file("/proc/self/status", "CapEff:\t0000000000000000\n")
	check("permission denied", "sudo sysctl dev.i915.perf_stream_paranoid=0")
	k.errs["open"] = syscall.EACCES
	check("may not be opened", "usermod")
	k.tree.remove("/sys/class/drm/card0/metrics")
	check("/sys/class/drm/card0/metrics", "4.14")
	k.tree.remove("/sys/class/drm")
	check("no graphics card")
}
