package perfevent

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"

	"astrolabe/hwio"
)

var testPMU = pmu{
	name: "cpu", typ: 4, core: true,
	formats: map[string]format{
		"event": {bits: []bitRange{{0, 7}, {32, 35}}},
		"umask": {bits: []bitRange{{8, 15}}},
		"inv":   {bits: []bitRange{{23, 23}}},
		"ldlat": {word: 1, bits: []bitRange{{0, 15}}},
	},
	events: []pmuEvent{{name: "cache-misses", terms: "event=0x2e,umask=0x41"}, {name: "param", terms: "event=0x1,umask=?"}},
}

func TestTermsAreEncodedByTheUnitsFormats(t *testing.T) {
	for in, want := range map[string][3]uint64{
		"event=0x3c,umask=0":         {0x3c},
		"event=0xd3c,umask=0x2":      {0xd<<32 | 0x3c | 0x200},
		"event=1,inv":                {1 | 1<<23},
		"ldlat=30,event=0xcd":        {0xcd, 30},
		"config=0x12,config2=7":      {0x12, 0, 7},
		"cache-misses":               {0x412e},
		"cache-misses,inv":           {0x412e | 1<<23},
		"event=2,name=foo,":          {2},
		"config1=0xffffffffffffffff": {0, 1<<64 - 1},
	} {
		got, name, err := testPMU.encode(in)
		if err != nil || got != want {
			t.Errorf("%s: %#x, %v; want %#x", in, got, err, want)
		}
		if strings.Contains(in, "name=") && name != "foo" {
			t.Errorf("%s: name %q", in, name)
		}
	}
	for in, want := range map[string]string{
		"evnt=1":       "no term or event \"evnt\"",
		"event=0x1000": "does not fit in its 12 bits",
		"umask=zwei":   "no number",
		"param":        "needs a value",
		"inv=2":        "does not fit",
		"cache-misess": "cache-misses",
	} {
		if _, _, err := testPMU.encode(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: err = %v, want %q", in, err, want)
		}
	}
}

func TestFormatsOfTheKernelAreRead(t *testing.T) {
	f, err := parseFormat("config1:0-7,32-35\n")
	if err != nil || f.word != 1 || f.width() != 12 {
		t.Errorf("format = %+v, %v", f, err)
	}
	if got := f.put(0, 0xabc); got != 0xa<<32|0xbc {
		t.Errorf("put = %#x", got)
	}
	if f, err := parseFormat("config:63"); err != nil || f.put(0, 1) != 1<<63 {
		t.Errorf("format = %+v, %v", f, err)
	}
	for _, bad := range []string{"config", "config:", "config:8-7", "config:0-64", "config9:0", "config:a"} {
		if f, err := parseFormat(bad); err == nil {
			t.Errorf("%q gives %+v", bad, f)
		}
	}
}

func TestSpecificationsOfEventsAreRead(t *testing.T) {
	for in, want := range map[string]spec{
		"cycles":                         {name: "cycles"},
		"cycles:u":                       {name: "cycles", user: true},
		"r01c2":                          {name: "r01c2", raw: 0x1c2, isRaw: true},
		"r1c2:k":                         {name: "r1c2", raw: 0x1c2, isRaw: true, kern: true},
		"ref_cycles":                     {name: "ref_cycles"},
		"cpu/event=0x3c,umask=0/":        {pmu: "cpu", terms: "event=0x3c,umask=0"},
		"cpu/event=0x3c/u":               {pmu: "cpu", terms: "event=0x3c", user: true},
		"tracepoint:sched:sched_switch":  {system: "sched", trac: "sched_switch"},
		"tracepoint:irq:softirq_entry:k": {system: "irq", trac: "softirq_entry", kern: true},
	} {
		want.text = in
		if got, err := parseSpec(in); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                   "no name",
		"cycles:x":           "unknown modifier",
		"cpu/event=1":        "PMU/TERMS/",
		"/event=1/":          "PMU/TERMS/",
		"../x/":              "no unit",
		"tracepoint:sched":   "SUBSYSTEM:EVENT",
		"tracepoint:../..:x": "no slash",
		"tracepoint:a:b:c:d": "colons",
	} {
		if got, err := parseSpec(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, err = %v, want %q", in, got, err, want)
		}
	}
}

