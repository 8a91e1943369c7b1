package oa

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Device is what is known of a GPU by its PCI device id.
type Device struct {
	Name      string // such as "Kaby Lake GT2"
	Catalogue string // id of its catalogue; "" where no metric sets are public
	Version   int    // of its graphics, times 100: 900 is Gen9, 1255 is DG2, 2004 is Lunar Lake
	Threads   int    // that an EU holds
	Frequency uint64 // ticks per second of its timestamp; 0 where only the driver knows
	EUs       int    // most that a part has; 0 where unknown
}

//go:embed devices.txt
var deviceTable string

// devices is the table, by id. The file is part of the program, and a test reads it.
var devices = sync.OnceValue(func() map[uint32]*Device {
	out := map[uint32]*Device{}
	for line := range strings.Lines(deviceTable) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, ids, _ := strings.Cut(line, ":")
		d, err := parseDevice(strings.Split(head, ","))
		for id := range strings.FieldsSeq(ids) {
			n, e := strconv.ParseUint(id, 16, 32)
			if e != nil || err != nil {
				panic(fmt.Sprintf("devices.txt: %q: %v, %v", line, e, err))
			}
			out[uint32(n)] = d
		}
	}
	return out
})

func parseDevice(f []string) (*Device, error) {
	if len(f) != 6 {
		return nil, fmt.Errorf("%d fields, want 6", len(f))
	}
	for i := range f {
		if f[i] = strings.TrimSpace(f[i]); f[i] == "-" {
			f[i] = ""
		}
	}
	d := &Device{Name: f[0], Catalogue: f[1]}
	major, minor, _ := strings.Cut(f[2], ".")
	for _, n := range []struct {
		text string
		to   *int
	}{{major + (minor + "00")[:2], &d.Version}, {f[3], &d.Threads}, {f[5], &d.EUs}} {
		if n.text == "" {
			continue
		}
		v, err := strconv.Atoi(n.text)
		if err != nil {
			return nil, err
		}
		*n.to = v
	}
	if f[4] != "" {
		v, err := strconv.ParseUint(f[4], 10, 64)
		if err != nil {
			return nil, err
		}
		d.Frequency = v
	}
	return d, nil
}

// DeviceByID is the GPU with a PCI device id; ok is false for one that is in no list.
func DeviceByID(id uint32) (d Device, ok bool) {
	if p := devices()[id]; p != nil {
		return *p, true
	}
	return Device{}, false
}

// CatalogueOf returns the catalogue id of a PCI device id. For a device without a catalogue it is "", and the
// text says in a sentence what that means.
func CatalogueOf(device uint32) (id, why string) {
	d, ok := DeviceByID(device)
	switch {
	case !ok:
		return "", fmt.Sprintf(
			"device %#04x is in no list of Intel's GPUs: there is no catalogue of it, and its counters are shown as they are; give gpu= to read them as another's",
			device)
	case d.Catalogue == "":
		return "", fmt.Sprintf(
			"device %#04x is %s, for which no metric sets exist: its counters are shown as they are", device, d.Name)
	}
	return d.Catalogue, ""
}

// DeviceName is a name for people of a PCI device id.
func DeviceName(device uint32) string {
	if d, ok := DeviceByID(device); ok {
		return "Intel " + d.Name
	}
	return fmt.Sprintf("Intel GPU %#04x", device)
}

// variantOf is the meaning of the first word of the reports of a PCI device id. sure is false for a device that this
// package does not know: it then is taken for one of Gen9 to Gen11, or for a later one where its reports are.
func variantOf(device uint32, f *Format) (v Variant, sure bool) {
	d, ok := DeviceByID(device)
	switch {
	case !ok && (f == A24u40A14u32B8C8 || f.wide):
		return Gen12, false
	case !ok:
		return Gen9, false
	case d.Version < 900:
		return Gen8, true
	case d.Version < 1200:
		return Gen9, true
	}
	return Gen12, true
}

// TimestampFrequencyOf is the frequency of the timestamp of a PCI device id in Hz, for where the kernel does not tell;
// 0 where it depends on the part.
func TimestampFrequencyOf(device uint32) uint64 {
	d, ok := DeviceByID(device)
	if !ok {
		return 12_000_000
	}
	return d.Frequency
}

// CatalogueFrequency is TimestampFrequencyOf of the GPUs that have a catalogue.
func CatalogueFrequency(catalogue string) uint64 {
	for _, d := range devices() {
		if d.Catalogue == catalogue && catalogue != "" {
			return d.Frequency
		}
	}
	return 0
}

// threadsPerEU is the number of threads that an EU of that PCI device id holds.
func threadsPerEU(device uint32) int {
	if d, ok := DeviceByID(device); ok {
		return d.Threads
	}
	return 7
}

// ShiftOf is how many bits further to the left the timestamps of reports stand than those of the command streamer, in
// which correlations are measured.
func ShiftOf(device uint32) int {
	if d, ok := DeviceByID(device); ok && (d.Version == 1255 || d.Version == 1270) {
		return 1
	}
	return 0
}

// mostEUs is the most EUs that the GPU of a device id, or of a catalogue, can have.
func mostEUs(catalogue string, device uint32) uint64 {
	if d, ok := DeviceByID(device); ok && d.EUs > 0 {
		return uint64(d.EUs)
	}
	most := 0
	for _, d := range devices() {
		if d.Catalogue == catalogue && catalogue != "" {
			most = max(most, d.EUs)
		}
	}
	if most == 0 {
		most = 1024 // more than any part has
	}
	return uint64(most)
}
