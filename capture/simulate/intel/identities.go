package intel

import (
	"strconv"

	"astrolabe/capture/simulate"
)

// identities keeps what the hardware keeps, where rounding would break it by a count.
func (t *table) identities(c *simulate.Columns, ticks int, a [36]int, first int, set string) {
	clocks := c.Last(ticks)
	c.Limit(a[0], clocks)
	all := clocks * uint64(t.d.eus)
	for k := 7; k <= 20; k++ {
		field := flexible[set][(k-7)/2] >> (12 * ((k - 7) % 2)) & 0xfff
		most := all
		if field&15 == eventThreads {
			most = all * threads / 8
		}
		if row := field >> 4 & 15; row == 7 || row == 8 {
			most /= 2
		}
		if field>>8 >= 7 {
			most /= 4
		}
		c.Limit(a[k], most)
	}
	if f := flexible[set]; f[0] == 0x005004 { // A7 is active, A8 is stalled
		c.Limit(a[8], all-c.Last(a[7]))
	}
	if f := flexible[set]; f[1]&15 == eventBoth && f[2]&15 == eventFPU1 { // A9 is both, A10 and A11 are the two pipes
		c.Limit(a[10], c.Last(a[7]))
		c.Limit(a[9], min(c.Last(a[10]), c.Last(a[11])))
		c.Limit(a[11], c.Last(a[7])-c.Last(a[10])+c.Last(a[9]))
	}
	left := c.Last(a[21])
	for _, k := range []int{22, 23, 24, 25} {
		c.Limit(a[k], left)
		left -= c.Last(a[k])
	}
	c.Limit(a[27], c.Last(a[26]))
	c.Limit(a[33], c.Last(a[32]))
	events := map[string]bool{} // counters that count lines and not clocks
	for _, name := range lines[set] {
		events[name] = true
	}
	for k := range 16 {
		name := "B" + strconv.Itoa(k)
		if k >= 8 {
			name = "C" + strconv.Itoa(k-8)
		}
		if !events[name] {
			c.Limit(first+k, clocks)
		}
	}
}

// lines are the B and C counters that count events, of which there can be several in a clock.
var lines = map[string][]string{
	"RenderBasic":     {"B4", "B5", "B6", "B7", "C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7"},
	"ComputeBasic":    {"B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C1", "C2", "C3", "C4", "C5"},
	"MemoryReads":     {"B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C3", "C4", "C5", "C6", "C7"},
	"MemoryWrites":    {"B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C3", "C4", "C5", "C6", "C7"},
	"ComputeExtended": {"B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C0", "C1", "C2", "C3", "C4"},
	"ComputeL3Cache":  {"C4", "C5", "C6", "C7", "B0", "B1", "B2", "B3", "C0", "C1"},
}
