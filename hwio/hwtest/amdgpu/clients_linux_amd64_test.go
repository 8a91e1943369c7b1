package amdgpu

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/clients"
)

// bits are the blocks that radeontop names, with their bits in GRBM_STATUS.
var bits = map[string]uint{"gpu": 31, "ta": 14, "sx": 20, "spi": 22, "sc": 24, "pa": 25, "db": 26, "cb": 30}

var shown = regexp.MustCompile(`(\w+) ([0-9.]+)%(?: ([0-9.]+)(mb|ghz))?`)

// radeontop reads by libdrm_amdgpu, which takes over a device only when it has the card's links, GB_ADDR_CONFIG and the sizes of its memories.
func TestForeignRadeontopShowsWhatItWasTold(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	radeontop := clients.Path(t, "radeontop", "radeontop")
	const reads = 50 // a second
	for _, c := range []struct {
		name string
		part *part
		bits []string
	}{{"gfx9", vega20, []string{"gpu", "ta", "sx", "spi", "sc", "pa", "db", "cb"}}, {"gfx1151", strixHalo, []string{"gpu", "sx", "spi", "sc", "pa", "db", "cb"}}} {
		t.Run(c.name, func(t *testing.T) {
			r, out := clients.Run(t, clients.Options{Device: newDevice(c.part), Seed: 1, Scenarios: []string{steppedScenario}},
				radeontop, "-d", "-", "-l", "2", "-t", fmt.Sprint(reads), "-i", "1")
			truth := r.Truth.(*Truth).GPUs[0]
			values := shown.FindAllStringSubmatch(out, -1)
			percent, amount := map[string][]string{}, map[string][]string{}
			for _, v := range values {
				percent[v[1]], amount[v[1]] = append(percent[v[1]], v[2]), append(amount[v[1]], v[3])
			}
			if len(percent["gpu"]) != 2 {
				t.Fatalf("it prints:\n%s", out)
			}
			same := clients.Compare(t, "radeontop", c.name)
			var told []uint32
			for _, a := range truth.Answers {
				if a.Register == grbmStatus {
					told = append(told, a.Value)
				}
			}
			// The first read is a trial. A line shows the second that was finished last, which two lines may share.
			for line := range 2 {
				best := -1
				for from := 1; from+reads <= len(told); from += reads {
					fits := true
					for _, name := range c.bits {
						fits = fits && percent[name][line] == fmt.Sprintf("%.2f", share(told[from:from+reads], bits[name]))
					}
					if fits {
						best = from
					}
				}
				for _, name := range c.bits {
					want := "of a second that it read"
					if best >= 0 {
						want = fmt.Sprintf("%.2f", share(told[best:best+reads], bits[name]))
					}
					same.Equal(name, percent[name][line], want)
				}
				l := c.part.heavy
				same.Equal("vram", amount["vram"][line], fmt.Sprintf("%.2f", float64(l.VRAM)/(1<<20)))
				same.Equal("gtt", amount["gtt"][line], fmt.Sprintf("%.2f", float64(l.GTT)/(1<<20)))
				same.Equal("share of vram", percent["vram"][line], fmt.Sprintf("%.2f", 100*float64(l.VRAM)/float64(c.part.vram-reserved)))
				same.Equal("share of gtt", percent["gtt"][line], fmt.Sprintf("%.2f", 100*float64(l.GTT)/float64(c.part.gtt)))
				for name, mhz := range map[string]uint64{"sclk": l.SclkMHz, "mclk": l.MclkMHz} {
					ghz, err := strconv.ParseFloat(amount[name][line], 64)
					if err != nil {
						t.Fatal(err)
					}
					same.Within(name, ghz, float64(mhz)/1000, 0.00051)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// share is the percentage of answers that have a bit.
func share(answers []uint32, bit uint) float64 {
	n := 0
	for _, a := range answers {
		n += int(a >> bit & 1)
	}
	return 100 * float64(n) / float64(len(answers))
}

// A small program asks libdrm_amdgpu for what the card says of itself.
func TestForeignLibraryReadsTheCard(t *testing.T) {
	gcc := clients.Path(t, "gcc", "gcc")
	const headers = "/usr/include/libdrm"
	if _, err := os.Stat(headers + "/amdgpu.h"); err != nil {
		t.Skip("SKIPPED: libdrm_amdgpu is not installed (Debian's libdrm-dev)")
	}
	exe := filepath.Join(t.TempDir(), "libdrm")
	if out, err := exec.Command(gcc, "-Wall", "-I"+headers, "-o", exe, "testdata/libdrm.c", "-ldrm", "-ldrm_amdgpu").CombinedOutput(); err != nil {
		t.Fatalf("build the client: %v\n%s", err, out)
	}
	for name, p := range map[string]*part{"gfx9": vega20, "gfx1151": strixHalo} {
		t.Run(name, func(t *testing.T) {
			r, out := clients.Run(t, clients.Options{Device: newDevice(p), Seed: 1, Scenarios: []string{steppedScenario}}, exe)
			c := clients.Compare(t, "libdrm_amdgpu", name)
			got := map[string]string{}
			for line := range strings.Lines(out) {
				k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
				got[k] = v
			}
			l, answers := p.heavy, r.Truth.(*Truth).GPUs[0].Answers
			apu := uint64(0)
			if p.apu {
				apu = 1
			}
			for k, v := range map[string]any{
				"devices": 1, "major": 3, "minor": 57, "asic_id": p.device, "chip_external_rev": p.external, "family_id": p.family,
				"max_engine_clk": p.maxSclk * 1000, "max_memory_clk": p.maxMclk * 1000, "num_shader_engines": p.engines,
				"num_shader_arrays_per_engine": p.arrays, "cu_active_number": p.cus, "vram_bit_width": p.vramBits, "gb_addr_cfg": p.addrConfig,
				"pci_rev_id": p.revision, "gpu_counter_freq": 100_000, "ids_flags": apu,
				"vram_usage": l.VRAM, "gtt_usage": l.GTT, "bytes_moved": 0, "evictions": 0, "vram_heap": p.vram - reserved, "gtt_heap": p.gtt,
				"sclk": l.SclkMHz, "mclk": l.MclkMHz, "temperature": l.Celsius * 1000, "load": l.BusyPercent, "power": l.Watts, "vddgfx": l.GfxMillivolts,
				"grbm_status": answers[len(answers)-1].Value,
			} {
				c.Equal(k, got[k], v)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// nvtop takes clocks, temperature and power of libdrm_amdgpu and of sysfs, by libsystemd's enumeration of devices and of their sensors.
func TestForeignNvtopShowsTheSensors(t *testing.T) {
	path, args := clients.Debian13(t, "nvtop", "nvtop")
	for _, c := range []struct {
		name, title, fan, power string
		parts                   []*part
		scenarios               []string
	}{
		{"gfx9", "AMD Radeon VII", "40%", "240W", []*part{vega20}, nil},
		{"gfx1151", "AMD Radeon Graphics", "CPU Fan", "98W", []*part{strixHalo}, nil},
		{"gfx9 two-gpus", "AMD Radeon VII", "40%", "240W", []*part{vega20, strixHalo}, []string{twoScenario}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out := clients.Run(t, clients.Options{Device: newDevice(c.parts[0]), Seed: 1, Scenarios: append(c.scenarios, steppedScenario)}, path, append(args, "-s")...)
			var shown []map[string]any
			if err := json.Unmarshal([]byte(out[strings.Index(out, "["):]), &shown); err != nil || len(shown) != len(c.parts) {
				t.Fatalf("%v:\n%s", err, out)
			}
			same := clients.Compare(t, "nvtop", c.name)
			for i, p := range c.parts {
				l, got := p.heavy, shown[i]
				if i == 0 {
					same.Equal("name", got["device_name"], c.title)
					same.Equal("fan", got["fan_speed"], c.fan)
					same.Equal("power", got["power_draw"], c.power)
				}
				same.Equal("core clock", got["gpu_clock"], fmt.Sprintf("%dMHz", l.SclkMHz))
				same.Equal("memory clock", got["mem_clock"], fmt.Sprintf("%dMHz", l.MclkMHz))
				same.Equal("temperature", got["temp"], fmt.Sprintf("%dC", l.Celsius))
				same.Equal("load", got["gpu_util"], fmt.Sprintf("%d%%", l.BusyPercent))
				same.Equal("memory in use", got["mem_util"], fmt.Sprintf("%d%%", l.VRAM*100/p.vram))
			}
		})
	}
}

// rocm-smi is AMD's own: its library finds GPUs by what the driver for compute shows of them, and reads sensors and clocks of sysfs. The table of an MI300X is newer
// than the release that Debian has, which ends where it is asked for it.
func TestForeignRocmSmiShowsTheCards(t *testing.T) {
	rocm := clients.Path(t, "rocm-smi", "rocm-smi")
	for _, c := range []struct {
		name string
		part *part
		ask  []string
		want []string // of the keys below
		exit int      // 2 where it has no value of something that it was asked for
	}{
		{"gfx9", vega20, []string{"--showuse", "--showtemp", "--showclocks", "--showfan", "--showmemuse"},
			[]string{"GPU use (%)", "GPU memory use (%)", "Temperature (Sensor edge) (C)", "Temperature (Sensor junction) (C)", "sclk clock speed:", "fclk clock speed:", "Fan RPM", "Average Graphics Package Power (W)"}, 2},
		{"gfx1151", strixHalo, []string{"--showuse", "--showtemp", "--showclocks"}, []string{"GPU use (%)", "Temperature (Sensor edge) (C)", "sclk clock speed:", "fclk clock speed:"}, 2},
		{"gfx942", mi300x, nil, []string{"Average Graphics Package Power (W)"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"--json", "--showid", "--showpower", "--showmeminfo", "vram", "gtt"}, c.ask...)
			_, out := clients.Run(t, clients.Options{Device: newDevice(c.part), Seed: 1, Scenarios: []string{steppedScenario}, Exit: c.exit}, rocm, args...)
			var shown map[string]map[string]string
			if err := json.NewDecoder(strings.NewReader(out[max(0, strings.Index(out, "{")):])).Decode(&shown); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			same, got, l := clients.Compare(t, "rocm-smi", c.name), shown["card0"], c.part.heavy
			if len(shown) != 1 {
				t.Errorf("%d cards: a partition's is none of its own here", len(shown))
			}
			celsius := func(v uint64) string { return fmt.Sprintf("%d.0", v) }
			all := map[string]string{
				"GPU use (%)": fmt.Sprint(l.BusyPercent), "GPU memory use (%)": fmt.Sprint(l.MemPercent),
				"Temperature (Sensor edge) (C)": celsius(l.Celsius), "Temperature (Sensor junction) (C)": celsius(l.HotCelsius),
				"sclk clock speed:": fmt.Sprintf("(%dMhz)", l.SclkMHz), "fclk clock speed:": fmt.Sprintf("(%dMhz)", l.FclkMHz),
				"Fan RPM": fmt.Sprint(l.RPM), "Average Graphics Package Power (W)": celsius(l.Watts),
			}
			for _, key := range c.want {
				same.Equal(key, got[key], all[key])
			}
			for key, v := range map[string]any{
				"GPU ID": fmt.Sprintf("0x%x", c.part.device), "VRAM Total Memory (B)": c.part.vram, "VRAM Total Used Memory (B)": l.VRAM,
				"GTT Total Memory (B)": c.part.gtt, "GTT Total Used Memory (B)": l.GTT,
			} {
				same.Equal(key, got[key], v)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
