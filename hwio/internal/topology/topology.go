// Package topology describes the machine's processors: which are online, which belong together, how fast they may run.
// It reads /proc/cpuinfo and /sys/devices/system/cpu below a root and opens nothing else.
package topology

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// CPU is one processor as the scheduler sees it.
type CPU struct {
	ID       int
	Cluster  int    // processors that share a design and a cluster; numbered from 0 in the order of their first CPU
	MaxHz    uint64 // highest frequency, 0 if the kernel does not say
	Capacity uint64 // relative speed, 1024 is the fastest; 0 if the kernel does not say
	Package  int    // -1 if the kernel does not say
}

// CorePMU is the counter unit of one kind of core. Machines with equal cores have one, hybrid ones several.
type CorePMU struct {
	Name string
	Type uint32
	CPUs []int // nil where it serves every CPU
}

// Machine is what topology knows of a machine.
type Machine struct {
	Model  string // processor name
	Vendor string
	Kernel string // release
	CPUs   []CPU  // online ones, by number
	Cores  []CorePMU
}

const cpuDir = "/sys/devices/system/cpu"

// Read describes the machine below root. What the kernel does not tell stays empty; it fails only where even the list
// of CPUs cannot be read.
func Read(root sysroot.Root) (*Machine, error) {
	online, err := Online(root)
	if err != nil {
		return nil, err
	}
	m := &Machine{Cores: corePMUs(root)}
	m.Model, m.Vendor = model(root)
	m.Kernel, _ = root.String("/proc/sys/kernel/osrelease")
	type key struct {
		pmu          string
		capacity, hz uint64
		pkg, cluster int
	}
	keys := make([]key, len(online))
	for i, id := range online {
		dir := fmt.Sprintf("%s/cpu%d", cpuDir, id)
		c := CPU{ID: id, Package: -1}
		if khz, err := root.Uint(dir + "/cpufreq/cpuinfo_max_freq"); err == nil {
			c.MaxHz = khz * 1000
		}
		c.Capacity, _ = root.Uint(dir + "/cpu_capacity")
		if p, err := root.Int(dir + "/topology/physical_package_id"); err == nil {
			c.Package = int(p)
		}
		cluster := -1
		if v, err := root.Int(dir + "/topology/cluster_id"); err == nil && v >= 0 && v < 1<<15 {
			cluster = int(v)
		}
		m.CPUs = append(m.CPUs, c)
		keys[i] = key{pkg: c.Package, capacity: c.Capacity, hz: c.MaxHz, cluster: cluster}
		for _, p := range m.Cores {
			if slices.Contains(p.CPUs, id) {
				keys[i].pmu = p.Name
			}
		}
	}
	// A cluster id that stands for a single core each (as x86 reports for private second-level caches) groups nothing,
	// and single cores of one design differ a little in turbo frequency: neither makes a cluster.
	perCluster := map[[2]int]int{}
	lo, hi := ^uint64(0), uint64(0)
	for _, k := range keys {
		perCluster[[2]int{k.pkg, k.cluster}]++
		lo, hi = min(lo, k.hz), max(hi, k.hz)
	}
	alone := false
	for _, n := range perCluster {
		alone = alone || n < 2
	}
	for i := range keys {
		if alone {
			keys[i].cluster = -1
		}
		if lo*10 >= hi*9 {
			keys[i].hz = 0
		}
	}
	seen := map[key]int{}
	for i, k := range keys {
		n, ok := seen[k]
		if !ok {
			n = len(seen)
			seen[k] = n
		}
		m.CPUs[i].Cluster = n
	}
	return m, nil
}

