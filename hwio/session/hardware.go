package session

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Hardware is one hardware counter as the scheduler sees it.
type Hardware struct {
	Name     string
	Block    string // such as "TCC"; "" has no limit
	Instance int    // of the block
	Event    string // the name without the instance's number: one event on several instances has one
	Software bool   // a query of the driver or system: it takes no place on the hardware
}

// stage is the shader stage of an SQ counter: "" of one that counts all. ok is false of a counter of another block.
func (h *Hardware) stage() (stage string, ok bool) {
	if h.Block == "SQ" {
		return "", true
	}
	return strings.CutPrefix(h.Block, "SQ_")
}

// texture reports whether the counter sits in a block that cannot be counted beside SQ counters.
func (h *Hardware) texture() bool {
	switch h.Block {
	case "TA", "TD", "TCP", "TCC", "TCA":
		return true
	}
	return false
}

func (h *Hardware) timestamp() bool { return h.Block == "GPUTime" || h.Block == "GPUTimeStamp" }

// Limits is what a pass can hold.
type Limits struct {
	Slots map[string]int // counters in use in one instance of a block; a block that is not there has no limit
	SQ    int            // distinct SQ counters of one shader stage; 0 is no limit
	Cap   int            // hardware counters in a pass; it grows where one counter alone needs more; 0 is no limit
	Max   int            // the caller's own limit of hardware counters in a pass; only a counter that alone needs more exceeds it; 0 is none
}

// gpaCap is how many hardware counters GPA puts into a pass at most.
const gpaCap = 120

//go:embed limits.txt
var limitsText string

//go:embed devices.txt
var devicesText string

// tableRows splits an embedded table into the words of its rows.
func tableRows(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

var slotTables = sync.OnceValue(func() map[string]map[string]int {
	rows := tableRows(limitsText)
	out := map[string]map[string]int{}
	for col, generation := range rows[0][1:] {
		slots := map[string]int{}
		for _, row := range rows[1:] {
			if n, err := strconv.Atoi(row[col+1]); err == nil {
				slots[row[0]] = n
			}
		}
		out[generation] = slots
	}
	return out
})

// gpaLimits returns the block limits of a generation of AMD hardware, "gfx6" to "gfx9". sq is the number of SQ counters
// per stage of the device, 0 for the usual 8.
func gpaLimits(generation string, sq int) (Limits, error) {
	slots, ok := slotTables()[strings.ToLower(generation)]
	if !ok {
		return Limits{}, fmt.Errorf("no block limits are known of generation %q; there are gfx6, gfx7, gfx8 and gfx9",
			generation)
	}
	if sq <= 0 {
		sq = 8
	}
	return Limits{Slots: slots, SQ: sq, Cap: gpaCap}, nil
}

// parseHardware takes the name of a GPA hardware counter apart, such as "TCC3_TCC_PERF_SEL_HIT": the block is the
// longest of the generation's that the name begins with.
func parseHardware(name string, slots map[string]int) (Hardware, error) {
	best := Hardware{}
	for block := range slots {
		rest, ok := strings.CutPrefix(name, block)
		if !ok || len(block) <= len(best.Block) {
			continue
		}
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		event, ok := strings.CutPrefix(rest[len(digits):], "_")
		if !ok || event == "" || len(digits) > 4 {
			continue
		}
		instance, _ := strconv.Atoi("0" + digits)
		best = Hardware{Name: name, Block: block, Instance: instance, Event: block + "_" + event}
	}
	if best.Block == "" {
		return best, fmt.Errorf("hardware counter %q begins with no block of this generation", name)
	}
	return best, nil
}

// asicConstants are the constants of an AMD GPU that GPA's formulas name.
type asicConstants struct {
	ASIC, Generation                                     string
	ShaderEngines, SIMDs, SUClocksPrim, MaxSQ, PrimPipes int
}

// findASIC returns the constants of an ASIC, such as "TONGA", in any case.
func findASIC(asic string) (asicConstants, error) {
	var names []string
	for _, row := range tableRows(devicesText) {
		if !strings.EqualFold(row[0], asic) {
			names = append(names, row[0])
			continue
		}
		var n [5]int
		for i := range n {
			n[i], _ = strconv.Atoi(row[i+2])
		}
		return asicConstants{ASIC: row[0], Generation: row[1], ShaderEngines: n[0], SIMDs: n[1], SUClocksPrim: n[2],
			MaxSQ: n[3], PrimPipes: n[4]}, nil
	}
	return asicConstants{}, fmt.Errorf("no constants are known of ASIC %q; there are %s", asic,
		strings.Join(names, ", "))
}
