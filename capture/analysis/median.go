package analysis

// medianBins is how many parts a range is divided into at a time: counts of that many stay in the first cache.
const medianBins = 1 << 11

// Median is the value at place len/2 of so many integers in order, 0 of none. They may be millions, of which a sorted
// copy would cost more than all that is asked of it: their counts in parts of the range narrow it down.
func Median(n int, at func(i int) int64) int64 {
	if n == 0 {
		return 0
	}
	least, most := at(0), at(0)
	for i := range n {
		v := at(i)
		least, most = min(least, v), max(most, v)
	}
	place := n / 2 // among those from least to most
	for least < most {
		// As unsigned numbers, so that the width of no range overflows.
		span := uint64(most) - uint64(least)
		shift := 0
		for span>>shift >= medianBins {
			shift++
		}
		var counts [medianBins]int
		for i := range n {
			if v := at(i); v >= least && v <= most {
				counts[(uint64(v)-uint64(least))>>shift]++
			}
		}
		bin := 0
		for ; place >= counts[bin]; bin++ {
			place -= counts[bin]
		}
		least = int64(uint64(least) + uint64(bin)<<shift)
		most = min(most, int64(uint64(least)+(1<<shift-1)))
	}
	return least
}
