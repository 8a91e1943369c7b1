//go:build linux

package amdgpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio/hwtest"
	model "astrolabe/hwio/hwtest/amdgpu"
	"astrolabe/hwio/hwtest/emulated"
)

// on is an emulated device, whose time is stepped by rounds of reading and which interrupts the program after so many of them (0: never).
func on(t *testing.T, device string, scenarios []string, rounds int) hwtest.Options {
	return hwtest.Options{Device: emulated.Device(t, model.Models(), device), Settings: hwtest.Settings{Scenarios: append([]string{"stepped"}, scenarios...)}, EndAfter: rounds}
}

// recorded is a capture made on an emulated device.
type recorded struct {
	t     *testing.T
	c     *capture.Capture
	truth *model.Truth
	out   string
}

// recordOn records for so many rounds of reading, each of which takes the device 100 ms further, or until the recording ends by itself.
func recordOn(t *testing.T, device string, scenarios []string, rounds int, args ...string) *recorded {
	t.Helper()
	e := emulated.Record[*model.Truth](t, on(t, device, scenarios, rounds), "amdgpu", "10ms", append([]string{"--source-option", "refresh=30ms"}, args...)...)
	c := e.Open(t)
	if c.Len() == 0 {
		t.Fatalf("no samples: %s", e.Output)
	}
	return &recorded{t: t, c: c, truth: e.Truth, out: e.Output}
}

func (r *recorded) counter(name string) *capture.Counter {
	r.t.Helper()
	base, instance, one := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	c := r.c.Counter(base)
	if c != nil && one {
		c = c.Instance(instance)
	}
	if c == nil {
		r.t.Fatalf("the capture has no counter %s: %s", name, r.out)
	}
	return c
}

// busy compares the samples of every block of a GPU with the answers that the device gave: rows hold a stretch of them, without a hole, in which every
// row has as many ones of every block as its answers had.
func (r *recorded) busy(gpu int, instance string) {
	r.t.Helper()
	truth := &r.truth.GPUs[gpu]
	of := func(name string) []float64 {
		c := r.counter(name)
		if instance != "" {
			c = c.Instance(instance)
		}
		return c.Floats()
	}
	for register, counter := range map[uint32]string{0x8010: "grbm_samples", 0x8008: "grbm2_samples"} {
		// before[k][n] is how many of the first n answers have the bit of block k.
		var names []string
		var before [][]int
		for _, w := range truth.Work {
			if w.Reg != register {
				continue
			}
			sums := []int{0}
			for _, a := range truth.Answers {
				if a.Register == register {
					sums = append(sums, sums[len(sums)-1]+int(a.Value>>w.Bit&1))
				}
			}
			names, before = append(names, w.Name), append(before, sums)
		}
		var rows [][]int // per row: samples, then ones of each block
		all, ones := 0, make([]int, len(names))
		for i, n := range of(counter) {
			rows = append(rows, append([]int{int(n)}, make([]int, len(names))...))
			all += rows[i][0]
		}
		for k, name := range names {
			for i, n := range of("busy_" + name + "_ones") {
				if math.IsNaN(n) {
					n = 0 // no sample fell into the row
				}
				rows[i][1+k] = int(n)
				ones[k] += int(n)
			}
		}
		fits := func(first int) bool {
			for _, row := range rows {
				for k := range names {
					if before[k][first+row[0]]-before[k][first] != row[1+k] {
						return false
					}
				}
				first += row[0]
			}
			return true
		}
		answers := len(before[0]) - 1
		found := false
		for first := 0; first+all <= answers && !found; first++ {
			found = fits(first)
		}
		if !found || all < 10 {
			r.t.Errorf("%s: no stretch of the %d answers is what %d rows say of %d samples", counter, answers, len(rows), all)
		}
		for k, name := range names {
			if all > 200 && (ones[k] == 0 || ones[k] == all) {
				r.t.Errorf("%s was busy in %d of %d samples", name, ones[k], all)
			}
		}
	}
}

// levels checks that a counter shows the value of heavy work, that of light work, and nothing else.
func (r *recorded) levels(name string, heavy, light float64) {
	r.t.Helper()
	c := r.counter(name)
	seen := map[float64]bool{}
	for i, v := range c.Floats() {
		if math.IsNaN(v) {
			continue
		}
		near := func(x float64) bool { return math.Abs(v-x) <= 1e-9*x }
		if !near(heavy) && !near(light) {
			r.t.Errorf("%s is %v in sample %d, want %v or %v", name, v, i, heavy, light)
			return
		}
		seen[heavy] = seen[heavy] || near(heavy)
		seen[light] = seen[light] || near(light)
	}
	if !seen[heavy] || !seen[light] {
		r.t.Errorf("%s never shows both %v and %v", name, heavy, light)
	}
}

