package amdgpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/sysroot"
)

func TestRequestsAndAnswersLieAsInTheKernelsHeader(t *testing.T) {
	info := uapi.Struct("drm_amdgpu_info")
	var r request
	if int(unsafe.Sizeof(r)) != info.Size || uapi.Ioctl("DRM_IOCTL_AMDGPU_INFO") != infoIoctl {
		t.Errorf("the request has %d bytes and number 0x%x", unsafe.Sizeof(r), infoIoctl)
	}
	for name, at := range map[string]uintptr{"return_pointer": unsafe.Offsetof(r.returnPointer), "return_size": unsafe.Offsetof(r.returnSize),
		"query": unsafe.Offsetof(r.query), "read_mmr_reg.dword_offset": unsafe.Offsetof(r.arg), "sensor_info.type": unsafe.Offsetof(r.arg),
		"read_mmr_reg.count": unsafe.Offsetof(r.arg) + 4, "read_mmr_reg.instance": unsafe.Offsetof(r.arg) + 8, "read_mmr_reg.flags": unsafe.Offsetof(r.arg) + 12} {
		if info.Field(name).Offset != int(at) {
			t.Errorf("%s is at %d, the header has it at %d", name, at, info.Field(name).Offset)
		}
	}
	dev := uapi.Struct("drm_amdgpu_info_device")
	if dev.Size != devInfoSize || uapi.Struct("drm_amdgpu_memory_info").Size != memorySize || uapi.Struct("drm_amdgpu_heap_info").Size != heapSize {
		t.Error("sizes of answers differ from the header")
	}
	for name, at := range map[string]int{"device_id": offDeviceID, "chip_rev": offChipRev, "external_rev": offExternalRev, "pci_rev": offPCIRev, "family": offFamily,
		"num_shader_engines": offEngines, "num_shader_arrays_per_engine": offArrays, "gpu_counter_freq": offCounterFreq, "max_engine_clock": offMaxEngineClock,
		"max_memory_clock": offMaxMemoryClock, "cu_active_number": offActiveCUs, "num_rb_pipes": offRBPipes, "ids_flags": offIDsFlags, "vram_bit_width": offVRAMBitWidth,
		"wave_front_size": offWavefront, "num_cu_per_sh": offCUsPerArray, "num_tcc_blocks": offTCCBlocks, "gl1c_cache_size": offGL1CacheSize,
		"gl2c_cache_size": offGL2CacheSize, "mall_size": offMALLSize} {
		if dev.Field(name).Offset != at {
			t.Errorf("%s is at %d, the header has it at %d", name, at, dev.Field(name).Offset)
		}
	}
	heap := uapi.Struct("drm_amdgpu_heap_info")
	if heap.Field("total_heap_size").Offset != heapTotal || heap.Field("heap_usage").Offset != heapUsage {
		t.Error("offsets of a heap differ from the header")
	}
	for name, v := range map[string]int64{"AMDGPU_INFO_NUM_BYTES_MOVED": queryBytesMoved, "AMDGPU_INFO_READ_MMR_REG": queryReadRegister, "AMDGPU_INFO_DEV_INFO": queryDevInfo,
		"AMDGPU_INFO_NUM_EVICTIONS": queryEvictions, "AMDGPU_INFO_MEMORY": queryMemory, "AMDGPU_INFO_SENSOR": querySensor, "AMDGPU_INFO_VRAM_LOST_COUNTER": queryVRAMLost,
		"AMDGPU_INFO_SENSOR_GFX_SCLK": sensorSclk, "AMDGPU_INFO_SENSOR_GFX_MCLK": sensorMclk, "AMDGPU_INFO_SENSOR_GPU_TEMP": sensorTemperature, "AMDGPU_INFO_SENSOR_GPU_LOAD": sensorLoad,
		"AMDGPU_INFO_SENSOR_GPU_AVG_POWER": sensorPower, "AMDGPU_INFO_SENSOR_VDDNB": sensorVDDNB, "AMDGPU_INFO_SENSOR_VDDGFX": sensorVDDGFX,
		"AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK": sensorStableSclk, "AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK": sensorStableMclk,
		"AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_SCLK": sensorPeakSclk, "AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_MCLK": sensorPeakMclk, "AMDGPU_INFO_SENSOR_GPU_INPUT_POWER": sensorInputPower,
		"AMDGPU_IDS_FLAGS_FUSION": flagAPU, "AMDGPU_FAMILY_SI": familySI, "AMDGPU_FAMILY_CI": familyCI, "AMDGPU_FAMILY_KV": familyKV, "AMDGPU_FAMILY_VI": familyVI, "AMDGPU_FAMILY_CZ": familyCZ,
		"AMDGPU_FAMILY_AI": familyAI, "AMDGPU_FAMILY_RV": familyRV, "AMDGPU_FAMILY_NV": familyNV, "AMDGPU_FAMILY_VGH": familyVGH, "AMDGPU_FAMILY_GC_11_0_0": familyGC110,
		"AMDGPU_FAMILY_YC": familyYC, "AMDGPU_FAMILY_GC_11_0_1": familyGC111, "AMDGPU_FAMILY_GC_10_3_6": familyGC106, "AMDGPU_FAMILY_GC_11_5_0": familyGC115,
		"AMDGPU_FAMILY_GC_10_3_7": familyGC107, "AMDGPU_FAMILY_GC_12_0_0": familyGC12} {
		if uapi.Const(name) != v {
			t.Errorf("%s is %d here, %d in the header", name, v, uapi.Const(name))
		}
	}
}

