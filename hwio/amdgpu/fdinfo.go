package amdgpu

import (
	"bytes"
	"math"
	"strconv"
)

// engines are the kinds of engines whose time the driver counts per client. Anything else that a newer driver lists is
// added to "other".
var engines = [...]string{"gfx", "compute", "dma", "dec", "enc", "jpeg", "other"}

const (
	engineCount = len(engines)
	otherEngine = engineCount - 1
)

// client is what a file of /proc/PID/fdinfo says of one user of a GPU.
type client struct {
	driver, address string
	id              uint64
	hasID           bool
	busy            [engineCount]uint64 // ns since the client began
	vram, gtt       uint64              // bytes
	hasVRAM, hasGTT bool
}

// parseClient reads an fdinfo file of a DRM descriptor. Lines that are no "drm-" keys of interest, or whose value
// cannot be read, count for nothing; a capacity line is no engine.
func parseClient(data []byte) (c client) {
	for line := range bytes.Lines(data) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		name, ok := bytes.CutPrefix(key, []byte("drm-"))
		if !ok {
			continue
		}
		rest = bytes.TrimSpace(rest)
		switch {
		case string(name) == "driver":
			c.driver = string(rest)
		case string(name) == "pdev":
			c.address = string(rest)
		case string(name) == "client-id":
			v, err := strconv.ParseUint(string(rest), 10, 64)
			c.id, c.hasID = v, err == nil
		case string(name) == "memory-vram":
			c.vram, c.hasVRAM = memorySizeOf(rest)
		case string(name) == "memory-gtt":
			c.gtt, c.hasGTT = memorySizeOf(rest)
		case bytes.HasPrefix(name, []byte("engine-capacity-")):
		case bytes.HasPrefix(name, []byte("engine-")):
			number, unit, _ := bytes.Cut(rest, []byte(" "))
			v, err := strconv.ParseUint(string(number), 10, 64)
			if err != nil || string(unit) != "ns" {
				continue
			}
			at := otherEngine
			for i, e := range engines {
				// The second encoder counts as an encoder.
				if kind := name[len("engine-"):]; string(kind) == e || (e == "enc" && string(kind) == "enc_1") {
					at = i
				}
			}
			c.busy[at] = saturatingAdd(c.busy[at], v)
		}
	}
	return c
}

// memorySizeOf reads "123 KiB", "4 MiB" or a number of bytes.
func memorySizeOf(text []byte) (uint64, bool) {
	number, unit, _ := bytes.Cut(text, []byte(" "))
	v, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil {
		return 0, false
	}
	shift := 0
	switch string(unit) {
	case "":
	case "KiB":
		shift = 10
	case "MiB":
		shift = 20
	default:
		return 0, false
	}
	if v > math.MaxUint64>>shift {
		return 0, false
	}
	return v << shift, true
}

func saturatingAdd(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