func TestEventsThatAUserDescribesAreOpenedAsDescribed(t *testing.T) {
	k := &fakeKernel{counters: 8, capable: true}
	src := fakeSource(t, k, 1, map[string]string{
		"sys/bus/event_source/devices/cpu/format/event":       "config:0-7\n",
		"sys/bus/event_source/devices/cpu/format/umask":       "config:8-15\n",
		"sys/bus/event_source/devices/cpu/events/mem-loads":   "event=0xcd,umask=0x1\n",
		"sys/kernel/tracing/events/sched/sched_switch/id":     "314\n",
		"sys/kernel/tracing/events/sched/sched_switch/format": "x\n",
	})
	patterns := []string{"r01c2", "cpu/event=0x3c,umask=2/", "cpu/event=1,name=mine/u", "cpu/mem-loads/", "sched:sched_switch", "cycles:k", "tracepoint:sched:sched_switch:k"}
	s := openFake(t, src, hwio.Request{Counters: patterns})
	want := map[string]attr{
		"r01c2":                   {typ: typeRaw, config: 0x1c2},
		"cpu/event=0x3c,umask=2/": {typ: 4, config: 0x23c},
		"mineu":                   {typ: 4, config: 1, excludeKernel: true},
		"cpu/mem-loads/":          {typ: 4, config: 0x1cd},
		"sched:sched_switch":      {typ: typeTracepoint, config: 314},
		"cycles:k":                {typ: typeHardware, excludeUser: true},
		"sched:sched_switch:k":    {typ: typeTracepoint, config: 314, excludeUser: true},
	}
	st := s.(*stream)
	for _, g := range st.groups {
		for i, m := range g.members {
			name := st.schema.Columns[g.cols[i]].Meta.Name
			a := m.(*fakeEvent).a
			got := attr{typ: a.typ, config: a.config, excludeUser: a.excludeUser, excludeKernel: a.excludeKernel}
			w, ok := want[name]
			if name == "mine:u" {
				w, ok = want["mineu"]
				name = "mineu"
			}
			if !ok || got != w {
				t.Errorf("%s: opened %+v, want %+v", name, got, w)
			}
			delete(want, name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not opened: %v", want)
	}
	// Every pattern as typed finds its column.
	for _, p := range patterns {
		found := false
		for i := range st.schema.Columns {
			found = found || hwio.Match(p, &st.schema.Columns[i].Meta)
		}
		if !found {
			t.Errorf("no column answers to %q", p)
		}
	}
	for in, want := range map[string]string{
		"gpu/x=1/":                     "no counter unit \"gpu\"; it has cpu",
		"tracepoint:sched:nothing":     "nothing",
		"tracepoint:shed:sched_switch": "no tracepoints of a subsystem",
		"cpu/foo=1/":                   "no term or event",
	} {
		if _, err := src.Open(t.Context(), hwio.Request{Counters: []string{in}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: err = %v, want %q", in, err, want)
		}
	}
}

func TestGroupReadsAreDecodedInAnyOrderOfMembers(t *testing.T) {
	words := func(w ...uint64) []byte {
		var out []byte
		for _, v := range w {
			out = binary.NativeEndian.AppendUint64(out, v)
		}
		return out
	}
	values := make([]uint64, 2)
	tm, err := decodeGroup(words(2, 10, 5, 111, 7, 222, 8), []uint64{7, 8}, values)
	if err != nil || tm != (times{10, 5}) || values[0] != 111 || values[1] != 222 {
		t.Errorf("%v %v %v", tm, values, err)
	}
	if _, err = decodeGroup(words(2, 10, 5, 222, 8, 111, 7), []uint64{7, 8}, values); err != nil || values[0] != 111 || values[1] != 222 {
		t.Errorf("swapped members: %v %v", values, err)
	}
	for name, buf := range map[string][]byte{
		"empty": nil, "short": words(2, 10, 5, 111), "other number": words(1, 10, 5, 111, 7), "unknown id": words(2, 10, 5, 1, 7, 2, 9), "huge number": words(1<<63, 0, 0),
	} {
		if _, err := decodeGroup(buf, []uint64{7, 8}, values); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestGenericEventNamesAreUniqueAndDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range genericEvents() {
		m := e.meta
		if seen[m.Name] || m.Title == "" || m.Doc == "" || m.Unit == "" || m.Block == "" || m.Source != "perfevent" || m.GPU != "cpu" {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
	for _, name := range []string{
		"cycles", "instructions", "ref_cycles", "cache_references", "cache_misses", "branches", "branch_misses", "stalled_cycles_frontend",
		"stalled_cycles_backend", "L1_dcache_loads", "L1_dcache_load_misses", "LLC_loads", "LLC_load_misses", "dTLB_loads", "dTLB_load_misses",
		"iTLB_load_misses", "task_clock", "cpu_clock", "context_switches", "cpu_migrations", "page_faults", "minor_faults", "major_faults",
		"alignment_faults", "emulation_faults",
	} {
		if !seen[name] {
			t.Errorf("the catalogue's %s is not offered", name)
		}
	}
}

func FuzzSpec(f *testing.F) {
	for _, s := range []string{"cycles:u", "r01c2", "cpu/event=0x3c,umask=0/", "tracepoint:sched:sched_switch", "a/b/c", "::", "cpu//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSpec(text)
		if err != nil {
			return
		}
		if (s.system != "" && strings.ContainsAny(s.system+s.trac, "/")) || strings.Contains(s.pmu, "/") {
			t.Fatalf("%q leads out of its folder: %+v", text, s)
		}
		if s.pmu != "" {
			_, _, _ = testPMU.encode(s.terms)
		}
	})
}

func FuzzFormat(f *testing.F) {
	f.Add("config:0-7,32-35", uint64(0xabc))
	f.Add("config1:0-63", uint64(1))
	f.Fuzz(func(t *testing.T, text string, v uint64) {
		fm, err := parseFormat(text)
		if err != nil {
			return
		}
		if w := fm.put(0, 0); w != 0 {
			t.Fatalf("%q: nothing gives %#x", text, w)
		}
		fm.put(0, v)
	})
}

// FuzzRing drains rings whose head, tail and records are anything.
func FuzzRing(f *testing.F) {
	record := func(kind, n uint64, words ...uint64) []byte {
		out := binary.NativeEndian.AppendUint64(nil, kind|n<<48)
		for _, w := range words {
			out = binary.NativeEndian.AppendUint64(out, w)
		}
		return out
	}
	sample := record(recordSample, 80, 7, 1000, 2, 50, 50, 11, 7, 22, 8)
	f.Add(uint64(0), uint64(len(sample)), sample)
	f.Add(uint64(4090), uint64(4090+24), append(record(recordLost, 24, 7, 3), sample...))
	f.Add(uint64(1<<64-8), uint64(72), sample)
	f.Fuzz(func(t *testing.T, tail, head uint64, data []byte) {
		const size = 4096
		mem := make([]uint64, 512+size/8)
		mem[ringHead/8], mem[ringTail/8], mem[ringData/8], mem[ringSize/8] = head, tail, 4096, size
		all := unsafe.Slice((*byte)(unsafe.Pointer(&mem[0])), len(mem)*8)
		for i, b := range data[:min(len(data), size)] {
			all[4096+(tail+uint64(i))%size] = b
		}
		r, err := newRing(all, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := uint64(0)
		_, err = r.drain(func(kind uint32, body []byte) {
			read += recordHeader + uint64(len(body))
			decodeLost(kind, body)
			decodeThrottle(body)
			for _, ofTasks := range []bool{false, true} {
				if x, err := decodeSample(body, ofTasks); err == nil {
					_, _ = decodeGroup(x.values, []uint64{7, 8}, make([]uint64, 2))
				}
			}
		})
		if mem[ringTail/8] != head {
			t.Errorf("the tail is %d after a head of %d", mem[ringTail/8], head)
		}
		if err == nil && read != head-tail {
			t.Errorf("%d of %d bytes were read without an error", read, head-tail)
		}
	})
}

func FuzzGroupRead(f *testing.F) {
	f.Add(make([]byte, 56), uint8(2))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0}, uint8(1))
	f.Fuzz(func(t *testing.T, buf []byte, n uint8) {
		ids := make([]uint64, n)
		for i := range ids {
			ids[i] = uint64(i)
		}
		values := make([]uint64, n)
		if _, err := decodeGroup(buf, ids, values); err == nil && len(buf) < groupSize(int(n)) {
			t.Fatalf("%d bytes decoded as %d events", len(buf), n)
		}
		if n > 0 {
			_, _ = decodeSingle(buf, values)
		}
	})
}