func TestEmulatedDiscreteGPUIsMeasuredAsItTrulyWorks(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", nil, enough)
	r.busy(0, "")
	truth := &r.truth.GPUs[0]
	r.levels("sensor_sclk", 1.801e9, 1.3e9)
	r.levels("sensor_load", 80, 20)
	r.levels("sensor_power", 240, 120)
	r.levels("power", 240, 120)
	r.levels("gpu_busy_percent", 80, 20)
	r.levels("mem_busy_percent", 48, 12)
	r.levels("dpm_sclk", 1.801e9, 1.3e9)
	r.levels("fan_speed", 2900, 2100)
	r.levels("vram_used", 6<<30, 5<<30)
	r.levels("gpu_metrics_average_socket_power", 240, 120)
	r.levels("gpu_metrics_pcie_link_speed", 8, 8)
	r.levels("throttled", 100, 0)
	r.energy()
	r.engines()
	if v := r.counter("clients").Floats(); v[len(v)-1] != 2 {
		t.Errorf("%v clients, want the 2 of three descriptors", v)
	}
	if r.c.GPU != "amd-live" || r.c.Device.Name != "Radeon VII" || r.c.Device.ID != "0000:03:00.0" || truth.Registers[0x8010] == 0 {
		t.Errorf("device %+v, %d reads of GRBM_STATUS", r.c.Device, truth.Registers[0x8010])
	}
}

func TestEmulatedPartitionsAreDevices(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx942", nil, enough)
	if got := r.c.Devices(); !slices.Equal(got, []string{"card0/xcp0", "card0/xcp1"}) {
		t.Errorf("the devices are %q", got)
	}
	if whole := r.counter("gpu_metrics_xcp_gfx_busy_inst"); whole.Device != "" || whole.Instance("1.3").Device != "card0/xcp1" {
		t.Errorf("all dies together are of %q, the last of %q", whole.Device, whole.Instance("1.3").Device)
	}
	for instance, busy := range map[string][2]float64{"0.0": {96, 24}, "0.3": {93, 21}, "1.0": {95, 23}, "1.3": {92, 20}} {
		r.levels("gpu_metrics_xcp_gfx_busy_inst["+instance+"]", busy[0], busy[1])
	}
	r.levels("gpu_metrics_curr_socket_power", 740, 300)
	if c := r.counter("gpu_metrics_xcp_gfx_busy_inst"); len(c.Instances) != 8 {
		t.Errorf("%d dies, want four of each of two partitions", len(c.Instances))
	}
	held, err := metrics.Resolve(r.c, "power_limit_time")
	if err != nil {
		t.Fatal(err)
	}
	if v := held.Total().Float(); v <= 0 || v > model.HeldByPower+1 {
		t.Errorf("the power limit holds it down %v %% of the time, want up to %d", v, model.HeldByPower)
	}
	if got := r.c.Device.Extra["current_compute_partition"]; got != "DPX" {
		t.Errorf("the partition mode is %q", got)
	}
	if got := r.c.Device.Extra["partitions"]; got != "card0/xcp0: partition 0 (card0, /dev/dri/renderD128), 4 dies; "+
		"card0/xcp1: partition 1 (card1, /dev/dri/renderD129), 4 dies" {
		t.Errorf("the partitions are %q", got)
	}
	if r.c.Device.Name != "AMD Instinct MI300X OAM" || r.c.Counter("vram_used") == nil || len(r.c.Counter("vram_used").Instances) > 0 {
		t.Errorf("%s with more memory than one card: a partition's node answers for the whole GPU", r.c.Device.Name)
	}
}

func TestOneEmulatedPartitionIsRecordedAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		device, name string
		busy         map[string][2]float64
	}{
		{"card0/xcp0", "card0/xcp0", map[string][2]float64{"0.0": {96, 24}, "0.3": {93, 21}}},
		{"/dev/dri/renderD129", "card0/xcp1", map[string][2]float64{"1.0": {95, 23}, "1.3": {92, 20}}},
	} {
		r := recordOn(t, "gfx942", nil, enough, "--source-option", "device="+c.device)
		for instance, busy := range c.busy {
			r.levels("gpu_metrics_xcp_gfx_busy_inst["+instance+"]", busy[0], busy[1])
		}
		if got := r.c.Devices(); !slices.Equal(got, []string{c.name}) || r.counter("gpu_metrics_xcp_gfx_busy_inst").Device != c.name {
			t.Errorf("%s: the devices are %q", c.device, got)
		}
		for _, of := range []string{"vram_used", "gpu_metrics_curr_socket_power", "grbm_samples", "clients", "power"} {
			if r.c.Counter(of) != nil {
				t.Errorf("%s: %s is the whole card's", c.device, of)
			}
		}
		if _, ok := r.c.Property("cu_per_gpu"); ok || !strings.HasSuffix(r.c.Device.Name, ", partition "+c.name[len(c.name)-1:]) {
			t.Errorf("%s: %s has all compute units", c.device, r.c.Device.Name)
		}
		if !strings.Contains(r.out, "device=card0 records them") {
			t.Errorf("%s: nothing says what is left out: %s", c.device, r.out)
		}
	}
}

