package mali

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// countersCSV holds the known places of every layout. Names are those that Streamline gives: group and title in Arm's
// open counter database, words capitalised. A counter that the database does not describe has the hardware's name.
//
//go:embed counters.csv
var countersCSV string

// counter is what is known about one value of a block.
type counter struct {
	name    string // Streamline's variable without $, or the hardware's name in capitals
	unit    string
	scaler  uint64 // what the hardware's number is multiplied by to give the counter
	aliases []string
	doc     string
}

type place struct {
	layout string
	block  BlockType
	index  int
}

// counters maps places to counters. A counter of Streamline's name is recorded multiplied by its scaler, as catalogues
// expect it; one of the hardware's name in capitals is recorded as it comes.
var counters = sync.OnceValue(func() map[place]*counter {
	types := map[string]BlockType{}
	for t := range blockTypes {
		types[t.String()] = t
	}
	out := map[place]*counter{}
	for line := range strings.Lines(countersCSV) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		index, err := strconv.Atoi(f[2])
		if err != nil {
			continue // the head line
		}
		scaler, _ := strconv.ParseUint(f[5], 10, 64)
		out[place{f[0], types[f[1]], index}] = &counter{name: f[3], unit: f[4], scaler: scaler,
			aliases: strings.Fields(f[6])}
	}
	// On this generation GPU_ACTIVE does not count what its name says, and the front-end's GPU_ITER_ACTIVE takes its
	// place.
	if raw, active := out[place{"Mali-G715", FrontEnd, 4}], out[place{"Mali-G715", FrontEnd, 6}]; raw != nil &&
		active != nil {
		raw.doc = "Hardware defect: on this generation the counter is not the time in which the GPU was active. Use MaliGPUCyclesAnyQueueActive."
		active.aliases = append(active.aliases, "MaliGPUCyclesGPUActive")
	}
	return out
})
