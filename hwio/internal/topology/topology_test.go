package topology

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"astrolabe/hwio/internal/sysroot"
)

// tree writes files below a new folder and returns it as a root.
func tree(t *testing.T, files map[string]string) sysroot.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return sysroot.At(dir)
}

func clusters(t *testing.T, files map[string]string) []int {
	t.Helper()
	m, err := Read(tree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, c := range m.CPUs {
		out = append(out, c.Cluster)
	}
	return out
}

func TestBigLittleCoresFormOneClusterPerCapacity(t *testing.T) {
	files := map[string]string{"sys/devices/system/cpu/online": "0-7\n"}
	for i, capacity := range []int{250, 250, 250, 250, 700, 700, 700, 1024} {
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpu_capacity", i)] = fmt.Sprint(capacity)
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/cluster_id", i)] = "-1"
	}
	if got, want := clusters(t, files), []int{0, 0, 0, 0, 1, 1, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("clusters = %v, want %v", got, want)
	}
}

func TestEqualCoresWithPrivateCachesAndTurboBinsAreOneCluster(t *testing.T) {
	files := map[string]string{"sys/devices/system/cpu/online": "0-3\n"}
	for i, khz := range []int{5000000, 5200000, 5000000, 5000000} {
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/cluster_id", i)] = fmt.Sprint(i)
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/physical_package_id", i)] = "0"
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", i)] = fmt.Sprint(khz)
	}
	if got, want := clusters(t, files), []int{0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("clusters = %v, want %v", got, want)
	}
}

func TestClusterIdsOfSeveralCoresAndPackagesSeparateClusters(t *testing.T) {
	files := map[string]string{"sys/devices/system/cpu/online": "0-3,6-9\n"}
	for i, id := range map[int][2]int{0: {0, 0}, 1: {0, 0}, 2: {0, 1}, 3: {0, 1}, 6: {1, 0}, 7: {1, 0}, 8: {1, 1}, 9: {1, 1}} {
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/physical_package_id", i)] = fmt.Sprint(id[0])
		files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/cluster_id", i)] = fmt.Sprint(id[1])
	}
	if got, want := clusters(t, files), []int{0, 0, 1, 1, 2, 2, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("clusters = %v, want %v", got, want)
	}
}

func TestHybridPMUsSeparateClustersAndServeTheirOwnCPUs(t *testing.T) {
	files := map[string]string{
		"sys/devices/system/cpu/online":                   "0-3\n",
		"sys/bus/event_source/devices/cpu_core/cpus":      "0-1\n",
		"sys/bus/event_source/devices/cpu_core/type":      "4\n",
		"sys/bus/event_source/devices/cpu_atom/cpus":      "2-3\n",
		"sys/bus/event_source/devices/cpu_atom/type":      "10\n",
		"sys/bus/event_source/devices/uncore_imc/type":    "20\n",
		"sys/bus/event_source/devices/uncore_imc/cpumask": "0\n",
	}
	m, err := Read(tree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Cores) != 2 || m.PMUOf(3).Name != "cpu_atom" || m.PMUOf(0).Type != 4 {
		t.Errorf("core PMUs = %+v", m.Cores)
	}
	if m.Clusters() != 2 || m.CPUs[2].Cluster != 1 {
		t.Errorf("CPUs = %+v", m.CPUs)
	}
}

func TestOnlineFallsBackToProcStat(t *testing.T) {
	got, err := Online(tree(t, map[string]string{"proc/stat": "cpu  1 2\ncpu0 1 2\ncpu2 3 4\nintr 5\n"}))
	if err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Errorf("Online = %v, %v", got, err)
	}
	if got, err := Online(tree(t, nil)); err == nil {
		t.Errorf("Online of nothing = %v, want an error", got)
	}
}

func TestConfigNamesDeviceAndProperties(t *testing.T) {
	m, err := Read(tree(t, map[string]string{
		"sys/devices/system/cpu/online":                        "0\n",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "2600000\n",
		"proc/cpuinfo":              "processor\t: 0\nvendor_id\t: GenuineTest\nmodel name\t: Test CPU 1\n",
		"proc/sys/kernel/osrelease": "6.1.0\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	cfg := m.Config()
	if cfg.GPU != "cpu" || cfg.Device.Name != "Test CPU 1" || cfg.Device.Driver != "Linux 6.1.0" || cfg.Device.Vendor != "GenuineTest" {
		t.Errorf("config = %+v", cfg)
	}
	want := map[string]float64{"cpus_online": 1, "cpu_clusters": 1, "cpu_cluster.0": 0, "cpu_max_freq.0": 2.6e9}
	for _, p := range cfg.Properties {
		if v, ok := want[p.Name]; !ok || v != p.Number {
			t.Errorf("property %s = %v, want %v", p.Name, p.Number, v)
		}
		delete(want, p.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing properties: %v", want)
	}
}
