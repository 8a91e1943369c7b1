//go:build amd64 || arm64

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// rocprofilerVariable names the library where it is not in a standard place.
const rocprofilerVariable = "ASTROLABE_ROCPROFILER_LIB"

var rocprofilerPlaces = []string{
	"librocprofiler-sdk.so.1", "/opt/rocm/lib/librocprofiler-sdk.so.1", "/opt/rocm-*/lib/librocprofiler-sdk.so.1",
	"librocprofiler-sdk.so.0", "/opt/rocm/lib/librocprofiler-sdk.so.0", "/opt/rocm-*/lib/librocprofiler-sdk.so.0",
}

// The versions whose interface is known here. From 0.5.0, of ROCm 6.3, the sample function hands records out.
const (
	minMajor, minMinor = 0, 5
	maxMajor           = 1
)

// rocprofiler is the library with its functions.
type rocprofiler struct {
	lib     *library
	version string

	forceConfigure, queryAgents, createContext, configureCounting, iterateCounters, queryCounter,
	iterateDimensions uintptr
	createConfig, startContext, stopContext, sample, recordCounter, recordPosition, statusName,
	statusText uintptr

	out []uint64 // for results of the library
	ids []uint64 // for lists of counters
}

// openRocprofiler loads the library and checks its version.
func openRocprofiler(path string) (*rocprofiler, error) {
	lib, err := load(path, rocprofilerVariable, "rocprofiler-sdk (of ROCm)", rocprofilerPlaces)
	if err != nil {
		return nil, err
	}
	r := &rocprofiler{lib: lib, out: room(4)}
	if err := r.checkVersion(); err != nil {
		return nil, err
	}
	var lost []string
	find := func(names ...string) uintptr {
		for _, n := range names {
			if p := lib.has("rocprofiler_" + n); p != 0 {
				return p
			}
		}
		lost = append(lost, "rocprofiler_"+names[0])
		return 0
	}
	r.forceConfigure, r.queryAgents, r.createContext = find("force_configure"), find("query_available_agents"),
		find("create_context")
	r.configureCounting, r.sample = find("configure_device_counting_service"), find("sample_device_counting_service")
	r.iterateCounters, r.queryCounter = find("iterate_agent_supported_counters"), find("query_counter_info")
	// Releases before 7.0 have the same function by its old name.
	r.createConfig = find("create_counter_config", "create_profile_config")
	r.startContext, r.stopContext = find("start_context"), find("stop_context")
	r.recordCounter, r.recordPosition = find("query_record_counter_id"), find("query_record_dimension_position")
	r.iterateDimensions, r.statusName = find("iterate_counter_dimensions"), find("get_status_name")
	r.statusText = lib.has("rocprofiler_get_status_string")
	if len(lost) > 0 {
		return nil, &vendorproc.Error{Kind: vendorproc.LibraryVersion,
			Text: fmt.Sprintf("%s (rocprofiler-sdk %s) lacks %s: ROCm 6.3 or newer is needed", lib.path, r.version,
				strings.Join(lost, ", "))}
	}
	return r, nil
}

func (r *rocprofiler) checkVersion() error {
	refuse := func(format string, args ...any) error {
		return &vendorproc.Error{Kind: vendorproc.LibraryVersion, Text: fmt.Sprintf(format, args...)}
	}
	get := r.lib.has("rocprofiler_get_version")
	if get == 0 {
		return refuse("%s is not rocprofiler-sdk: it has no rocprofiler_get_version (the older librocprofiler64 is another library)", r.lib.path)
	}
	at := address(r.out)
	if st := call(get, at, at+4, at+8); st != 0 {
		return refuse("%s does not tell its version (status %d)", r.lib.path, st)
	}
	major, minor, patch := field[uint32](at, 0), field[uint32](at, 4), field[uint32](at, 8)
	r.version = fmt.Sprintf("%d.%d.%d", major, minor, patch)
	switch {
	case major == minMajor && minor < minMinor:
		return refuse("%s is rocprofiler-sdk %s; 0.5.0 (ROCm 6.3) or newer is needed: before that a sample could not be read where it was asked for", r.lib.path, r.version)
	case major > maxMajor:
		return refuse("%s is rocprofiler-sdk %s; versions 0.5.0 to 1.x (ROCm 6.3 to 7) are needed: a newer one may lay out its data in another way", r.lib.path, r.version)
	}
	return nil
}

// name is the library's own name of a status.
func (r *rocprofiler) name(status int32) string {
	p, _, _ := purego.SyscallN(r.statusName, uintptr(status))
	if n := text(p); n != "" {
		return n
	}
	return fmt.Sprintf("status %d", status)
}

// Parts of the names of statuses. Their numbers differ between releases.
const (
	exceedsLimit = "EXCEEDS_HW_LIMIT"
	outOfRoom    = "OUT_OF_RESOURCES"
	wrongABI     = "INCOMPATIBLE_ABI"
)

// failure is a status other than success as an error.
func (r *rocprofiler) failure(function string, status int32) error {
	name := r.name(status)
	e := &vendorproc.Error{Kind: vendorproc.LibraryFailed, Status: name, Text: fmt.Sprintf("rocprofiler-sdk %s: %s: %s",
		r.version, function, name)}
	if r.statusText != 0 {
		if p, _, _ := purego.SyscallN(r.statusText, uintptr(status)); p != 0 {
			e.Text += " (" + text(p) + ")"
		}
	}
	switch {
	case strings.Contains(name, "PERMISSION"):
		e.Kind = vendorproc.NotPermitted
	case strings.HasSuffix(name, "ARCH_NOT_SUPPORTED"), strings.HasSuffix(name, "NO_HARDWARE_COUNTERS"),
		strings.HasSuffix(name, "NOT_AVAILABLE"):
		e.Kind = vendorproc.NotSupported
	case strings.HasSuffix(name, wrongABI):
		e.Kind = vendorproc.LibraryVersion
	}
	return e
}

// startRuntime sets up the GPU's runtime, which the counters need.
func (r *rocprofiler) startRuntime() error {
	start := r.lib.has("hsa_init")
	if start == 0 {
		dir := filepath.Dir(r.lib.path)
		places := []string{"libhsa-runtime64.so.1", "/opt/rocm/lib/libhsa-runtime64.so.1",
			"/opt/rocm-*/lib/libhsa-runtime64.so.1"}
		if filepath.IsAbs(dir) {
			places = append([]string{filepath.Join(dir, "libhsa-runtime64.so.1")}, places...)
		}
		hsa, err := load("", "ASTROLABE_HSA_LIB", "the GPU's runtime (libhsa-runtime64 of ROCm)", places)
		if err != nil {
			return err
		}
		if start = hsa.has("hsa_init"); start == 0 {
			return &vendorproc.Error{Kind: vendorproc.LibraryVersion, Text: hsa.path + " has no hsa_init"}
		}
	}
	if st := call(start); st != 0 {
		return &vendorproc.Error{Kind: vendorproc.NoDevice, Status: fmt.Sprintf("0x%x", uint32(st)),
			Text: fmt.Sprintf("the GPU's runtime does not start (hsa_init: status 0x%x)", uint32(st))}
	}
	return nil
}
