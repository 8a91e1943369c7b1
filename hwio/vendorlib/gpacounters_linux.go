//go:build amd64 || arm64

package main

import (
	"fmt"
	"runtime"

	"astrolabe/hwio/internal/vendorproc"
)

// The counter library's table of functions: its version, its size, then functions in this order.
const (
	counterTableMajor = 3
	counterTableSize  = 8 + 17*8

	tableVersion, tableOpen, tableClose, tableCount      = 0, 2, 3, 4
	tableName, tableGroup, tableDoc, tableType, tableUse = 5, 7, 8, 9, 10
	tablePasses                                          = 15
)

// gpaAPIs are the numbers of GpaApiType.
var gpaAPIs = map[string]uintptr{"dx11": 0, "dx12": 1, "opengl": 2, "opencl": 3, "vulkan": 5}

// counterLibrary is the library that knows counters without a GPU: a context is opened for ids.
type counterLibrary struct {
	gpaCall
	table   []uint64
	context uintptr
	out     []uint64
	ids     []uint64
	device  string
}

func (g *counterLibrary) f(i int) uintptr { return uintptr(g.table[1+i]) }

func openCounterLibrary(lib *library, q *vendorproc.GPAQuery) (gpaLibrary, error) {
	g := &counterLibrary{gpaCall: gpaCall{lib, newerStatus(lib)}, table: room(512), out: room(2),
		device: fmt.Sprintf("%04x:%04x revision %02x, %s", q.Vendor, q.Device, q.Revision, q.API)}
	g.table[0] = counterTableMajor | counterTableSize<<32
	if st := call(lib.has("GpaCounterLibGetFuncTable"), address(g.table)); st != 0 {
		return nil, &vendorproc.Error{Kind: vendorproc.LibraryVersion,
			Text: fmt.Sprintf("%s has a function table of version %d with %d bytes; version %d with at least %d bytes is needed (%s)",
				lib.path, uint32(g.table[0]), g.table[0]>>32, counterTableMajor, counterTableSize, g.status(st))}
	}
	api, ok := gpaAPIs[q.API]
	if !ok {
		return nil, &vendorproc.Error{Kind: vendorproc.BadRequest,
			Text: fmt.Sprintf("GPUPerfAPI has no API %q: want dx11, dx12, opengl, opencl or vulkan", q.API)}
	}
	// GpaCounterContextHardwareInfo: three ids and an empty list of attributes.
	hardware := room(4)
	hardware[0], hardware[1] = uint64(q.Vendor)|uint64(q.Device)<<32, uint64(q.Revision)
	args := []uintptr{api, 0, address(hardware), 0, address(g.out)} // large structs are passed by reference
	if runtime.GOARCH == "amd64" {
		// They are passed on the stack, which begins behind the six registers.
		args = []uintptr{api, 0, 0, address(g.out), 0, 0, uintptr(hardware[0]), uintptr(hardware[1]), 0, 0}
	}
	if err := g.do("GpaCounterLibOpenCounterContext for "+g.device, g.f(tableOpen), args...); err != nil {
		if e, ok := err.(*vendorproc.Error); ok {
			e.Kind = vendorproc.NotSupported
		}
		return nil, err
	}
	g.context = uintptr(g.out[0])
	return g, nil
}

func (g *counterLibrary) describe(info *vendorproc.GPAInfo) {
	info.Interface, info.Version, info.Device = "counter library, function table",
		versionOf(g.f(tableVersion)), g.device
}

func (g *counterLibrary) number(name string, f int, args ...uintptr) (uint32, error) {
	g.out[0] = 0
	err := g.do(name, g.f(f), append(append([]uintptr{g.context}, args...), address(g.out))...)
	return uint32(g.out[0]), err
}

func (g *counterLibrary) count() (int, error) {
	n, err := g.number("GpaCounterLibGetNumCounters", tableCount)
	return int(n), err
}

func (g *counterLibrary) text(name string, f, i int) (string, error) {
	g.out[0] = 0
	err := g.do(name, g.f(f), g.context, uintptr(i), address(g.out))
	return text(uintptr(g.out[0])), err
}

func (g *counterLibrary) counter(i int) (c vendorproc.GPACounter, err error) {
	if c.Name, err = g.text("GpaCounterLibGetCounterName", tableName, i); err != nil {
		return c, err
	}
	if c.Group, err = g.text("GpaCounterLibGetCounterGroup", tableGroup, i); err != nil {
		return c, err
	}
	if c.Doc, err = g.text("GpaCounterLibGetCounterDescription", tableDoc, i); err != nil {
		return c, err
	}
	kind, err := g.number("GpaCounterLibGetCounterDataType", tableType, uintptr(i))
	if err != nil {
		return c, err
	}
	use, err := g.number("GpaCounterLibGetCounterUsageType", tableUse, uintptr(i))
	c.Type, c.Usage = nameOf(newerTypes, kind), nameOf(usages, use)
	return c, err
}

func (g *counterLibrary) passes(list []uint32) (int, error) {
	n, err := g.number("GpaCounterLibGetPassCount", tablePasses, listOf(&g.ids, list), uintptr(len(list)))
	return int(n), err
}

func (g *counterLibrary) close() {
	_ = g.do("GpaCounterLibCloseCounterContext", g.f(tableClose), g.context)
} // the program ends after it
