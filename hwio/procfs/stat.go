package procfs

import "bytes"

// Columns of a CPU line of /proc/stat, in file order.
const (
	statUser = iota
	statNice
	statSystem
	statIdle
	statIOWait
	statIRQ
	statSoftIRQ
	statSteal
	statGuest
	statGuestNice
	statFields
)

// Single values of /proc/stat.
const (
	statIntr = iota
	statCtxt
	statProcesses
	statRunning
	statBlocked
	statSingles
)

var statNames = [statSingles]string{"intr", "ctxt", "processes", "procs_running", "procs_blocked"}

// stat is one reading of /proc/stat.
type stat struct {
	rows    []int // by CPU number: row in times, -1 for a CPU that is not recorded
	times   [][statFields]uint64
	fields  []int // per row: fields found, 0 where the CPU was not listed
	single  [statSingles]uint64
	present [statSingles]bool
}

// newStat prepares for readings of these CPUs.
func newStat(cpus []int) *stat {
	s := &stat{times: make([][statFields]uint64, len(cpus)), fields: make([]int, len(cpus))}
	for row, id := range cpus {
		for len(s.rows) <= id {
			s.rows = append(s.rows, -1)
		}
		s.rows[id] = row
	}
	return s
}

// parse takes in one reading. Lines and fields that it does not know are skipped, as a newer kernel may add some; a
// value that is no number counts as not given.
func (s *stat) parse(data []byte) {
	clear(s.fields)
	s.present = [statSingles]bool{}
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if len(line) > 3 && line[0] == 'c' && line[1] == 'p' && line[2] == 'u' {
			s.parseCPU(line[3:])
			continue
		}
		for k, name := range statNames {
			if len(line) > len(name) && line[len(name)] == ' ' && string(line[:len(name)]) == name {
				if v, _, ok := number(line[len(name)+1:]); ok {
					s.single[k], s.present[k] = v, true
				}
				break
			}
		}
	}
}

// parseCPU reads "N user nice system …"; the line of all CPUs has no N.
func (s *stat) parseCPU(line []byte) {
	id, rest, ok := number(line)
	if line[0] == ' ' || !ok || id >= uint64(len(s.rows)) || s.rows[id] < 0 {
		return
	}
	row := s.rows[id]
	n := 0
	for n < statFields {
		v, r, ok := number(rest)
		if !ok {
			break
		}
		s.times[row][n] = v
		n++
		rest = r
	}
	s.fields[row] = n
}

// number reads an unsigned decimal after spaces and returns what follows it.
func number(b []byte) (v uint64, rest []byte, ok bool) {
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		d := uint64(b[i] - '0')
		if v > (1<<64-1-d)/10 {
			return 0, nil, false
		}
		v = v*10 + d
		i++
	}
	if i == start || (i < len(b) && b[i] != ' ' && b[i] != '\n') {
		return 0, nil, false
	}
	return v, b[i:], true
}
