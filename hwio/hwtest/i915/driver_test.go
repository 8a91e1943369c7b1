package i915

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/fake"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/oaregisters"
)

func TestTreeIsTheOneLinuxHas(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	for path, text := range map[string]string{
		r.d.PCIPath() + "/vendor":                          "0x8086\n",
		r.d.PCIPath() + "/device":                          "0x5916\n",
		r.d.CardPath() + "/dev":                            "226:0\n",
		r.d.PCIPath() + "/drm/renderD128/dev":              "226:128\n",
		r.d.CardPath() + "/gt_min_freq_mhz":                "300\n",
		r.d.CardPath() + "/gt_max_freq_mhz":                "1150\n",
		"/proc/sys/dev/i915/perf_stream_paranoid":          "1\n",
		"/proc/sys/dev/i915/oa_max_sample_rate":            "100000\n",
		r.d.CardPath() + "/metrics/" + renderBasic + "/id": "2\n",
		r.d.CardPath() + "/gt/gt0/rps_max_freq_mhz":        "1150\n",
	} {
		if r.m.Files[path] != text {
			t.Errorf("%s holds %q, want %q", path, r.m.Files[path], text)
		}
	}
	if a, b := r.m.Links[r.d.CardPath()+"/device"], r.m.Links[r.d.PCIPath()+"/drm/renderD128/device"]; a != b || a == "" {
		t.Errorf("the nodes' devices are %q and %q", a, b)
	}
	if got := r.m.Links[r.d.PCIPath()+"/driver"]; !strings.HasSuffix(got, "/i915") {
		t.Errorf("driver is %q", got)
	}
	if newRig(t, "kbl-gt2", "no-metrics").m.Has(r.d.CardPath() + "/metrics") {
		t.Error("no-metrics has a metrics folder")
	}
	if got := newRig(t, "kbl-gt2", "paranoid-0").m.Files["/proc/sys/dev/i915/perf_stream_paranoid"]; got != "0\n" {
		t.Errorf("paranoid-0: sysctl is %q", got)
	}
}

const renderBasic = "99c1a40e-a090-4354-86e3-4d068bb1917e"

func TestVersionTellsLengthsAndCopiesWhatFits(t *testing.T) {
	r := newRig(t, "kbl-gt2")
	l := uapi.Struct("drm_version")
	b := make([]byte, l.Size)
	name := r.mem.Put(make([]byte, 8))
	l.Set(b, "name", name)
	l.Set(b, "name_len", 3)
	_, err := r.ask("DRM_IOCTL_VERSION", b)
	want(t, "VERSION", err, 0)
	if got := r.mem.B[name-fake.Base:][:4]; string(got) != "i91\x00" || l.Get(b, "name_len") != 4 || l.Get(b, "version_major") != 1 {
		t.Errorf("name %q, length %d", got, l.Get(b, "name_len"))
	}
	l.Set(b, "name", 8)
	l.Set(b, "name_len", 8)
	_, err = r.ask("DRM_IOCTL_VERSION", b)
	want(t, "VERSION with a bad address", err, syscall.EFAULT)
}

func TestParametersFollowTheKernelsAge(t *testing.T) {
	for _, c := range []struct {
		scenario, param string
		want            int // -1: EINVAL
	}{
		{"", "CHIPSET_ID", 0x5916}, {"", "REVISION", 2}, {"", "EU_TOTAL", 24}, {"", "SUBSLICE_TOTAL", 3}, {"", "SLICE_MASK", 1}, {"", "SUBSLICE_MASK", 7},
		{"", "PERF_REVISION", 7}, {"revision-6", "PERF_REVISION", 6}, {"revision-2", "PERF_REVISION", 2}, {"revision-1", "PERF_REVISION", -1},
		{"", "OA_TIMESTAMP_FREQUENCY", 12_000_000}, {"no-oa-timestamp", "OA_TIMESTAMP_FREQUENCY", -1}, {"revision-5", "OA_TIMESTAMP_FREQUENCY", -1},
		{"no-oa-timestamp", "CS_TIMESTAMP_FREQUENCY", 12_000_000}, {"no-timestamps", "CS_TIMESTAMP_FREQUENCY", -1},
		{"fused", "EU_TOTAL", 22}, {"gt1", "CHIPSET_ID", 0x5902}, {"gt1", "EU_TOTAL", 12}, {"", "HAS_PXP", -1},
	} {
		if c.param == "HAS_PXP" {
			c.param = "PXP_STATUS"
		}
		var s []string
		if c.scenario != "" {
			s = []string{c.scenario}
		}
		got, err := newRig(t, "kbl-gt2", s...).param(c.param)
		if c.want < 0 {
			want(t, c.scenario+" "+c.param, err, syscall.EINVAL)
		} else if err != nil || got != c.want {
			t.Errorf("%s %s is %#x, %v, want %#x", c.scenario, c.param, got, err, c.want)
		}
	}
	if got, _ := newRig(t, "kbl-gt3").param("EU_TOTAL"); got != 48 {
		t.Errorf("GT3 has %d EUs", got)
	}
}