func TestStatusBitsFollowTheGeneration(t *testing.T) {
	bits := func(family, rev uint32) map[string]string {
		out := map[string]string{}
		for _, r := range bitsOf(generationOf(family, rev)) {
			if len(r.bits) > maxBits {
				t.Errorf("%s has %d bits", r.name, len(r.bits))
			}
			for _, b := range r.bits {
				if _, twice := out[b.name]; twice {
					t.Errorf("family %d has %s twice", family, b.name)
				}
				out[b.name] = r.name + "." + string('0'+b.bit/10) + string('0'+b.bit%10)
			}
		}
		return out
	}
	for _, c := range []struct {
		family, rev uint32
		name, want  string // "" for a block that the family does not show
	}{
		{familyAI, 1, "gfx", "GRBM_STATUS.31"}, {familyAI, 1, "wd", "GRBM_STATUS.21"}, {familyAI, 1, "ge", ""}, {familyAI, 1, "rlc", "GRBM_STATUS2.24"},
		{familyAI, 1, "rmi", "GRBM_STATUS2.17"}, {familyAI, 1, "sdma", ""}, {familyAI, 1, "uvd", ""},
		{familyNV, 0x0a, "rlc", "GRBM_STATUS2.24"}, {familyNV, 0x28, "rlc", "GRBM_STATUS2.26"}, {familyNV, 0x28, "tc", "GRBM_STATUS2.27"},
		{familyGC115, 0xc1, "ge", "GRBM_STATUS.21"}, {familyGC115, 0xc1, "vgt", ""}, {familyGC115, 0xc1, "ee", ""}, {familyGC115, 0xc1, "gds", ""}, {familyGC115, 0xc1, "sdma", "GRBM_STATUS2.21"},
		{familyGC12, 1, "utcl2", ""}, {familyGC12, 1, "cpc", "GRBM_STATUS2.29"}, {familyVI, 1, "uvd", "SRBM_STATUS.19"}, {familyVI, 1, "vce", "SRBM_STATUS2.07"},
		{familySI, 1, "cpf", ""}, {999, 1, "gfx", "GRBM_STATUS.31"}, {999, 1, "cp", ""},
	} {
		if got := bits(c.family, c.rev)[c.name]; got != c.want {
			t.Errorf("family %d revision 0x%x: %s is %q, want %q", c.family, c.rev, c.name, got, c.want)
		}
	}
	for rev, want := range map[uint32]string{0x01: "gfx1150", 0xc1: "gfx1151", 0x50: ""} {
		if got := chipName(familyGC115, rev); got != want {
			t.Errorf("revision 0x%x of GC 11.5 is %q, want %q", rev, got, want)
		}
	}
}

// settle waits until everything that the stream's threads read has been read anew, from begin to end.
func settle(st hwio.Stream) {
	l := st.(*stream).l
	until := func(done func() bool) {
		for !done() {
			time.Sleep(time.Millisecond)
		}
	}
	for _, r := range l.readings {
		if r.blocks || !r.started {
			continue
		}
		turns := func() int {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.turns
		}
		// The first of two may have begun before now.
		from := turns()
		until(func() bool { return turns() >= from+2 })
	}
	for _, s := range l.samplers {
		now := make([]regTotals, len(s.regs))
		last := func() uint64 {
			s.take(now)
			r := &now[len(now)-1]
			return r.samples + r.refused
		}
		from := last()
		until(func() bool { return s.g.sleeping.Load() || s.g.gone.Load() || last() >= from+2 })
	}
}

