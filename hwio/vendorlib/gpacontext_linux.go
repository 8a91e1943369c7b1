//go:build amd64 || arm64

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// openCL makes a command queue on the first GPU: the only context of an API that can be made without a window, a
// surface or an application. GPA's libraries for other APIs cannot be asked from here.
func openCL(lib *library) (queue uintptr, err error) {
	refuse := func(kind, format string, args ...any) error {
		return &vendorproc.Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
	}
	cl := lib
	if lib.has("clCreateCommandQueue") == 0 {
		if !strings.HasPrefix(filepath.Base(lib.path), "libGPUPerfAPICL") {
			return 0, refuse(vendorproc.NotSupported,
				"%s lists counters only inside an application that has a context of its graphics API", lib.path)
		}
		if cl, err = load("", "ASTROLABE_OPENCL_LIB", "OpenCL",
			[]string{"libOpenCL.so.1", "/opt/rocm/lib/libOpenCL.so.1"}); err != nil {
			return 0, err
		}
	}
	var f [4]uintptr
	for i, name := range []string{"clGetPlatformIDs", "clGetDeviceIDs", "clCreateContext", "clCreateCommandQueue"} {
		if f[i] = cl.has(name); f[i] == 0 {
			return 0, refuse(vendorproc.LibraryVersion, "%s has no %s", cl.path, name)
		}
	}
	const (
		gpus          = 4 // CL_DEVICE_TYPE_GPU
		mostPlatforms = 16
	)
	m := room(mostPlatforms + 3)
	platforms, count, device, status := m[:mostPlatforms], m[mostPlatforms:], m[mostPlatforms+1:], m[mostPlatforms+2:]
	if st := call(f[0], mostPlatforms, address(platforms), address(count)); st != 0 {
		return 0, refuse(vendorproc.NoDevice, "OpenCL has no platform (status %d)", st)
	}
	for _, p := range platforms[:min(count[0]&0xffffffff, mostPlatforms)] {
		if call(f[1], uintptr(p), gpus, 1, address(device), 0) != 0 {
			continue
		}
		context, _, _ := purego.SyscallN(f[2], 0, 1, address(device), 0, 0, address(status))
		if st := int32(status[0]); st != 0 {
			return 0, refuse(vendorproc.LibraryFailed, "OpenCL makes no context on the GPU (status %d)", st)
		}
		queue, _, _ := purego.SyscallN(f[3], context, uintptr(device[0]), 0, address(status))
		if st := int32(status[0]); st != 0 {
			return 0, refuse(vendorproc.LibraryFailed, "OpenCL makes no command queue on the GPU (status %d)", st)
		}
		return queue, nil
	}
	return 0, refuse(vendorproc.NoDevice, "OpenCL finds no GPU")
}

// named is a library whose functions are found by name.
type named struct {
	gpaCall
	out []uint64
}

func (g *named) call(name string, args ...uintptr) error { return g.do(name, g.lib.has(name), args...) }

func (g *named) number(name string, args ...uintptr) (uint32, error) {
	g.out[0] = 0
	err := g.call(name, append(args, address(g.out))...)
	return uint32(g.out[0]), err
}

func (g *named) text(name string, args ...uintptr) (string, error) {
	g.out[0] = 0
	err := g.call(name, append(args, address(g.out))...)
	return text(uintptr(g.out[0])), err
}

// sessions is GPA from 3.4 on: its table of functions says which version it is; counters belong to a context, enabled
// ones to a session.
type sessions struct {
	named
	version          string
	context, session uintptr
}

// The main table of functions differs in length between releases; what stands at its beginning is enough to see that it
// fits.
const (
	mainTableFirst = 3
	mainTableLast  = 4
	mainTableSize  = 8 + 9*8
)

func openSessions(lib *library) (gpaLibrary, error) {
	g := &sessions{named: named{gpaCall{lib, newerStatus(lib)}, room(2)}}
	table := room(512)
	var found uint64
	for major := uint64(mainTableLast); ; major-- {
		table[0] = major | mainTableSize<<32
		st := call(lib.has("GpaGetFuncTable"), address(table))
		if st == 0 {
			break
		}
		found = table[0]
		if major == mainTableFirst {
			return nil, &vendorproc.Error{Kind: vendorproc.LibraryVersion,
				Text: fmt.Sprintf("%s has a function table of version %d with %d bytes; versions %d and %d are known here (%s)",
					lib.path, uint32(found), found>>32, mainTableFirst, mainTableLast, g.status(st))}
		}
	}
	g.version = versionOf(lib.has("GpaGetVersion"))
	queue, err := openCL(lib)
	if err != nil {
		return nil, err
	}
	if err := g.do("GpaInitialize", uintptr(table[1+2]), 0); err != nil {
		return nil, err
	}
	if err := g.do("GpaOpenContext", uintptr(table[1+4]), queue, 0, address(g.out)); err != nil {
		return nil, err
	}
	g.context = uintptr(g.out[0])
	g.out[0] = 0
	if err := g.call("GpaCreateSession", g.context, 0, address(g.out)); err != nil {
		return nil, err
	}
	g.session = uintptr(g.out[0])
	return g, nil
}

