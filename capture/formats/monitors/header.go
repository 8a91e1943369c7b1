package monitors

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture/formats/internal/machine"
)

// header is the line above a table.
type header struct {
	names  []string
	clock  int  // words of the time that rows begin with: 0 to 3 (10:00:01 PM IST)
	dated  bool // rows end in a date and a time (vmstat -t)
	timed  bool // the program prints the end of each interval
	since  bool // the first row is of the time since the machine started
	tasks  bool
	keys   []string
	titled bool // the names came behind a time, which is the start of the first interval
	cells  bool // rows are what sadf -d prints: a host, seconds, a date and values, with semicolons between
}

// same reports whether two headers are of one table.
func (h *header) same(o *header) bool { return o != nil && slices.Equal(h.names, o.names) }

// ofSadf begins the headers of sadf -d.
const ofSadf = "# hostname;interval;timestamp;"

var (
	ofVMStat    = []string{"r", "b", "swpd", "free", "si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa"}
	ofTurbostat = []string{"Avg_MHz", "Busy%", "Bzy_MHz"}
	// ofSysstat are columns without "%" and "/s" that a table of sysstat may have alone.
	ofSysstat = []string{"runq-sz", "kbmemfree", "kbhugfree", "totsck", "dentunusd", "tps", "rxpck/s", "MHz"}
	// keyNames are those of sysstat's columns that say what a row is of. They may stand behind a time, as the name of its zone may.
	keyNames = []string{"CPU", "NODE", "DEV", "IFACE", "INTR", "TTY", "UID", "USER", "PID", "TGID", "TID", "BUS", "FAN", "TEMP", "BAT", "DEVICE", "FILESYSTEM", "MOUNTPOINT", "FCHOST"}
)

// parseHeader reads a line as a header, nil if it is none.
func parseHeader(line string) *header {
	words := strings.Fields(line)
	has := func(names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(words, n) })
	}
	var h *header
	switch rest, sadf := strings.CutPrefix(line, ofSadf); {
	case sadf:
		h = &header{names: strings.Split(strings.TrimSpace(rest), ";"), timed: true, cells: true}
	case has(ofVMStat):
		h = &header{names: words, since: true}
		if last := words[len(words)-1]; last != "wa" && last != "st" && last != "gu" {
			h.names, h.dated, h.timed = words[:len(words)-1], true, true // the zone of the times
		}
	case has(ofTurbostat):
		h = &header{names: words}
	default:
		h = sysstatHeader(words)
	}
	if h == nil || twice(h.names) {
		return nil
	}
	h.keys, h.tasks = machine.Keys(h.names), machine.Tasks(h.names)
	if h.keys == nil {
		h.keys = keyNames
	}
	return h
}

func twice(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// sysstatHeader reads the words of a header that begins with a time, or "# Time".
func sysstatHeader(words []string) *header {
	h := &header{timed: true}
	switch n := clockWords(words); {
	case n > 0:
		h.clock, h.titled = n, true
		if n == 2 && len(words) > 2 && zone(words[2]) {
			h.clock++
		}
		h.names = words[h.clock:]
	case len(words) > 2 && words[0] == "#" && words[1] == "Time":
		h.clock, h.names = 1, words[2:]
	default:
		return nil
	}
	known := func(n string) bool {
		return len(n) > 1 && (n[0] == '%' || strings.HasSuffix(n, "/s")) || slices.Contains(ofSysstat, n)
	}
	number := func(n string) bool { _, ok := parseNumber(n); return ok }
	if !slices.ContainsFunc(h.names, known) || slices.ContainsFunc(h.names, number) {
		return nil
	}
	return h
}

// zone reports whether a word behind a time is the name of its zone, as newer locales have it.
func zone(word string) bool {
	return len(word) >= 2 && len(word) <= 5 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && !slices.Contains(keyNames, word)
}

// clockWords is how many words of a time a line begins with.
func clockWords(words []string) int {
	if len(words) == 0 {
		return 0
	}
	if _, ok := clock(words[0], ""); !ok {
		return 0
	}
	if len(words) > 1 && (words[1] == "AM" || words[1] == "PM") {
		return 2
	}
	return 1
}

// clock reads a time of a day, or seconds of the Unix epoch, which pidstat -h prints, in ns.
func clock(word, half string) (int64, bool) {
	if len(word) >= 9 && strings.Trim(word, "0123456789") == "" {
		s, err := strconv.ParseInt(word, 10, 34)
		return s * int64(time.Second), err == nil
	}
	t, err := time.Parse(time.TimeOnly, word)
	if err != nil || len(word) != len(time.TimeOnly) {
		return 0, false
	}
	h := t.Hour()
	if half != "" && (h < 1 || h > 12) {
		return 0, false
	}
	if half != "" {
		h = h%12 + map[string]int{"AM": 0, "PM": 12}[half]
	}
	return int64(h)*int64(time.Hour) + int64(t.Minute())*int64(time.Minute) + int64(t.Second())*int64(time.Second), true
}

// parseNumber reads a cell: the decimal mark is that of the locale, and sar --human has shares with a sign.
func parseNumber(cell string) (float64, bool) {
	cell = strings.TrimSuffix(cell, "%")
	if strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if cell == "" || strings.Trim(cell, "0123456789.+-eE") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil
}
