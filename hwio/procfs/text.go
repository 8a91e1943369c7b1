package procfs

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"

	"astrolabe/hwio/internal/sysroot"
)

// pressure reads the stall times of a file of /proc/pressure, in µs. The kernel writes one line each for "some" and
// "full": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234".
func pressure(data []byte) (some, full uint64, hasSome, hasFull bool) {
	for len(data) > 0 {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		at := bytes.Index(line, []byte(" total="))
		if at < 0 {
			continue
		}
		v, _, ok := number(line[at+len(" total="):])
		switch {
		case !ok:
		case bytes.HasPrefix(line, []byte("some ")):
			some, hasSome = v, true
		case bytes.HasPrefix(line, []byte("full ")):
			full, hasFull = v, true
		}
	}
	return some, full, hasSome, hasFull
}

// load reads the first number of /proc/loadavg, NaN where there is none.
func load(data []byte) float64 {
	first, _, _ := bytes.Cut(data, []byte(" "))
	v, err := strconv.ParseFloat(string(first), 64)
	if err != nil || math.IsInf(v, 0) || v < 0 {
		return math.NaN()
	}
	return v
}

// meminfo reads one line of /proc/meminfo, such as "MemTotal:  16384 kB", in bytes; NaN where it is not there.
func meminfo(data []byte, key string) float64 {
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte(key+":"))
		if !ok {
			continue
		}
		v, rest, ok := number(rest)
		if !ok {
			return math.NaN()
		}
		if bytes.Contains(rest, []byte("kB")) {
			return float64(v) * 1024
		}
		return float64(v)
	}
	return math.NaN()
}

// reading is the signed whole number that a sensor file holds, NaN where it holds none.
func reading(data []byte) float64 {
	v, err := strconv.ParseInt(string(bytes.TrimSpace(data)), 10, 64)
	if err != nil {
		return math.NaN()
	}
	return float64(v)
}

// userHZ is the number of units per second in which /proc/stat counts time: the kernel tells it in the auxiliary vector
// (AT_CLKTCK). It is 100 wherever astrolabe runs, which stands in if the vector cannot be read.
func userHZ(root sysroot.Root) uint64 {
	const atClkTck = 17
	data, err := root.Read("/proc/self/auxv")
	if err != nil {
		return 100
	}
	word := int(unsafe.Sizeof(uintptr(0)))
	read := func(b []byte) uint64 {
		if word == 4 {
			return uint64(binary.NativeEndian.Uint32(b))
		}
		return binary.NativeEndian.Uint64(b)
	}
	for len(data) >= 2*word {
		if v := read(data[word:]); read(data) == atClkTck && v > 0 && v <= 1e6 {
			return v
		}
		data = data[2*word:]
	}
	return 100
}