func TestWhatIsOfTheWholeCardIsNoPartitions(t *testing.T) {
	t.Parallel()
	e := emulated.Astrolabe[*model.Truth](t, on(t, "gfx942", nil, 0), "record", "--source", "amdgpu", "--source-option", "device=card0/xcp1", "--counters", "power", "--duration", "10ms", "-o", emulated.File)
	if e.Exit == 0 || !strings.Contains(e.Output, "it is of the whole card") || !strings.Contains(e.Output, "device=card0") {
		t.Errorf("power of a partition: exit status %d: %s", e.Exit, e.Output)
	}
}

// energy compares the energy, whose count wraps in the recording, with that between two of the device's tables.
func (r *recorded) energy() {
	r.t.Helper()
	truth := &r.truth.GPUs[0]
	got := r.counter("gpu_metrics_energy_accumulator").Total().Float()
	for from := range truth.Rounds {
		for to := from + truth.Rounds/2; to <= truth.Rounds; to++ {
			if want := float64(truth.Energy(int64(to)*model.Step)-truth.Energy(int64(from)*model.Step)) / 65536; got > 80 && math.Abs(got-want) < 1e-6 {
				return
			}
		}
	}
	r.t.Errorf("%v J were used, which is the energy between no two of %d rounds", got, truth.Rounds)
}

// engines compares the engines' times with those of the two clients between two rounds: the second may have been read one round after the first.
func (r *recorded) engines() {
	r.t.Helper()
	rounds := r.truth.GPUs[0].Rounds
	total := func(engine string) float64 { return r.counter("engine_" + engine).Total().Float() }
	// Only the first client uses the copy engine and only the second computes.
	first, second := total("dma")/(model.Engines["dma"][0]*model.Step), total("compute")/(model.Engines["compute"][1]*model.Step)
	whole := func(n float64) bool { return math.Abs(n-math.Round(n)) < 1e-6 && n >= 1 && n <= float64(rounds) }
	if !whole(first) || !whole(second) || math.Abs(first-second) > 1.5 {
		r.t.Errorf("the engines' times grew for %v and %v of %d rounds", first, second, rounds)
	}
	want := (model.Engines["gfx"][0]*first + model.Engines["gfx"][1]*second) * model.Step
	if got := total("gfx"); math.Abs(got-want) > 10 {
		r.t.Errorf("graphics worked for %v ns, in the rounds of the other engines it did for %v ns", got, want)
	}
}

// enough rounds of reading for two stretches of heavy work and one of light work in between.
const enough = 16

func TestEmulatedAPUIsMeasuredAsItTrulyWorks(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx1151", nil, enough)
	r.busy(0, "")
	r.levels("sensor_input_power", 98, 31)
	r.levels("power_now", 98, 31)
	r.levels("gpu_metrics_average_socket_power", 98, 31)
	r.levels("gpu_metrics_temperature_gfx", 78.25, 58.25)
	r.levels("gpu_metrics_average_fclk_frequency", 2e9, 1.2e9)
	r.levels("gpu_metrics_average_gfx_activity", 72, 18)
	r.levels("sensor_power", 98, 31) // the driver answers with the power of the moment where it has no average
	if r.c.Device.Extra["chip"] != "gfx1151" {
		t.Errorf("device %+v", r.c.Device)
	}
	if n := len(r.counter("gpu_metrics_temperature_core").Instances); n != 8 {
		t.Errorf("%d cores have a temperature, 8 exist", n)
	}
	for _, name := range []string{"mem_busy_percent", "fan_speed", "pcie_link_width", "gpu_metrics_temperature_skin", "busy_wd_ones", "busy_vgt_ones"} {
		if r.c.Counter(name) != nil {
			t.Errorf("an APU has no %s", name)
		}
	}
}

func TestEmulatedGPUsAreBothMeasured(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"two-gpus"}, 8, "--source-option", "rate=4000")
	r.busy(0, "card0")
	r.busy(1, "card1")
	if p := r.counter("power").Instances; len(p) != 1 || p[0].Meta.Instance != "card0" {
		t.Errorf("power has %d instances", len(p))
	}
	r = recordOn(t, "gfx9", []string{"two-gpus"}, 8, "--source-option", "device=card1")
	if r.counter("power_now").Total().Missing() || r.c.Counter("power") != nil {
		t.Error("device=card1 does not measure the APU alone")
	}
}