// record opens the source, takes the baseline, lets between happen and reads once more.
func record(t *testing.T, s *Source, r hwio.Request, between func()) (map[string]float64, *capture.Batch, *capture.Schema) {
	t.Helper()
	if r.Options == nil {
		r.Options = map[string]string{"refresh": "10ms"}
	}
	st, err := s.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := capture.NewBatch(st.Schema(), 4)
	if err := st.Read(t.Context(), b); err != nil || b.Cols[0].Len() != 0 {
		t.Fatalf("the first read: %v, %d values", err, b.Cols[0].Len())
	}
	if between != nil {
		between()
	}
	settle(st)
	if r.Options["processes"] != "" {
		for range searchEvery / 2 { // until programs have been searched for, too
			settle(st)
		}
	}
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for i, c := range st.Schema().Columns {
		if b.Cols[i].Len() != 1 {
			t.Fatalf("%s has %d values", c.Meta.Name, b.Cols[i].Len())
		}
		name := c.Meta.Name
		if c.Meta.Instance != "" {
			name += "[" + c.Meta.Instance + "]"
		}
		out[name] = b.Cols[i].Float(0)
	}
	return out, b, st.Schema()
}

func reasonOf(t *testing.T, s *capture.Schema, b *capture.Batch, name string) capture.Reason {
	t.Helper()
	i := slices.IndexFunc(s.Columns, func(c capture.ColumnSpec) bool { return c.Meta.Name == name })
	if i < 0 {
		t.Fatalf("there is no column %s", name)
	}
	for _, r := range b.Reasons {
		if r.Col == i {
			return r.Reason
		}
	}
	return capture.Reason{}
}