// item asks one query, first for its length as programs do.
func (r *rig) item(id, flags string, data []byte) (int, []byte, error) {
	li, l := uapi.Struct("drm_i915_query_item"), uapi.Struct("drm_i915_query")
	item := make([]byte, li.Size)
	li.Set(item, "query_id", uint64(uapi.Const(id)))
	if flags != "" {
		li.Set(item, "flags", uint64(uapi.Const(flags)))
	}
	q := make([]byte, l.Size)
	l.Set(q, "num_items", 1)
	at := r.mem.Put(item)
	l.Set(q, "items_ptr", at)
	length := func() int { return int(int32(binary.LittleEndian.Uint32(r.mem.B[at-fake.Base+8:]))) }
	if _, err := r.ask("DRM_IOCTL_I915_QUERY", q); err != nil || length() < 0 {
		return length(), nil, err
	}
	b := make([]byte, length())
	copy(b, data)
	p := r.mem.Put(b)
	binary.LittleEndian.PutUint64(r.mem.B[at-fake.Base+16:], p)
	_, err := r.ask("DRM_IOCTL_I915_QUERY", q)
	return length(), r.mem.B[p-fake.Base:][:len(b)], err
}

func TestTopologyIsThatOfGen9(t *testing.T) {
	n, b, err := newRig(t, "kbl-gt2").item("DRM_I915_QUERY_TOPOLOGY_INFO", "", nil)
	if err != nil || n != 32 {
		t.Fatalf("topology has %d bytes, %v", n, err)
	}
	// flags, 3 slices, 4 subslices, 8 EUs, then offsets and strides; slice 0 with three subslices of eight.
	if wantB := []byte{0, 0, 3, 0, 4, 0, 8, 0, 1, 0, 1, 0, 4, 0, 1, 0, 1, 7, 0, 0, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0}; !bytes.Equal(b, wantB) {
		t.Errorf("topology is %v\nwant        %v", b, wantB)
	}
	_, b, _ = newRig(t, "kbl-gt3", "fused").item("DRM_I915_QUERY_TOPOLOGY_INFO", "", nil)
	if wantB := []byte{3, 3, 3, 0, 0xfb, 0x7f, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0}; !bytes.Equal(b[16:], wantB) {
		t.Errorf("fused GT3 is %v, want %v", b[16:], wantB)
	}
	_, _, err = newRig(t, "kbl-gt2", "no-topology").item("DRM_I915_QUERY_TOPOLOGY_INFO", "", nil)
	want(t, "QUERY of an old kernel", err, syscall.EINVAL)
	n, _, err = newRig(t, "kbl-gt2").item("DRM_I915_QUERY_MEMORY_REGIONS", "", nil)
	if err != nil || n != -int(syscall.EINVAL) {
		t.Errorf("an unknown query gives length %d, %v", n, err)
	}
}

func TestConfigurationsCanBeListedAndRead(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded", "kernel-testoa")
	n, b, err := r.item("DRM_I915_QUERY_PERF_CONFIG", "DRM_I915_QUERY_PERF_CONFIG_LIST", nil)
	if err != nil || n != 48+16 || b[0] != 2 || b[48] != 1 || b[56] != 2 {
		t.Errorf("list: length %d, %v, %v", n, err, b)
	}
	n, b, err = r.item("DRM_I915_QUERY_PERF_CONFIG", "DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID", []byte(renderBasic))
	if err != nil || n != 48+72 || binary.LittleEndian.Uint32(b[48+44:]) != 7 {
		t.Errorf("data of RenderBasic: length %d, %v", n, err)
	}
	n, _, _ = r.item("DRM_I915_QUERY_PERF_CONFIG", "DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID", []byte{9})
	if n != -int(syscall.ENOENT) {
		t.Errorf("data of an unknown id: length %d", n)
	}
}

func TestTimestampRegisterRunsAtTwelveMegahertz(t *testing.T) {
	r := newRig(t, "kbl-gt2")
	read := func(off uint64) (uint64, error) {
		l := uapi.Struct("drm_i915_reg_read")
		b := make([]byte, l.Size)
		l.Set(b, "offset", off)
		_, err := r.ask("DRM_IOCTL_I915_REG_READ", b)
		return l.Get(b, "val"), err
	}
	a, err := read(0x2358 | 1)
	want(t, "REG_READ", err, 0)
	r.ns += 10_000_000_000
	b, _ := read(0x2358 | 1)
	if got := b - a; got != 120_002_400 { // 20 ppm fast
		t.Errorf("10 s are %d ticks", got)
	}
	_, err = read(0x2360)
	want(t, "REG_READ of another register", err, syscall.EINVAL)

	r = newRig(t, "kbl-gt2", "wrap-36")
	a, _ = read(0x2358 | 1)
	r.ns += 1_000_000_000
	if b, _ = read(0x2358 | 1); a < 1<<35 || b > 1<<35 {
		t.Errorf("wrap-36: %#x then %#x", a, b)
	}
}

