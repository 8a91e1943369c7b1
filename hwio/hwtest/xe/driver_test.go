package xe

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/oaregisters"
)

func want(t *testing.T, what string, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Errorf("%s: %v, want %v", what, err, expected)
	}
}

func TestQueriesTellTheirSizeFirst(t *testing.T) {
	r := newRig(t, "lnl", "fused", "kernel-7")
	units, err := r.query("OA_UNITS")
	if err != nil {
		t.Fatal(err)
	}
	l := uapi.Struct("drm_xe_oa_unit")
	var kinds []uint64
	for b := units[16:]; len(b) > 0; b = b[l.Size+8*int(l.Get(b, "num_engines")):] {
		kinds = append(kinds, l.Get(b, "oa_unit_type"))
		if l.Get(b, "oa_timestamp_freq") != 19_200_000 || l.Get(b, "capabilities") != 63 {
			t.Errorf("a unit of %d Hz, capabilities %d", l.Get(b, "oa_timestamp_freq"), l.Get(b, "capabilities"))
		}
	}
	if !slices.Equal(kinds, []uint64{0, 2, 1}) {
		t.Errorf("kinds of units %v", kinds)
	}
	topology, err := r.query("GT_TOPOLOGY")
	if err != nil || topology[4] != 16 || topology[8] != 0xdf {
		t.Errorf("topology % x, %v", topology[:16], err)
	}
	for _, name := range []string{"ENGINES", "MEM_REGIONS", "CONFIG", "GT_LIST", "HWCONFIG"} {
		if b, err := r.query(name); err != nil || len(b) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
	_, err = r.query("EU_STALL")
	want(t, "samples of stalls", err, syscall.EINVAL)
}

func TestEngineCyclesAreTheClockOfReports(t *testing.T) {
	r := newRig(t, "lnl")
	l := uapi.Struct("drm_xe_query_engine_cycles")
	ask := func(class, clock uint64) (uint64, uint64, error) {
		q := make([]byte, l.Size)
		uapi.Struct("drm_xe_engine_class_instance").Set(q[l.Field("eci").Offset:], "engine_class", class)
		l.Set(q, "clockid", clock)
		lq := uapi.Struct("drm_xe_device_query")
		b := make([]byte, lq.Size)
		lq.Set(b, "query", uint64(uapi.Const("DRM_XE_DEVICE_QUERY_ENGINE_CYCLES")))
		lq.Set(b, "size", uint64(l.Size))
		at := r.mem.Put(q)
		lq.Set(b, "data", at)
		_, err := r.file.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY"), r.mem.Put(b))
		q, _ = r.mem.Place(at, l.Size)
		return l.Get(q, "engine_cycles"), l.Get(q, "cpu_timestamp") + l.Get(q, "cpu_delta")/2, err
	}
	g0, c0, err := ask(0, 1)
	if err != nil || c0 != uint64(r.ns) {
		t.Fatalf("cycles %d at %d ns: %v", g0, c0, err)
	}
	r.ns += 1e9
	g1, _, _ := ask(0, 1)
	if d := g1 - g0; d != 19_200_384 {
		t.Errorf("%d cycles in a second", d)
	}
	_, _, err = ask(3, 1) // on the wrong GT
	want(t, "an engine of another GT", err, syscall.EINVAL)
	_, _, err = ask(0, 99)
	want(t, "a clock that nobody knows", err, syscall.EINVAL)
}

func TestConfigurationsAreCheckedAndKept(t *testing.T) {
	r := newRig(t, "lnl")
	_, err := r.add("no uuid", testOa...)
	want(t, "no GUID", err, syscall.EINVAL)
	_, err = r.add(testUUID)
	want(t, "no registers", err, syscall.EINVAL)
	_, err = r.add(testUUID, writes(0x2710, 0)...)
	want(t, "a register of older GPUs", err, syscall.EINVAL)
	id, err := r.add(testUUID, testOa...)
	if err != nil || r.m.Files[r.d.CardPath()+"/metrics/"+testUUID+"/id"] != "1\n" || id != 1 {
		t.Errorf("id %d, %v, %q", id, err, r.m.Files)
	}
	_, err = r.add(strings.ToUpper(testUUID), testOa...)
	want(t, "the same GUID again", err, syscall.EADDRINUSE)
	remove := func(id uint64) error {
		_, err := r.observe(0, 2, r.mem.Put(binary.LittleEndian.AppendUint64(nil, id)))
		return err
	}
	want(t, "removing what is not there", remove(9), syscall.ENOENT)
	want(t, "removing it", remove(1), nil)
	if truth := r.d.Truth().(*Truth); len(truth.ConfigsLeft) != 0 || len(truth.ConfigsRemoved) != 1 ||
		truth.ConfigsAdded[0].Registers != "other" || len(truth.Refused) != 5 {
		t.Errorf("%+v", truth)
	}
	r.call.Privileged = false
	_, err = r.add(testUUID, testOa...)
	want(t, "without privilege", err, syscall.EACCES)
	for scenario, e := range map[string]error{"no-observation": syscall.ENODEV, "old-kernel": syscall.EINVAL} {
		_, err = newRig(t, "lnl", scenario).add(testUUID, testOa...)
		want(t, scenario, err, e)
	}
}

func TestOpeningChecksWhatItIsAskedFor(t *testing.T) {
	r := newRig(t, "lnl")
	id, err := r.add(testUUID, testOa...)
	if err != nil {
		t.Fatal(err)
	}
	set := uint64(id)
	long := make([]uint64, 0, 36)
	for range 18 {
		long = append(long, 2, 1)
	}
	for what, c := range map[string]struct {
		pairs []uint64
		err   error
	}{
		"an unknown property":              {[]uint64{2, 1, 3, set, 4, 0x10105, 14, 1}, syscall.EINVAL},
		"a property of a newer kernel":     {[]uint64{2, 1, 3, set, 4, 0x10105, 12, 1 << 20}, syscall.EINVAL},
		"property 0":                       {[]uint64{0, 1}, syscall.EINVAL},
		"too long a chain":                 {long, syscall.E2BIG},
		"no samples":                       {[]uint64{3, set, 4, 0x10105}, syscall.EINVAL},
		"an unknown set":                   {[]uint64{2, 1, 3, 77, 4, 0x10105}, syscall.EINVAL},
		"a format of older GPUs":           {[]uint64{2, 1, 3, set, 4, 0x500}, syscall.EINVAL},
		"the media unit's format":          {[]uint64{2, 1, 3, set, 4, 0x204}, syscall.EINVAL},
		"the format of the other unit":     {[]uint64{1, 1, 2, 1, 3, set, 4, 0x10105}, syscall.EINVAL},
		"a unit that is not there":         {[]uint64{1, 2, 2, 1, 3, set, 4, 0x10105}, syscall.EINVAL},
		"an exponent of 32":                {[]uint64{2, 1, 3, set, 4, 0x10105, 5, 32}, syscall.EINVAL},
		"no preemption without a queue":    {[]uint64{2, 1, 3, set, 4, 0x10105, 9, 1}, syscall.EINVAL},
		"a queue that is not there":        {[]uint64{2, 1, 3, set, 4, 0x10105, 7, 1}, syscall.ENOENT},
		"an object to signal, not made":    {[]uint64{2, 1, 3, set, 4, 0x10105, 10, 1, 11, r.mem.Put(make([]byte, 48))}, syscall.ENOENT},
		"a number of objects without them": {[]uint64{2, 1, 3, set, 4, 0x10105, 10, 1}, syscall.EINVAL},
		"nothing wrong":                    {[]uint64{2, 1, 3, set, 4, 0x10105, 5, 9, 6, 1}, nil},
	} {
		s, err := r.open(c.pairs...)
		want(t, what, err, c.err)
		if s != nil {
			_, err = r.open(c.pairs...)
			want(t, "the unit again", err, syscall.EBUSY)
			other, err := r.open(1, 1, 2, 1, 3, set, 4, 0x204, 5, 9)
			want(t, "the other unit beside it", err, nil)
			other.Close()
			s.Close()
		}
	}
	r.call.Privileged = false
	_, err = r.open(2, 1, 3, set, 4, 0x10105, 5, 9)
	want(t, "without privilege", err, syscall.EACCES)
	_, err = newRig(t, "lnl").observe(1, 0, 0)
	want(t, "samples of stalls", err, syscall.EINVAL)
}

func TestANewKernelTakesABufferAndANumberOfReports(t *testing.T) {
	r := newRig(t, "lnl", "kernel-7")
	s := r.started(13, 12, 1<<20, 13, 20)
	info := r.mem.Put(make([]byte, 40))
	_, err := s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_INFO"), info)
	want(t, "info", err, nil)
	if b, _ := r.mem.Place(info, 40); binary.LittleEndian.Uint64(b[8:]) != 1<<20 {
		t.Errorf("info % x", b)
	}
	r.pass(s, 5e6) // some six reports
	if s.Ready() {
		t.Error("ready before 20 reports")
	}
	r.pass(s, 20e6)
	if !s.Ready() {
		t.Error("not ready with more than 20 reports")
	}
	for _, bad := range [][]uint64{{12, 1<<20 + 1}, {12, 1 << 10}, {13, 0}, {12, 1 << 17, 13, 228}} {
		_, err := r.open(append([]uint64{2, 1, 3, 1, 4, 0x10105, 5, 9}, bad...)...)
		want(t, "a bad buffer", err, syscall.EINVAL)
	}
}

func TestReportsAreBareAndCountTheTruth(t *testing.T) {
	r := newRig(t, "lnl", "wrap")
	s := r.started(13)
	_, err := s.Read(r.call, 4096)
	want(t, "nothing yet", err, syscall.EAGAIN)
	var all []report
	for range 400 {
		r.pass(s, 5e6)
		_, err = s.Read(r.call, 500)
		want(t, "too little room", err, syscall.ENOSPC)
		b, err := s.Read(r.call, 64<<10)
		if err != nil || len(b)%576 != 0 {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		all = append(all, parse(b)...)
	}
	truth := r.d.Truth().(*Truth).Streams[0]
	first, last := all[0], all[len(all)-1]
	for i, name := range map[int]string{0: "PEC0", 2: "PEC2", 3: "PEC3", 32: "PEC32", 35: "PEC35", 63: "PEC63"} {
		if got := last.c[i] - first.c[i]; got != truth.Totals[name] {
			t.Errorf("%s counted %d, the truth is %d", name, got, truth.Totals[name])
		}
	}
	clocks := last.ticks - first.ticks
	if truth.Totals["PEC2"] != 8*clocks || truth.Totals["PEC3"] != clocks || truth.Totals["PEC35"] != 2*clocks ||
		truth.Totals["PEC63"] != 0 || truth.Totals["PEC0"] == 0 {
		t.Errorf("test counters %v of %d clocks", truth.Totals, clocks)
	}
	if first.ts>>32 == 0 || last.ts>>32 == first.ts>>32 {
		t.Errorf("timestamps from %#x to %#x do not pass 32 bits", first.ts, last.ts)
	}
	contexts := map[string]uint64{}
	timers := 0
	for i, x := range all[1:] {
		ctx := "idle"
		if p := all[i]; p.id>>16&1 != 0 {
			ctx = intel.ContextName(uint32(p.ctx))
		}
		contexts[ctx] += x.c[0] - all[i].c[0]
		if x.id>>19&1 != 0 {
			timers++
			if x.ts%16384 != 0 {
				t.Fatalf("a timer's report at %d", x.ts)
			}
		}
	}
	want := map[string]uint64{}
	for ctx, m := range truth.Contexts {
		want[ctx] = m["PEC0"]
	}
	if !maps.Equal(contexts, want) || len(want) != 4 || timers < 2340 || truth.Delivered != len(all) {
		t.Errorf("contexts %v, want %v; %d timer reports, %s", contexts, want, timers, truth)
	}
}

// The status is told by one failed read, and counters run on over what was dropped.
func TestLossesAreToldByTheStatus(t *testing.T) {
	for scenario, bit := range map[string]uint64{"report-loss": 1, "slow-reader": 2, "counter-overflow": 4,
		"trigger-queue": 8, "small-buffer": 2} {
		t.Run(scenario, func(t *testing.T) {
			r := newRig(t, "lnl", scenario)
			s := r.started(13)
			var all []report
			failed, step := 0, int64(5e6)
			if scenario == "small-buffer" {
				step = 300e6
			}
			for range 200 {
				r.pass(s, step)
				for {
					b, err := s.Read(r.call, 64<<10)
					if errors.Is(err, syscall.EAGAIN) {
						break
					}
					at := r.mem.Put(make([]byte, 40))
					if _, err := s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_STATUS"), at); err != nil {
						t.Fatal(err)
					}
					told, _ := r.mem.Place(at, 40)
					status := binary.LittleEndian.Uint64(told[8:])
					if errors.Is(err, syscall.EIO) {
						failed++
						if status != bit {
							t.Fatalf("status %d", status)
						}
					} else if err != nil || status != 0 {
						t.Fatalf("%v, status %d", err, status)
					}
					all = append(all, parse(b)...)
				}
			}
			s.Close()
			truth := r.d.Truth().(*Truth).Streams[0]
			if failed == 0 || truth.Produced != truth.Delivered+truth.Lost+truth.Unread {
				t.Errorf("%d failures; %s", failed, truth)
			}
			if got := all[len(all)-1].c[0] - all[0].c[0]; got != truth.Totals["PEC0"] {
				t.Errorf("PEC0 counted %d, the truth is %d", got, truth.Totals["PEC0"])
			}
			if lost := truth.Lost > 0; lost != (bit <= 2) {
				t.Errorf("%d reports were lost", truth.Lost)
			}
		})
	}
}

func TestAStreamCanBeStoppedAndChanged(t *testing.T) {
	r := newRig(t, "lnl")
	s := r.started(13, 6, 1)
	_, err := s.Read(r.call, 4096)
	want(t, "reading a stopped stream", err, syscall.EINVAL)
	do := func(name string, arg uint64) int64 {
		t.Helper()
		v, err := s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_"+name), arg)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v
	}
	do("ENABLE", 0)
	r.pass(s, 50e6)
	do("DISABLE", 0)
	do("ENABLE", 0)
	r.pass(s, 20e6)
	b, err := s.Read(r.call, 1<<20)
	if err != nil || len(parse(b)) < 20 || len(parse(b)) > 40 {
		t.Errorf("%d reports after a new start, %v", len(parse(b)), err)
	}
	other, err := r.add("11234567-0123-0123-0123-0123456789ab", writes(0x13008, 0x3e00)...)
	if err != nil {
		t.Fatal(err)
	}
	// A fence is a number that the driver writes when the registers are in place.
	l := uapi.Struct("drm_xe_sync")
	fence := r.mem.Put(make([]byte, 8))
	sync := make([]byte, l.Size)
	l.Set(sync, "type", uint64(uapi.Const("DRM_XE_SYNC_TYPE_USER_FENCE")))
	l.Set(sync, "flags", 1)
	l.Set(sync, "addr", fence)
	l.Set(sync, "timeline_value", 4711)
	if old := do("CONFIG", r.chain(3, uint64(other), 10, 1, 11, r.mem.Put(sync))); old != 1 {
		t.Errorf("the set before was %d", old)
	}
	if b, _ := r.mem.Place(fence, 8); binary.LittleEndian.Uint64(b) != 4711 {
		t.Errorf("the fence is % x", b)
	}
	_, err = s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_CONFIG"), r.chain(5, 3))
	want(t, "a property that cannot change", err, syscall.EINVAL)
	_, err = s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_CONFIG"), r.chain(3, 99))
	want(t, "an unknown set", err, syscall.EINVAL)
	r.pass(s, 30e6)
	if _, err := s.Read(r.call, 1<<20); err != nil {
		t.Error(err)
	}
	truth := r.d.Truth().(*Truth).Streams[0]
	if len(truth.Bases) != 2 || truth.Bases[1].Why != "config" || len(truth.Configs) != 2 || truth.Losses[0].Kind != "disable" {
		t.Errorf("%s, losses %v", truth, truth.Losses)
	}
}

func TestTheMediaUnitCountsInThirtyTwoBits(t *testing.T) {
	r := newRig(t, "lnl", "wrap")
	id, err := r.add(testUUID, writes(0x394200, 1, 0x394238, 0x402)...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.open(1, 1, 2, 1, 3, uint64(id), 4, 0x204, 5, 13)
	if err != nil {
		t.Fatal(err)
	}
	var sum uint64
	var prev uint32
	n := 0
	for range 200 {
		r.pass(s, 5e6)
		b, err := s.Read(r.call, 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		for ; len(b) > 0; b = b[128:] {
			v := binary.LittleEndian.Uint32(b[32+4*7:])
			if n++; n > 1 {
				sum += uint64(v - prev)
			}
			prev = v
		}
	}
	truth := r.d.Truth().(*Truth).Streams[0]
	if sum == 0 || sum != truth.Totals["A7"] || truth.Totals["A1"] != 0 || truth.Totals["C7"] != 0 || n != truth.Delivered {
		t.Errorf("A7 counted %d, the truth is %d", sum, truth.Totals["A7"])
	}
}

func TestAGPUThatIsUnpluggedAnswersNothing(t *testing.T) {
	r := newRig(t, "lnl", "unplug")
	s := r.started(13)
	for range 40 {
		r.pass(s, 5e6)
		if _, err := s.Read(r.call, 64<<10); errors.Is(err, syscall.ENODEV) {
			break
		}
	}
	_, err := s.Ioctl(r.call, uapi.Ioctl("DRM_XE_OBSERVATION_IOCTL_DISABLE"), 0)
	want(t, "the stream", err, syscall.ENODEV)
	_, err = r.query("CONFIG")
	want(t, "the node", err, syscall.ENODEV)
	if _, there := r.m.Files[r.d.PCIPath()+"/vendor"]; there || !r.d.Truth().(*Truth).Unplugged {
		t.Error("its files are still there")
	}
}

// The registers of every published set are on the driver's list.
func TestEveryPublishedSetCanBeAdded(t *testing.T) {
	for _, m := range Models() {
		added := 0
		for _, s := range intel.Sets() {
			if s.Part != m.New().(*device).sets {
				continue
			}
			l, err := oaregisters.Of(s.Part, s.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			var list []intel.Register
			for _, r := range l.All() {
				list = append(list, intel.Register(r))
			}
			r := newRig(t, m.Name)
			if _, err := r.add(s.GUID, list...); err != nil {
				t.Errorf("%s %s: %v", s.Part, s.Name, err)
			}
			if a := r.d.Truth().(*Truth).ConfigsAdded; len(a) != 1 || a[0].Registers != "published" || a[0].Set != s.Name {
				t.Errorf("%s %s: %v", s.Part, s.Name, a)
			}
			added++
		}
		if added < 2 {
			t.Errorf("%s: %d sets", m.Name, added)
		}
	}
}
