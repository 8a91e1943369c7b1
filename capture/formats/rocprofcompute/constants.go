package rocprofcompute

import (
	"math"
	"strings"

	"astrolabe/capture"
)

// oldConstants are the columns that sysinfo.csv had when the tool was called Omniperf (1.x), and what they are called
// since.
var oldConstants = []struct{ old, now string }{
	{"host_name", "hostname"}, {"host_cpu", "cpu_model"}, {"host_distro", "linux_distro"},
	{"host_kernel", "linux_kernel_version"}, {"host_rocmver", "rocm_version"},
	{"date", "timestamp"}, {"gpu_soc", "gpu_arch"}, {"name", "gpu_model"}, {"numSE", "se_per_gpu"},
	{"numCU", "cu_per_gpu"}, {"numSIMD", "simd_per_cu"},
	{"waveSize", "wave_size"}, {"maxWavesPerCU", "max_waves_per_cu"}, {"maxWorkgroupSize", "workgroup_max_size"},
	{"L1", "gpu_l1"}, {"L2", "gpu_l2"},
	{"sclk", "max_sclk"}, {"mclk", "max_mclk"}, {"L2Banks", "total_l2_chan"}, {"LDSBanks", "lds_banks_per_cu"},
	{"numSQC", "sqc_per_gpu"},
	{"numPipes", "pipes_per_gpu"}, {"hbmBW", "hbm_bw"},
}

// nameNow is what a column of sysinfo.csv is called in newer releases, where none of the others has that name.
func nameNow(name string, others []string) string {
	for _, c := range oldConstants {
		if c.old != name {
			continue
		}
		for _, o := range others {
			if o == c.now {
				return name
			}
		}
		return c.now
	}
	return name
}

// constants are the numbers of a sysinfo.csv.
type constants struct {
	cfg  *capture.Config
	arch string
}

func newConstants(cfg *capture.Config) *constants {
	k := &constants{cfg: cfg}
	for _, p := range cfg.Properties {
		if p.Name == "gpu_arch" && p.IsText {
			k.arch, _, _ = strings.Cut(p.Text, ":")
		}
	}
	return k
}

func (k *constants) get(name string) (x float64, ok bool) {
	for _, p := range k.cfg.Properties {
		if p.Name == name {
			return p.Number, !p.IsText
		}
	}
	return 0, false
}

func (k *constants) text(name string) string {
	for _, p := range k.cfg.Properties {
		if p.Name == name && p.IsText {
			return strings.ToUpper(p.Text)
		}
	}
	return ""
}

// add gives a constant that the file lacks the value that the tool's newer releases compute.
func (k *constants) add(name string, x float64) {
	for _, p := range k.cfg.Properties {
		if p.Name == name {
			return
		}
	}
	k.cfg.Properties = append(k.cfg.Properties, capture.Property{Name: name, Number: x})
}

// complete adds what older releases did not write and newer ones compute from the rest.
func (k *constants) complete() {
	single := k.arch == "gfx908" || k.arch == "gfx90a"
	if !single && !strings.HasPrefix(k.arch, "gfx94") && k.arch != "gfx950" {
		return
	}
	const channelsPerDie = 16
	if single {
		k.add("num_xcd", 1)
		k.add("total_l2_chan", 2*channelsPerDie)
	} else if dies, ok := k.get("num_xcd"); ok {
		k.add("total_l2_chan", channelsPerDie*dies)
	}
	cus, okC := k.get("cu_per_gpu")
	if engines, ok := k.get("se_per_gpu"); ok && okC && engines > 0 {
		k.add("sqc_per_gpu", math.Ceil(cus/engines/2)*engines) // two CUs of a shader engine share one
	}
	channels, ok := k.get("total_l2_chan")
	switch k.text("memory_partition") {
	case "NPS4":
		k.add("num_hbm_channels", 32)
	case "NPS8":
		k.add("num_hbm_channels", 16)
	default:
		if ok && !k.doubtful() {
			k.add("num_hbm_channels", channels)
		}
	}
}

// enginesPerDie is how many shader engines an XCD of the MI300 series has.
const enginesPerDie = 4

// doubtful reports whether the file counts fewer dies than the shader engines of the whole GPU are on. Releases that do
// not know a product take it for one die.
func (k *constants) doubtful() bool {
	dies, ok := k.get("num_xcd")
	engines, okE := k.get("se_per_gpu")
	return ok && okE && strings.HasPrefix(k.arch, "gfx94") && k.text("compute_partition") == "SPX" &&
		dies*enginesPerDie < engines
}