func TestAddConfigRefusesWhatTheDriverRefuses(t *testing.T) {
	mux, boolean, flex := writes(0x9888, 1), writes(0x2710, 0), writes(0xe458, 0x5004)
	const uuid = "01234567-89ab-cdef-0123-456789abcdef"
	for _, c := range []struct {
		what               string
		scenario           string
		unprivileged       bool
		uuid               string
		mux, boolean, flex []intel.Register
		errno              syscall.Errno
	}{
		{"three lists", "", false, uuid, mux, boolean, flex, 0},
		{"one list", "", false, uuid, nil, nil, flex, 0},
		{"no list", "", false, uuid, nil, nil, nil, syscall.EINVAL},
		{"a letter that is no digit", "", false, "g1234567-89ab-cdef-0123-456789abcdef", mux, boolean, flex, syscall.EINVAL},
		{"a hyphen astray", "", false, "012345678-9ab-cdef-0123-456789abcdef", mux, boolean, flex, syscall.EINVAL},
		{"a mux register off the list", "", false, uuid, writes(0x2358, 1), nil, nil, syscall.EINVAL},
		{"a mux register among the boolean ones", "", false, uuid, nil, mux, nil, syscall.EINVAL},
		{"a flex register off the list", "", false, uuid, nil, nil, writes(0xe460, 1), syscall.EINVAL},
		{"a kernel with fewer registers", "narrow-whitelist", false, uuid, writes(0x9840, 0x80), nil, nil, syscall.EINVAL},
		{"no privilege", "", true, uuid, mux, boolean, flex, syscall.EACCES},
		{"no privilege, none needed", "paranoid-0", true, uuid, mux, boolean, flex, 0},
		{"no OA here", "no-metrics", false, uuid, mux, boolean, flex, syscall.EINVAL},
		{"no i915-perf", "no-perf", false, uuid, mux, boolean, flex, 524},
	} {
		var s []string
		if c.scenario != "" {
			s = []string{c.scenario}
		}
		r := newRig(t, "kbl-gt2", s...)
		r.call.Privileged = !c.unprivileged
		id, err := r.add(c.uuid, c.mux, c.boolean, c.flex)
		want(t, c.what, err, c.errno)
		if err == nil && id != 2 {
			t.Errorf("%s: id %d", c.what, id)
		}
	}
}

func TestConfigurationsLiveInSysfsUntilRemoved(t *testing.T) {
	r := newRig(t, "kbl-gt2")
	const uuid = "01234567-89AB-CDEF-0123-456789abcdef"
	path := r.d.CardPath() + "/metrics/" + strings.ToLower(uuid) + "/id"
	flex := writes(0xe458, 0)
	id, err := r.add(uuid, nil, nil, flex)
	want(t, "add", err, 0)
	if r.m.Files[path] != fmt.Sprintf("%d\n", id) {
		t.Errorf("%s holds %q", path, r.m.Files[path])
	}
	_, err = r.add(uuid, nil, nil, flex)
	want(t, "add again", err, syscall.EADDRINUSE)
	remove := func(id int64) error {
		_, err := r.ask("DRM_IOCTL_I915_PERF_REMOVE_CONFIG", binary.LittleEndian.AppendUint64(nil, uint64(id)))
		return err
	}
	r.call.Privileged = false
	want(t, "remove without privilege", remove(id), syscall.EACCES)
	r.call.Privileged = true
	if left := r.truth().ConfigsLeft; len(left) != 1 || left[0].Registers != "other" {
		t.Errorf("left: %v", left)
	}
	want(t, "remove", remove(id), 0)
	want(t, "remove again", remove(id), syscall.ENOENT)
	if r.m.Has(path) {
		t.Error("the removed configuration is still in sysfs")
	}
	if tr := r.truth(); len(tr.ConfigsLeft) != 0 || len(tr.ConfigsAdded) != 1 || len(tr.ConfigsRemoved) != 1 {
		t.Errorf("truth: %+v", tr)
	}
}

// The registers of every published set are on the driver's list, in the list that they are given in.
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
			r := newRig(t, m.Name)
			if _, err := r.add(s.GUID, pairs(l.Mux), pairs(l.Boolean), pairs(l.Flex)); err != nil {
				t.Errorf("%s %s: %v", s.Part, s.Name, err)
			}
			if a := r.truth().ConfigsAdded; len(a) != 1 || a[0].Registers != "published" || a[0].Set != s.Name {
				t.Errorf("%s %s: %v", s.Part, s.Name, a)
			}
			added++
		}
		if added < 2 {
			t.Errorf("%s: %d sets", m.Name, added)
		}
	}
}

func pairs(list []oaregisters.Register) (out []intel.Register) {
	for _, r := range list {
		out = append(out, intel.Register(r))
	}
	return out
}
