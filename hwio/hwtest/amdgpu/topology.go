package amdgpu

import (
	"fmt"
	"strings"
)

// topology is what the kernel's driver for compute shows of the machine (its files are those of
// drivers/gpu/drm/amd/amdkfd/kfd_topology.c): a node for the processor and one for each GPU. AMD's libraries look for
// the GPU there before they ask sysfs. A GPU in partitions has a node for each.
func (d *device) topology() {
	const nodes = "/sys/class/kfd/kfd/topology/nodes"
	number := 0
	node := func(id int, name string, properties ...string) {
		dir := fmt.Sprintf("%s/%d", nodes, number)
		d.m.File(dir+"/gpu_id", fmt.Sprintf("%d\n", id))
		d.m.File(dir+"/name", name+"\n")
		d.m.File(dir+"/properties", strings.Join(properties, "\n")+"\n")
		if d.m.Dir(dir + "/p2p_links"); number == 0 {
			d.m.Dir(dir + "/io_links")
		} else { // over PCI Express, to the processor
			d.m.File(dir+"/io_links/0/properties", fmt.Sprintf("type 2\nversion_major 0\nversion_minor 0\nnode_from %d\n"+
				"node_to 0\nweight 20\nmin_latency 0\nmax_latency 0\nmin_bandwidth 312\nmax_bandwidth 16000\n"+
				"recommended_transfer_size 0\nflags 1\n", number))
		}
		number++
	}
	node(0, "", "cpu_cores_count 16", "simd_count 0")
	for _, g := range d.gpus {
		if g.unused {
			continue
		}
		share := max(1, g.part.partitions)
		node(1000+g.number, fmt.Sprintf("ip discovery %d", g.part.family), "cpu_cores_count 0",
			fmt.Sprintf("simd_count %d", int(g.part.cus)*simdsPerCU(g.part)/share),
			fmt.Sprintf("simd_per_cu %d", simdsPerCU(g.part)),
			fmt.Sprintf("array_count %d", int(g.part.engines*g.part.arrays)/share),
			fmt.Sprintf("simd_arrays_per_engine %d", g.part.arrays),
			fmt.Sprintf("cu_per_simd_array %d", g.part.cusPerArray),
			fmt.Sprintf("wave_front_size %d", g.part.wave), "vendor_id 4098",
			fmt.Sprintf("device_id %d", g.part.device), fmt.Sprintf("location_id %d", d.gpus[0].location(g)),
			"domain 0", fmt.Sprintf("drm_render_minor %d", 128+g.number), "hive_id 0",
			fmt.Sprintf("max_engine_clk_fcompute %d", g.part.maxSclk), fmt.Sprintf("unique_id %d", 0x1000+g.number))
	}
}

// location is where on the bus the GPU of a node is: bus, device and function as the kernel packs them. Partitions are
// where their GPU is.
func (first *gpu) location(g *gpu) int {
	at := g
	if g.xcp != "" {
		at = first
	}
	var domain, bus, dev, function int
	if _, err := fmt.Sscanf(at.address, "%x:%x:%x.%d", &domain, &bus, &dev, &function); err != nil {
		panic(err) // the model made the address
	}
	return bus<<8 | dev<<3 | function
}

// simdsPerCU is how many SIMDs a compute unit has: four that take waves of 64, or two that take waves of 32.
func simdsPerCU(p *part) int {
	if p.wave == 32 {
		return 2
	}
	return 4
}