func TestEverythingThatTheDriverShowsIsRecordedInItsUnit(t *testing.T) {
	tr := newTree(t)
	dev := tr.gpu("0")
	tr.write(dev+"/gpu_metrics", metricsTable(1000))
	tr.client("41", "7", "0000:03:00.0", "drm-client-id:\t9\ndrm-engine-gfx:\t1000 ns\ndrm-memory-vram:\t64 KiB\n")
	tr.client("41", "8", "0000:03:00.0", "drm-client-id:\t9\ndrm-engine-gfx:\t1000 ns\ndrm-memory-vram:\t64 KiB\n")
	tr.client("42", "3", "0000:03:00.0", "drm-client-id:\t9\ndrm-engine-gfx:\t1000 ns\ndrm-memory-vram:\t64 KiB\n")
	d := newFakeDriver()
	got, _, schema := record(t, tr.source(d), hwio.Request{}, func() {
		d.set(func() { d.moved = 4096 })
		tr.write(dev+"/gpu_metrics", metricsTable(1000+65536*20))
		for _, c := range [][2]string{{"41", "7"}, {"41", "8"}, {"42", "3"}} {
			tr.client(c[0], c[1], "0000:03:00.0", "drm-client-id:\t9\ndrm-engine-gfx:\t6000 ns\ndrm-engine-enc:\t40 ns\ndrm-engine-enc_1:\t2 ns\ndrm-engine-npu:\t5 ns\ndrm-memory-vram:\t128 KiB\n")
		}
	})
	for name, want := range map[string]float64{
		"sensor_load": 42, "sensor_sclk": 1.5e9, "sensor_temperature": 51, "sensor_power": 95, "sensor_vddgfx": 0.85,
		"vram_used": 3 << 30, "bytes_moved": 4096, "vram_lost": 0, "gpu_busy_percent": 37, "mem_busy_percent": 12, "dpm_sclk": 1.2e9,
		"pcie_link_speed": 16, "pcie_link_width": 16, "power": 95, "temperature[edge]": 51, "temperature[junction]": 63, "fan_speed": 1200, "fan_pwm": 20,
		"gpu_metrics_temperature_edge": 50, "gpu_metrics_average_socket_power": 178, "gpu_metrics_energy_accumulator": 20, "gpu_metrics_current_gfxclk": 1.5e9,
		"gpu_metrics_throttle_status": 8, "throttled": 100,
		"engine_gfx": 5000, "engine_enc": 42, "engine_other": 5, "engine_dma": 0, "clients": 1, "clients_vram": 128 << 10,
	} {
		v, ok := got[name]
		if !ok || math.Abs(v-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s = %v (recorded: %v), want %v", name, v, ok, want)
		}
	}
	n := got["grbm_samples"]
	if n < 20 || got["busy_cp_ones"] != n || math.Abs(got["busy_gfx_ones"]-n/4) > 1 || got["busy_ta_ones"] != 0 {
		t.Errorf("of %v samples the graphics pipe was busy in %v, CP in %v, TA in %v", n, got["busy_gfx_ones"], got["busy_cp_ones"], got["busy_ta_ones"])
	}
	p := got["busy_gfx_ones"] / n
	if want := 100 * math.Sqrt(p*(1-p)/n); math.Abs(got["busy_gfx_error"]-want) > 1e-9 {
		t.Errorf("standard error %v, want %v", got["busy_gfx_error"], want)
	}
	for _, name := range []string{"gpu_metrics_temperature_mem", "sensor_vddnb", "pcie_sent", "dpm_mclk", "gpu_metrics_padding", "gpu_metrics_system_clock_counter"} {
		if v, ok := got[name]; ok {
			t.Errorf("%s = %v was recorded", name, v)
		}
	}
	cfg := schema.Config
	if cfg.GPU != "amd-live" || cfg.Device.ID != "0000:03:00.0" || cfg.Device.Extra["generation"] != "GFX9" || !slices.ContainsFunc(cfg.Warnings, func(w string) bool { return strings.Contains(w, "switching itself off") }) {
		t.Errorf("configuration: %+v", cfg)
	}
	want := map[string]float64{"cu_per_gpu": 64, "max_sclk_hz": 1.63e9, "vram_bytes": 8 << 30, "stable_sclk_hz": 1.2e9, "is_apu": 0, "mall_bytes": 64 << 20}
	for _, p := range cfg.Properties {
		if v, ok := want[p.Name]; ok && v != p.Number {
			t.Errorf("property %s is %v, want %v", p.Name, p.Number, v)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("properties are missing: %v", want)
	}
}

func TestSeveralGPUsAreInstancesByCard(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	tr.write(tr.gpu("1")+"/gpu_busy_percent", "99\n")
	a, b := newFakeDriver(), newFakeDriver()
	b.family, b.rev, b.apu = familyGC115, 0xc1, true
	s := tr.source(a, b)
	got, _, schema := record(t, s, hwio.Request{}, nil)
	if got["gpu_busy_percent[card0]"] != 37 || got["gpu_busy_percent[card1]"] != 99 || got["temperature[card1.edge]"] != 51 || got["engine_gfx[card1]"] != 0 {
		t.Errorf("recorded %v", got)
	}
	if _, ok := got["busy_ge_ones[card1]"]; !ok {
		t.Error("card1 has no geometry engine")
	}
	if _, ok := got["busy_ge_ones[card0]"]; ok {
		t.Error("card0 has a geometry engine")
	}
	if !strings.Contains(schema.Config.Device.Name, "gfx1151") || !strings.Contains(schema.Config.Device.Name, "GFX9") || schema.Config.Device.Extra["chip.card1"] != "gfx1151" {
		t.Errorf("device %+v", schema.Config.Device)
	}
	got, _, _ = record(t, s, hwio.Request{Counters: []string{"gpu_busy*"}, Options: map[string]string{"device": "card1", "refresh": "10ms"}}, nil)
	if len(got) != 1 || got["gpu_busy_percent"] != 99 {
		t.Errorf("card1 alone recorded %v", got)
	}
	if _, err := s.Open(t.Context(), hwio.Request{Options: map[string]string{"device": "card7"}}); err == nil || !strings.Contains(err.Error(), "card0 (0000:03:00.0), card1") {
		t.Errorf("card7: %v", err)
	}
}

func TestRefusalsAreMissingWithTheirReason(t *testing.T) {
	for _, c := range []struct {
		name  string
		apply func(tr *tree, dev string, d *fakeDriver)
		want  map[string]capture.ReasonCode
	}{
		{"reset", func(_ *tree, _ string, d *fakeDriver) { d.fail[queryReadRegister] = syscall.ENOENT }, map[string]capture.ReasonCode{"busy_gfx_ones": capture.InGap, "busy_gfx_error": capture.InGap}},
		{"sensors refuse", func(_ *tree, _ string, d *fakeDriver) { d.fail[querySensor] = syscall.EINVAL }, map[string]capture.ReasonCode{"sensor_load": capture.PowerGated}},
		{"asleep", func(tr *tree, dev string, _ *fakeDriver) { tr.write(dev+"/power/runtime_status", "suspended\n") },
			map[string]capture.ReasonCode{"sensor_load": capture.PowerGated, "gpu_busy_percent": capture.PowerGated, "power": capture.PowerGated, "vram_used": capture.PowerGated}},
		{"no number", func(tr *tree, dev string, _ *fakeDriver) { tr.write(dev+"/gpu_busy_percent", "busy\n") }, map[string]capture.ReasonCode{"gpu_busy_percent": capture.NotANumber}},
		{"table emptied", func(tr *tree, dev string, _ *fakeDriver) {
			empty := []byte(metricsTable(0))
			for i := 4; i < len(empty); i++ {
				empty[i] = 0xff
			}
			tr.write(dev+"/gpu_metrics", string(empty))
		}, map[string]capture.ReasonCode{"gpu_metrics_temperature_edge": capture.PowerGated, "gpu_metrics_energy_accumulator": capture.PowerGated}},
		{"table cut", func(tr *tree, dev string, _ *fakeDriver) { tr.write(dev+"/gpu_metrics", metricsTable(0)[:30]) },
			map[string]capture.ReasonCode{"gpu_metrics_energy_accumulator": capture.Damaged, "gpu_metrics_current_gfxclk": capture.Damaged}},
	} {
		tr := newTree(t)
		dev := tr.gpu("0")
		tr.write(dev+"/gpu_metrics", metricsTable(7))
		d := newFakeDriver()
		got, b, schema := record(t, tr.source(d), hwio.Request{}, func() {
			d.set(func() { c.apply(tr, dev, d) })
		})
		for name, code := range c.want {
			if v := got[name]; name == "busy_gfx_ones" || name == "busy_gfx_error" {
				continue // asked below, after a whole interval without samples
			} else if !math.IsNaN(v) {
				t.Errorf("%s: %s = %v, want it missing", c.name, name, v)
			}
			if why := reasonOf(t, schema, b, name); why.Code != code || why.Text == "" {
				t.Errorf("%s: %s is missing because of %v (%q), want %v", c.name, name, why.Code, why.Text, code)
			}
		}
	}
}

func TestAResetLeavesRegistersMissingAndNotZero(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	d := newFakeDriver()
	st, err := tr.source(d).Open(t.Context(), hwio.Request{Counters: []string{"busy_gfx_ones", "busy_gfx_error", "grbm_samples"}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := capture.NewBatch(st.Schema(), 4)
	d.set(func() { d.fail[queryReadRegister] = syscall.ENOENT })
	for range 2 {
		settle(st)
		if err := st.Read(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if b.Cols[0].Float(0) != 0 { // the number of samples is known: none
		t.Errorf("%v samples during a reset", b.Cols[0].Float(0))
	}
	for _, name := range []string{"busy_gfx_ones", "busy_gfx_error"} {
		if why := reasonOf(t, st.Schema(), b, name); why.Code != capture.InGap || !strings.Contains(why.Text, "reset") {
			t.Errorf("%s: %v %q", name, why.Code, why.Text)
		}
	}
	if told := st.(hwio.Concluder).Conclude(); len(told) == 0 || !strings.Contains(told[len(told)-1], "GRBM_STATUS could not be read") {
		t.Errorf("conclusion: %q", told)
	}
}

func TestRefusedRegistersAreLeftOutWithAWarning(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	d := newFakeDriver()
	delete(d.registers, 0x2002)
	got, _, schema := record(t, tr.source(d), hwio.Request{}, nil)
	if _, ok := got["busy_cpc_ones"]; ok || got["grbm_samples"] == 0 {
		t.Error("the refused register is recorded, or the other is not")
	}
	if !slices.ContainsFunc(schema.Config.Warnings, func(w string) bool { return strings.Contains(w, "GRBM_STATUS2") && strings.Contains(w, "does not let") }) {
		t.Errorf("warnings: %q", schema.Config.Warnings)
	}
	_, err := tr.source(d).Open(t.Context(), hwio.Request{Counters: []string{"busy_cpc_ones"}})
	var why *hwio.CounterError
	if !errors.As(err, &why) || why.Counter != "busy_cpc_ones" {
		t.Errorf("asked for by name: %v", err)
	}
}

func TestWithoutPermissionSysfsStillCounts(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	s := tr.source()
	st := s.Probe(t.Context())
	if !st.Usable || !strings.Contains(st.Reason, "no permission to open /dev/dri/renderD128") || !strings.Contains(st.Fix, "render") {
		t.Errorf("probe: %+v", st)
	}
	got, _, schema := record(t, s, hwio.Request{}, nil)
	if got["vram_used"] != 3<<30 || got["gpu_busy_percent"] != 37 || got["power"] != 95 {
		t.Errorf("recorded %v", got)
	}
	if _, ok := got["grbm_samples"]; ok {
		t.Error("registers are recorded without access")
	}
	if !slices.ContainsFunc(schema.Config.Warnings, func(w string) bool { return strings.Contains(w, "usermod") }) {
		t.Errorf("warnings: %q", schema.Config.Warnings)
	}
	if _, err := s.Open(t.Context(), hwio.Request{Counters: []string{"busy_gfx_ones"}}); err == nil || !strings.Contains(err.Error(), "permission") {
		t.Errorf("asked for by name: %v", err)
	}
	found := s.Diagnose(t.Context())
	if len(found) < 6 || found[1].Usable || !strings.Contains(found[1].Reason, "permission") || found[2].Usable != true {
		t.Errorf("findings: %+v", found)
	}
}

func TestARemovedGPUEndsTheRecording(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	d := newFakeDriver()
	st, err := tr.source(d).Open(t.Context(), hwio.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	b := capture.NewBatch(st.Schema(), 4)
	if err := st.Read(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	d.set(func() { d.fail[queryReadRegister] = syscall.ENODEV })
	settle(st)
	if err := st.Read(t.Context(), b); !errors.Is(err, io.EOF) {
		t.Errorf("read of a removed GPU: %v", err)
	}
	if told := st.(hwio.Concluder).Conclude(); len(told) == 0 || !strings.Contains(told[0], "was removed") {
		t.Errorf("conclusion: %q", told)
	}
}

func TestOldKernelsGiveLess(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	d := newFakeDriver()
	d.size = 272
	d.sensors = map[uint32]uint32{sensorSclk: 300}
	d.fail[queryVRAMLost] = syscall.EINVAL
	got, _, schema := record(t, tr.source(d), hwio.Request{}, nil)
	if _, ok := got["vram_lost"]; ok {
		t.Error("a count that the kernel does not have is recorded")
	}
	if _, ok := got["sensor_load"]; ok || got["sensor_sclk"] != 3e8 {
		t.Errorf("sensors: %v", got)
	}
	for _, p := range schema.Config.Properties {
		if p.Name == "mall_bytes" {
			t.Errorf("the kernel did not give a MALL size, recorded is %v", p.Number)
		}
	}
}

func TestUnknownTablesAreLeftOutWithTheirHeader(t *testing.T) {
	tr := newTree(t)
	dev := tr.gpu("0")
	table := []byte(metricsTable(7))
	table[3] = 9
	tr.write(dev+"/gpu_metrics", string(table))
	_, err := tr.source(newFakeDriver()).Open(t.Context(), hwio.Request{Counters: []string{"gpu_metrics_temperature_edge"}})
	if err == nil {
		t.Fatal("a table of an unknown revision was read")
	}
	found := tr.source(newFakeDriver()).Diagnose(t.Context())
	if !slices.ContainsFunc(found, func(f hwio.Finding) bool {
		return !f.Usable && strings.Contains(f.Reason, "revision 1.9") && strings.Contains(f.Reason, "78 00 01 09")
	}) {
		t.Errorf("findings: %+v", found)
	}
}

func TestActivityOfAnAPUIsMissingUntilItsUnitIsKnown(t *testing.T) {
	tr := newTree(t)
	dev := tr.gpu("0")
	table := func(activity uint16) string {
		b := make([]byte, 120)
		b[0], b[2], b[3] = 120, 2, 1
		binary.LittleEndian.PutUint16(b[4:], 4512) // temperature_gfx
		binary.LittleEndian.PutUint16(b[28:], activity)
		return string(b)
	}
	tr.write(dev+"/gpu_metrics", table(80))
	const name = "gpu_metrics_average_gfx_activity"
	got, b, schema := record(t, tr.source(newFakeDriver()), hwio.Request{}, nil)
	if why := reasonOf(t, schema, b, name); !math.IsNaN(got[name]) || !strings.Contains(why.Text, "hundredths") {
		t.Errorf("%v, %+v", got[name], why)
	}
	if got["gpu_metrics_temperature_gfx"] != 45.12 {
		t.Errorf("temperature %v", got["gpu_metrics_temperature_gfx"])
	}
	got, _, _ = record(t, tr.source(newFakeDriver()), hwio.Request{}, func() { tr.write(dev+"/gpu_metrics", table(8050)) })
	if got[name] != 80.5 {
		t.Errorf("activity %v, want 80.5", got[name])
	}
}

func TestOnlyTheMeasuredProcessAndItsChildrenCount(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	stat := func(pid, parent string) { tr.write("proc/"+pid+"/stat", pid+" (a) b) S "+parent+" 1 1\n") }
	stat("10", "1")
	stat("11", "10")
	stat("12", "1")
	busy := func(ns string) {
		tr.client("10", "3", "0000:03:00.0", "drm-client-id: 1\ndrm-engine-compute: "+ns+" ns\n")
		tr.client("11", "3", "0000:03:00.0", "drm-client-id: 2\ndrm-engine-compute: "+ns+" ns\n")
		tr.client("12", "3", "0000:03:00.0", "drm-client-id: 3\ndrm-engine-compute: "+ns+" ns\n")
		tr.client("11", "4", "0000:09:00.0", "drm-client-id: 4\ndrm-engine-compute: "+ns+" ns\n") // another GPU's
	}
	busy("100")
	got, _, _ := record(t, tr.source(newFakeDriver()), hwio.Request{PID: 10, Counters: []string{"engine_*", "clients"}}, func() { busy("1100") })
	if got["engine_compute"] != 2000 || got["clients"] != 2 {
		t.Errorf("recorded %v", got)
	}
	busy("100")
	got, _, _ = record(t, tr.source(newFakeDriver()), hwio.Request{Counters: []string{"process_engine_compute"}, Options: map[string]string{"processes": "yes", "refresh": "10ms"}}, func() {
		busy("400")
		if err := os.RemoveAll(filepath.Join(tr.dir, "proc/11")); err != nil {
			t.Fatal(err)
		}
	})
	if len(got) != 3 || got["process_engine_compute[12 ?]"] != 300 || !math.IsNaN(got["process_engine_compute[11 ?]"]) {
		t.Errorf("per process %v", got)
	}
}

func TestEveryBlockHasTheBitOfItsGeneration(t *testing.T) {
	const (
		status = "31 gfx, 30 cb, 29 cp, 26 db, 25 pa, 24 sc, 23 bci, 22 spi, 20 sx, 14 ta"
		gcn    = ", 19 ia, 17 vgt, 15 gds, 10 ee"
		cp     = "28 cpf, 29 cpc, 30 cpg"
		path   = ", 15 utcl2, 16 ea, 17 rmi"
	)
	old := map[string]string{"SRBM_STATUS": "19 uvd", "SRBM_STATUS2": "7 vce"}
	want := map[generation][2]string{
		gfx6:    {status + gcn, ""},
		gfx7:    {status + gcn + ", 21 wd", cp},
		gfx8:    {status + gcn + ", 21 wd", cp + ", 24 rlc, 25 tc"},
		gfx9:    {status + gcn + ", 21 wd", cp + ", 24 rlc, 25 tc" + path},
		gfx10:   {status + ", 21 ge", cp + ", 24 rlc, 25 tc" + path + ", 21 sdma"},
		gfx10_3: {status + ", 21 ge", cp + ", 26 rlc, 27 tc" + path + ", 21 sdma"},
		gfx11:   {status + ", 21 ge", cp + ", 26 rlc, 27 tc" + path + ", 21 sdma"},
		gfx12:   {status + ", 21 ge", cp + ", 26 rlc, 27 tc, 21 sdma"},
	}
	sorted := func(list []string) string {
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	for g, text := range want {
		expected := map[string]string{"GRBM_STATUS": text[0], "GRBM_STATUS2": text[1]}
		if g <= gfx8 {
			maps.Copy(expected, old)
		}
		for _, r := range bitsOf(g) {
			var got []string
			for _, b := range r.bits {
				got = append(got, fmt.Sprintf("%d %s", b.bit, b.name))
			}
			if have, should := sorted(got), sorted(strings.Split(expected[r.name], ", ")); have != should {
				t.Errorf("%v %s: %s, want %s", g, r.name, have, should)
			}
			delete(expected, r.name)
		}
		for name, text := range expected {
			if text != "" {
				t.Errorf("%v: %s is not read", g, name)
			}
		}
	}
	for family, g := range map[uint32]generation{110: gfx6, 120: gfx7, 125: gfx7, 130: gfx8, 135: gfx8, 141: gfx9, 142: gfx9, 143: gfx10, 144: gfx10_3, 145: gfx11,
		146: gfx10_3, 148: gfx11, 149: gfx10_3, 150: gfx11, 151: gfx10_3, 152: gfx12, 7: unknownGeneration} {
		if got := generationOf(family, 1); got != g {
			t.Errorf("family %d is %v, want %v", family, got, g)
		}
	}
}

func TestATotalGoesOnWhereItsFieldWraps(t *testing.T) {
	joules := column{meta: capture.Meta{Name: "energy", Kind: capture.Delta}, wide: 32, scale: 1.0 / 65536}
	events := column{meta: capture.Meta{Name: "events", Kind: capture.Delta}, integer: true}
	for _, c := range []struct {
		col           *column
		before, after uint64
		want          float64 // NaN where the count went back
	}{
		{&joules, 1<<32 - 65536, 65536, 2},
		{&joules, 65536, 5 * 65536, 4},
		{&joules, 65536 * 3, 65536 * 2, math.NaN()},
		{&events, 7, 12, 5},
		{&events, 12, 7, math.NaN()},
	} {
		b := capture.NewBatch(&capture.Schema{Columns: []capture.ColumnSpec{{Meta: c.col.meta, Integer: c.col.integer}}}, 1)
		appendReading(b, 0, c.col, &value{whole: c.after, ok: true}, &value{whole: c.before, ok: true})
		if got := b.Cols[0].Float(0); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s from %d to %d grew by %v, want %v", c.col.meta.Name, c.before, c.after, got, c.want)
		}
	}
}

func TestAClientThatChangesItsDescriptorIsNotCountedAnew(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	const before = "drm-client-id: 1\ndrm-engine-compute: 5000000 ns\n"
	tr.client("10", "3", "0000:03:00.0", before)
	root := sysroot.At(tr.dir)
	ours, _ := (&Source{root: root}).find()
	w := newClientWatch(root, []*gpu{{root: root, card: ours[0]}}, 0)
	w.every = 2
	w.refresh()
	for _, name := range []string{"fd", "fdinfo"} {
		if err := os.Remove(filepath.Join(tr.dir, "proc/10", name, "3")); err != nil {
			t.Fatal(err)
		}
	}
	tr.client("10", "7", "0000:03:00.0", "drm-client-id: 1\ndrm-engine-compute: 5000300 ns\n")
	for range 4 {
		w.refresh()
	}
	if used := w.totals[0].busy[1]; used != 300 || w.totals[0].clients != 1 {
		t.Errorf("%d ns of %d clients, want 300 ns of 1", used, w.totals[0].clients)
	}
	tr.client("11", "3", "0000:03:00.0", "drm-client-id: 2\ndrm-engine-compute: 400 ns\n")
	for range 2 {
		w.refresh()
	}
	if used := w.totals[0].busy[1]; used != 700 {
		t.Errorf("%d ns with a client that began in the meantime, want 700", used)
	}
	for _, pid := range []string{"10", "11"} {
		if err := os.RemoveAll(filepath.Join(tr.dir, "proc", pid)); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		w.refresh()
	}
	if len(w.known) != 0 || w.totals[0].clients != 0 {
		t.Errorf("%d clients are remembered, %d counted after the last one ended", len(w.known), w.totals[0].clients)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, bad := range []map[string]string{{"rate": "1e9"}, {"rate": "-1"}, {"rate": "NaN"}, {"rate": "0.5"}, {"refresh": "1ms"}, {"refresh": "often"}, {"processes": "maybe"}, {"speed": "1"}} {
		if _, err := parseSettings(bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
	tr := newTree(t)
	tr.gpu("0")
	got, _, schema := record(t, tr.source(newFakeDriver()), hwio.Request{Options: map[string]string{"rate": "0"}}, nil)
	if _, ok := got["grbm_samples"]; ok {
		t.Error("rate=0 samples registers")
	}
	if slices.ContainsFunc(schema.Config.Warnings, func(w string) bool { return strings.Contains(w, "switching itself off") }) {
		t.Error("rate=0 warns of sampling")
	}
}

func TestMachinesWithoutSuchAGPUSayWhatIsThere(t *testing.T) {
	tr := newTree(t)
	if st := tr.source().Probe(t.Context()); st.Usable || st.Reason == "" {
		t.Errorf("an empty machine: %+v", st)
	}
	tr.write("sys/class/drm/card0/device/vendor", "0x8086\n")
	tr.link("sys/class/drm/card0/device/driver", "../../bus/pci/drivers/i915")
	if st := tr.source().Probe(t.Context()); st.Usable || !strings.Contains(st.Reason, "card0 (i915)") {
		t.Errorf("a machine with another GPU: %+v", st)
	}
	if _, err := tr.source().Open(t.Context(), hwio.Request{}); err == nil {
		t.Error("it can be opened")
	}
}

func TestPermissionOfANodeIsToldFromItsAbsence(t *testing.T) {
	tr := newTree(t)
	tr.gpu("0")
	s := tr.source()
	s.open = func(string) (node, error) { return nil, fs.ErrNotExist }
	if st := s.Probe(t.Context()); !strings.Contains(st.Reason, "does not exist") || !strings.Contains(st.Fix, "--device") {
		t.Errorf("probe: %+v", st)
	}
}