// missing checks that a counter misses values for a reason that says what, and has others.
func (r *recorded) missing(name, what string) {
	r.t.Helper()
	c := r.counter(name)
	lacks, has := 0, 0
	for i, v := range c.Floats() {
		if !math.IsNaN(v) {
			has++
			continue
		}
		lacks++
		if why, _ := c.Why(i); !strings.Contains(why.Text, what) {
			r.t.Errorf("%s[%d] is missing because %q, want %q", name, i, why.Text, what)
			return
		}
	}
	if lacks == 0 || has == 0 {
		r.t.Errorf("%s misses %d values and has %d", name, lacks, has)
	}
}

func TestEmulatedResetLeavesAHoleInTheRegisters(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"reset"}, enough)
	r.missing("busy_gfx_ones", "reset")
	if lost := r.counter("vram_lost").Total().Float(); lost != 1 {
		t.Errorf("%v resets lost memory, want 1", lost)
	}
	if !strings.Contains(r.out, "GRBM_STATUS could not be read") {
		t.Errorf("no warning: %s", r.out)
	}
}

func TestEmulatedRefusalOfARegisterIsTold(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx1151", []string{"refused-registers"}, 8)
	if r.c.Counter("busy_cpc_ones") != nil || r.counter("grbm_samples").Total().Float() == 0 {
		t.Error("the refused register is recorded, or the other is not")
	}
	if !strings.Contains(r.out, "GRBM_STATUS2: the driver does not let this register be read") {
		t.Errorf("no warning: %s", r.out)
	}
}

func TestEmulatedSleepIsNotDisturbedAndNotZero(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"runtime-off"}, enough)
	for _, name := range []string{"gpu_busy_percent", "power", "sensor_sclk", "gpu_metrics_temperature_edge", "busy_gfx_ones"} {
		r.missing(name, "powered off")
	}
	if p := r.counter("power"); p.Min().Float() < 100 {
		t.Errorf("a sleeping GPU was recorded with %v W", p.Min().Float())
	}
	if woken := r.truth.GPUs[0].Woken; woken != 0 {
		t.Errorf("the sleeping GPU was asked %d times", woken)
	}
}

func TestEmulatedRefusalOfTheNodeLeavesSysfs(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"denied"}, enough)
	if r.c.Counter("grbm_samples") != nil || !strings.Contains(r.out, "no permission to open /dev/dri/renderD128") {
		t.Errorf("warnings: %s", r.out)
	}
	r.levels("vram_used", 6<<30, 5<<30)
}

func TestEmulatedRemovalEndsTheRecordingInGoodOrder(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"unplug"}, 0)
	r.busy(0, "")
	if !strings.Contains(r.out, "removed") {
		t.Errorf("nothing is said of the removal: %s", r.out)
	}
}

func TestEmulatedOldKernelGivesWhatItHas(t *testing.T) {
	t.Parallel()
	r := recordOn(t, "gfx9", []string{"old-kernel"}, 8)
	r.busy(0, "")
	for _, name := range []string{"vram_lost", "evictions", "gpu_metrics_temperature_edge", "sensor_vddgfx"} {
		if r.c.Counter(name) != nil {
			t.Errorf("an old kernel has no %s", name)
		}
	}
	if p, ok := r.c.Property("gl2c_bytes"); ok {
		t.Errorf("an old kernel gave %+v", p)
	}
}

func TestEmulatedTablesWithoutUseAreLeftOut(t *testing.T) {
	t.Parallel()
	for scenario, why := range map[string]string{"unknown-metrics-version": "revision 1.9", "metrics-empty": "holds no data"} {
		e := emulated.Astrolabe[*model.Truth](t, on(t, "gfx1151", []string{scenario}, 0), "record", "--source", "amdgpu", "--counters", "gpu_metrics_temperature_gfx", "-o", emulated.File)
		if e.Exit == 0 || !strings.Contains(e.Output, why) {
			t.Errorf("%s: exit %d, %s", scenario, e.Exit, e.Output)
		}
		r := recordOn(t, "gfx1151", []string{scenario}, 5)
		if r.c.Counter("gpu_metrics_temperature_gfx") != nil || !strings.Contains(r.out, why) {
			t.Errorf("%s: the table was read, or nothing is said: %s", scenario, r.out)
		}
	}
}

func TestEmulatedMachineIsExplainedByTheDoctor(t *testing.T) {
	t.Parallel()
	out := emulated.Astrolabe[*model.Truth](t, on(t, "gfx9", []string{"denied", "unknown-metrics-version"}, 0), "doctor").Output
	for _, want := range []string{"Radeon VII", "no permission to open /dev/dri/renderD128", "revision 1.9", "profile_standard"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q: %s", want, out)
		}
	}
}
