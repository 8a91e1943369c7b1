//go:build amd64 || arm64

package main

import (
	"fmt"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// gpaVariable names the library where it is not in a standard place.
const gpaVariable = "ASTROLABE_GPA_LIB"

// The library that needs no GPU comes first: it answers everywhere.
var gpaPlaces = []string{
	"libGPUPerfAPICounters.so", "/usr/local/lib/libGPUPerfAPICounters*.so", "/opt/*/libGPUPerfAPICounters*.so",
	"/opt/*/lib/libGPUPerfAPICounters*.so",
	"libGPUPerfAPICL.so", "/usr/local/lib/libGPUPerfAPI*.so", "/opt/*/libGPUPerfAPI*.so",
	"/opt/*/lib/libGPUPerfAPI*.so",
}

// gpaLibrary is one of GPA's interfaces, with a context open.
type gpaLibrary interface {
	describe(*vendorproc.GPAInfo)
	count() (int, error)
	counter(int) (vendorproc.GPACounter, error)
	passes([]uint32) (int, error) // that the counters need together
	close()
}

// listGPA loads the library, opens a context as it wants one, and lists the counters.
func listGPA(q *vendorproc.GPAQuery) (*vendorproc.GPAInfo, error) {
	lib, err := load(q.Library, gpaVariable, "GPUPerfAPI", gpaPlaces)
	if err != nil {
		return nil, err
	}
	var g gpaLibrary
	switch {
	case lib.has("GpaCounterLibGetFuncTable") != 0:
		g, err = openCounterLibrary(lib, q)
	case lib.has("GpaGetFuncTable") != 0:
		g, err = openSessions(lib)
	case lib.has("GPA_OpenContext") != 0 && lib.has("GPA_CreateSession") == 0:
		g, err = openFlat(lib)
	default:
		err = &vendorproc.Error{Kind: vendorproc.LibraryVersion,
			Text: fmt.Sprintf("%s has neither the functions of GPUPerfAPI 2 (GPA_OpenContext without sessions) nor those of 3.4 and newer (GpaGetFuncTable)", lib.path)}
	}
	if err != nil {
		return nil, err
	}
	defer g.close()
	info := &vendorproc.GPAInfo{Library: lib.path}
	g.describe(info)
	n, err := g.count()
	if err != nil {
		return nil, err
	}
	all := make([]uint32, min(n, mostCounters))
	for i := range all {
		all[i] = uint32(i)
		c, err := g.counter(i)
		if err != nil {
			return nil, err
		}
		if c.Passes, err = g.passes(all[i : i+1]); err != nil {
			return nil, err
		}
		info.Counters = append(info.Counters, c)
	}
	info.Passes, err = g.passes(all)
	return info, err
}

// gpaCall is a function of GPA with the statuses that it returns.
type gpaCall struct {
	lib    *library
	status func(int32) string
}

func (g *gpaCall) do(name string, f uintptr, args ...uintptr) error {
	if f == 0 {
		return &vendorproc.Error{Kind: vendorproc.LibraryVersion, Text: fmt.Sprintf("%s lacks the function %s",
			g.lib.path, name)}
	}
	st := call(f, args...)
	if st == 0 {
		return nil
	}
	kind := vendorproc.LibraryFailed
	text := g.status(st)
	return &vendorproc.Error{Kind: kind, Status: text, Text: fmt.Sprintf("GPUPerfAPI: %s: %s", name, text)}
}

// newerStatus asks a library of GPA 3 for the text of a status, or names those that opening can return.
func newerStatus(lib *library) func(int32) string {
	f := lib.has("GpaGetStatusAsStr")
	return func(st int32) string {
		if f != 0 {
			if p, _, _ := purego.SyscallN(f, uintptr(uint32(st))); p != 0 {
				return text(p)
			}
		}
		switch st {
		case -24:
			return "hardware not supported (status -24)"
		case -26:
			return "API not supported (status -26)"
		case -27:
			return "invalid parameter (status -27)"
		}
		return fmt.Sprintf("status %d", st)
	}
}

var (
	newerTypes = []string{"float64", "uint64"}
	usages     = []string{"ratio", "percentage", "cycles", "milliseconds", "bytes", "items", "kilobytes", "nanoseconds"}
)

func nameOf(names []string, i uint32) string {
	if int(i) < len(names) {
		return names[i]
	}
	return ""
}

// versionOf asks a GPA 3 library for its version.
func versionOf(f uintptr) string {
	if f == 0 {
		return ""
	}
	v := room(2)
	at := address(v)
	if call(f, at, at+4, at+8, at+12) != 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", field[uint32](at, 0), field[uint32](at, 4), field[uint32](at, 8))
}

// listOf is memory for a library that holds the numbers.
func listOf(buf *[]uint64, list []uint32) uintptr {
	b := roomFor(buf, len(list)/2+1)
	for i := range b {
		b[i] = 0
	}
	for i, v := range list {
		b[i/2] |= uint64(v) << (32 * (i % 2))
	}
	return address(b)
}
