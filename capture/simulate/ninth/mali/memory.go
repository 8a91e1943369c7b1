package mali

import "math"

// memory are the counters of the L2 cache, the MMU and the external bus.
func (t tally) memory(x *run, f *flows) {
	m := x.m
	var reads, writes, out, outWrites, depth float64
	for q, id := range f.segment {
		if id < 0 {
			continue
		}
		s := &x.w.segments[id]
		rate := f.flow[q].rate * float64(m.cores)
		reads += rate * s.readLines()
		writes += rate * s.writeLines()
		out += rate * s.readLines() * s.miss
		outWrites += rate * s.missedWrites()
		depth += f.flow[q].queue[stDRAM] * float64(m.cores) * s.external() / 64 / max(1, s.phases)
	}
	clocks := m.ghz(f.share) * float64(m.slices)
	t.add("MaliL2CacheRd", reads).add("MaliL2CacheWr", writes).add("MaliL2CacheRdLookup", reads*1.01).add("MaliL2CacheWrLookup", writes*1.02)
	t.add("MaliL2CacheSnp", reads*.004).add("MaliL2CacheL1Rd", reads*.003).add("MaliL2CacheL1Wr", reads*.001).add("MaliL2CacheEvict", writes*.1)
	t.add("MaliL2CacheCleanUnique", writes*.02).add("MaliL2CacheSnpLookup", reads*.001).add("MaliL2CacheIncSnp", reads*.001)
	u, dram := min(1, f.busy[stL2]), min(1, f.busy[stDRAM])
	// A cache that waits for memory takes no more requests either.
	t.add("MaliL2CacheRdStallCy", clocks*min(1, blocked(u, 6)*3+.5*blocked(dram, 10)))
	t.add("MaliL2CacheWrStallCy", clocks*min(1, blocked(u, 8)*1.5+.4*blocked(dram, 10))).add("MaliMMULookup", (reads+writes)*.06)
	t.add("MaliMMUL3Hit", (reads+writes)*.05).add("MaliMMUL3Rd", (reads+writes)*.006).add("MaliMMUL2Hit", (reads+writes)*.004)
	t.add("MaliMMUL2Rd", (reads+writes)*.001)

	// Reads in flight lengthen the latency until the bus has no more numbers for them.
	most := 48.0 * float64(m.slices)
	lines := max(1e-9, out+outWrites)
	extra := max(0, min(depth, most)/lines*min(1, depth/most+.3)*dram)
	extra = min(extra, max(0, most/lines-m.latency))
	mean := (m.latency + extra) * m.ghz(f.share)
	beats := 64 / m.bus
	bands := []string{"MaliExtBusRdLat0", "MaliExtBusRdLat128", "MaliExtBusRdLat192", "MaliExtBusRdLat256", "MaliExtBusRdLat320",
		hidden("MaliExtBusRdLat384")}
	below := 0.0
	for i, name := range bands {
		upto := 1.0
		if i < 5 {
			upto = logNormal(float64([]int{128, 192, 256, 320, 384}[i]), mean, .38)
		}
		t.add(name, out*beats*(upto-below))
		below = upto
	}
	t.bands("MaliExtBusRdOTQ", out, out*(m.latency+extra)/most)
	t.bands("MaliExtBusWrOTQ", outWrites, outWrites*(m.latency*.7+extra)/most)
	t.add("MaliExtBusRdNoSnoop", out*.96).add("MaliExtBusRdUnique", out*.01).add("MaliExtBusWrNoSnoopFull", outWrites*.85)
	t.add("MaliExtBusWrNoSnoopPart", outWrites*.12).add("MaliExtBusWrSnoopFull", outWrites*.02).add("MaliExtBusWrSnoopPart", outWrites*.01)
	t.add("MaliExtBusWrBt", outWrites*beats*.98).add("MaliExtBusRdStallCy", clocks*min(.97, 2.5*blocked(dram, 9)))
	t.add("MaliExtBusWrStallCy", clocks*min(.97, 2.5*blocked(dram, 9)*min(1, 1.6*outWrites/lines)))
}

// bands spreads transactions over quarters of what can be outstanding, around a mean share.
func (t tally) bands(name string, n, mean float64) {
	below := 0.0
	for i := range 4 {
		upto := 1.0
		if i < 3 {
			upto = logNormal(float64(i+1)/4, max(1e-3, mean), .45)
		}
		label := name + string(rune('1'+i))
		if i == 3 {
			label = hidden(label)
		}
		t.add(label, n*(upto-below))
		below = upto
	}
}

// logNormal is the share below x of what has that mean and spread.
func logNormal(x, mean, spread float64) float64 {
	return .5 * math.Erfc((math.Log(mean)-spread*spread/2-math.Log(x))/spread/math.Sqrt2)
}