func (g *sessions) describe(info *vendorproc.GPAInfo) {
	info.Interface, info.Version = "function table, OpenCL", g.version
	if name, err := g.named.text("GpaGetDeviceName", g.context); err == nil {
		info.Device = name
	}
}

func (g *sessions) count() (int, error) {
	n, err := g.number("GpaGetNumCounters", g.context)
	return int(n), err
}

func (g *sessions) counter(i int) (c vendorproc.GPACounter, err error) {
	return describeCounter(&g.named, []string{"GpaGetCounterName", "GpaGetCounterGroup", "GpaGetCounterDescription",
		"GpaGetCounterDataType", "GpaGetCounterUsageType"},
		newerTypes, g.context, uintptr(i))
}

// describeCounter asks for a counter's texts and types by functions of these names.
func describeCounter(g *named, functions, types []string, args ...uintptr) (c vendorproc.GPACounter, err error) {
	for k, to := range []*string{&c.Name, &c.Group, &c.Doc} {
		if *to, err = g.text(functions[k], args...); err != nil {
			return c, err
		}
	}
	kind, err := g.number(functions[3], args...)
	if err != nil {
		return c, err
	}
	use, err := g.number(functions[4], args...)
	c.Type, c.Usage = nameOf(types, kind), nameOf(usages, use)
	return c, err
}

func (g *sessions) passes(list []uint32) (int, error) {
	for _, i := range list {
		if err := g.call("GpaEnableCounter", g.session, uintptr(i)); err != nil {
			return 0, err
		}
	}
	n, err := g.number("GpaGetPassCount", g.session)
	if err != nil {
		return 0, err
	}
	return int(n), g.call("GpaDisableAllCounters", g.session)
}

func (g *sessions) close() {
	// The program ends after it.
	_ = g.call("GpaDeleteSession", g.session)
	_ = g.call("GpaCloseContext", g.context)
}

// flat is GPA 2: one context is current, and counters are enabled in it.
type flat struct{ named }

var (
	flatTypes    = []string{"float32", "float64", "uint32", "uint64", "int32", "int64"}
	flatStatuses = []string{
		"ok", "null pointer", "counters not open", "counters already open", "index out of range", "not found",
		"already enabled", "no counters enabled",
		"not enabled", "sampling not started", "sampling already started", "sampling not ended", "not enough passes",
		"pass not ended", "pass not started",
		"pass already started", "sample not started", "sample already started", "sample not ended",
		"cannot change counters when sampling",
		"session not found", "sample not found", "sample not found in all passes", "counter not of specified type",
		"reading counter result",
		"variable number of samples in passes", "failed", "hardware not supported", "driver not supported",
		"API not supported", "load failed",
		"library load failed", "library load version mismatch",
	}
)

func openFlat(lib *library) (gpaLibrary, error) {
	g := &flat{named{gpaCall{lib, func(st int32) string {
		if n := nameOf(flatStatuses, uint32(st)); n != "" {
			return n
		}
		return fmt.Sprintf("status %d", st)
	}}, room(2)}}
	queue, err := openCL(lib)
	if err != nil {
		return nil, err
	}
	if err := g.call("GPA_Initialize"); err != nil {
		return nil, err
	}
	if err := g.call("GPA_OpenContext", queue, 0); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *flat) describe(info *vendorproc.GPAInfo) { info.Interface = "flat functions, OpenCL" }

func (g *flat) count() (int, error) {
	n, err := g.number("GPA_GetNumCounters")
	return int(n), err
}

func (g *flat) counter(i int) (vendorproc.GPACounter, error) {
	return describeCounter(&g.named, []string{"GPA_GetCounterName", "GPA_GetCounterCategory",
		"GPA_GetCounterDescription", "GPA_GetCounterDataType", "GPA_GetCounterUsageType"},
		flatTypes, uintptr(i))
}

func (g *flat) passes(list []uint32) (int, error) {
	for _, i := range list {
		if err := g.call("GPA_EnableCounter", uintptr(i)); err != nil {
			return 0, err
		}
	}
	n, err := g.number("GPA_GetPassCount")
	if err != nil {
		return 0, err
	}
	return int(n), g.call("GPA_DisableAllCounters")
}

func (g *flat) close() { _ = g.call("GPA_CloseContext") } // the program ends after it