// Online lists the CPUs that run.
func Online(root sysroot.Root) ([]int, error) {
	online, err := root.CPUs(cpuDir + "/online")
	if err == nil && len(online) > 0 {
		return online, nil
	}
	// Without sysfs the per-CPU lines of /proc/stat say it as well.
	stat, serr := root.Read("/proc/stat")
	if serr != nil {
		if err == nil {
			err = fmt.Errorf("%s/online is empty", cpuDir)
		}
		return nil, fmt.Errorf("list the online CPUs: %w", err)
	}
	online = nil
	for line := range bytes.Lines(stat) {
		if rest, ok := bytes.CutPrefix(line, []byte("cpu")); ok {
			if num, _, _ := bytes.Cut(rest, []byte(" ")); len(num) > 0 {
				if id, err := strconv.Atoi(string(num)); err == nil && id >= 0 {
					online = append(online, id)
				}
			}
		}
	}
	if len(online) == 0 {
		return nil, fmt.Errorf("list the online CPUs: neither %s/online nor /proc/stat names one", cpuDir)
	}
	return online, nil
}

// corePMUs finds the counter units of the cores: the device "cpu", or those that say which CPUs they belong to.
func corePMUs(root sysroot.Root) []CorePMU {
	const dir = "/sys/bus/event_source/devices"
	var out []CorePMU
	for _, name := range root.List(dir) {
		cpus, err := root.CPUs(dir + "/" + name + "/cpus")
		if err != nil && name != "cpu" {
			continue
		}
		t, err := root.Uint(dir + "/" + name + "/type")
		if err != nil || t > 1<<32-1 {
			continue
		}
		out = append(out, CorePMU{Name: name, Type: uint32(t), CPUs: cpus})
	}
	return out
}

// model reads the processor's name and vendor from /proc/cpuinfo. Arm kernels give no name there, so that the device
// tree's model of the board stands in.
func model(root sysroot.Root) (name, vendor string) {
	info, _ := root.Read("/proc/cpuinfo")
	for line := range bytes.Lines(info) {
		k, v, ok := strings.Cut(string(line), ":")
		if !ok {
			continue
		}
		v = strings.TrimSpace(v)
		switch strings.TrimSpace(k) {
		case "model name", "cpu model", "cpu":
			if name == "" {
				name = v
			}
		case "Hardware":
			if name == "" {
				name = v
			}
		case "vendor_id":
			if vendor == "" {
				vendor = v
			}
		}
	}
	if name == "" {
		board, _ := root.String("/sys/firmware/devicetree/base/model")
		name = strings.TrimRight(board, "\x00")
	}
	return name, vendor
}

// Clusters is the number of clusters.
func (m *Machine) Clusters() int {
	n := 0
	for _, c := range m.CPUs {
		n = max(n, c.Cluster+1)
	}
	return n
}

// PMUOf returns the counter unit of a CPU, nil where it has none.
func (m *Machine) PMUOf(cpu int) *CorePMU {
	for i := range m.Cores {
		if p := &m.Cores[i]; p.CPUs == nil || slices.Contains(p.CPUs, cpu) {
			return p
		}
	}
	return nil
}

// Config is the part of a capture's description that says which machine was measured: the catalogue id "cpu", the
// device, and the properties cpus_online, cpu_clusters, cpu_cluster.N (number of the cluster of CPU N) and
// cpu_max_freq.N (Hz).
func (m *Machine) Config() capture.Config {
	cfg := capture.Config{GPU: "cpu", Device: capture.Device{Name: m.Model, Vendor: m.Vendor}}
	if m.Kernel != "" {
		cfg.Device.Driver = "Linux " + m.Kernel
	}
	add := func(name string, v float64) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: v})
	}
	add("cpus_online", float64(len(m.CPUs)))
	add("cpu_clusters", float64(m.Clusters()))
	for _, c := range m.CPUs {
		add(fmt.Sprintf("cpu_cluster.%d", c.ID), float64(c.Cluster))
	}
	for _, c := range m.CPUs {
		if c.MaxHz > 0 {
			add(fmt.Sprintf("cpu_max_freq.%d", c.ID), float64(c.MaxHz))
		}
	}
	return cfg
}
