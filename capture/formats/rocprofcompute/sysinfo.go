package rocprofcompute

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// readSysinfo takes properties, device and GPU from sysinfo.csv. Without that file the capture opens all the same.
func (w *workload) readSysinfo(cfg *capture.Config) {
	path := w.path(sysinfoFile)
	var names, values []string
	err := w.sysinfo
	if err == nil {
		names, values, err = sysinfoRow(path)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			w.warn("%s is missing: GPU, shader engines, clocks and other constants are unknown", path)
		} else {
			w.warn("%v: GPU, shader engines, clocks and other constants are unknown", err)
		}
		return
	}
	info := map[string]string{}
	for i, name := range names {
		v := strings.TrimSpace(values[i])
		name = nameNow(name, names)
		if name == "" || delimited.IsMissing(v) {
			continue
		}
		if _, dup := info[name]; dup {
			w.warn("%s: column %q stands twice: the first is used", path, name)
			continue
		}
		info[name] = v
		p := capture.Property{Name: name}
		if f, ok := delimited.ParseFloat([]byte(v), '.'); ok {
			p.Number = f
		} else {
			p.Text, p.IsText = v, true
		}
		cfg.Properties = append(cfg.Properties, p)
	}
	// gfx90a:sramecc+:xnack- names features after the architecture.
	cfg.GPU, _, _ = strings.Cut(info["gpu_arch"], ":")
	if k := newConstants(cfg); k.doubtful() {
		dies, _ := k.get("num_xcd")
		engines, _ := k.get("se_per_gpu")
		w.warn("%s says num_xcd %v, but %v shader engines are %v XCDs: the release did not know this %s, and "+
			"everything per XCD, of L2 channels and in percent of a peak may be wrong by that factor",
			sysinfoFile, dies, engines, engines/enginesPerDie, info["gpu_model"])
	}
	cfg.StartTime = parseTimestamp(info["timestamp"])
	cfg.Device = capture.Device{Name: info["gpu_model"], Vendor: "AMD", ID: info["gpu_chip_id"],
		Driver: info["amd_gpu_kernel_version"], Extra: map[string]string{}}
	if cfg.Device.Driver == "" && info["rocm_version"] != "" {
		cfg.Device.Driver = "ROCm " + info["rocm_version"]
	}
	for _, name := range []string{"gpu_series", "gpu_arch", "rocm_version", "vbios", "hostname", "cpu_model",
		"linux_distro", "linux_kernel_version", "command"} {
		if v := info[name]; v != "" {
			cfg.Device.Extra[name] = v
		}
	}
}

// sysinfoRow returns the header and the one row of a sysinfo.csv.
func sysinfoRow(path string) (names, values []string, err error) {
	names, rows, err := smallTable(path, 1)
	if err != nil {
		return nil, nil, err
	}
	return names, rows[0], nil
}

// sameRun returns an error unless all folders are of one program on GPUs of one kind.
func sameRun(nodes []layout) error {
	first := map[string]string{}
	for i, l := range nodes {
		names, values, err := sysinfoRow(filepath.Join(l.dir, sysinfoFile))
		if err != nil {
			return err
		}
		for _, key := range []string{"gpu_arch", "command"} {
			k := slices.Index(names, key)
			switch {
			case k < 0:
			case i == 0:
				first[key] = values[k]
			case values[k] != first[key]:
				return fmt.Errorf("%d workloads of different runs (%s is %s in %s and %s in %s): give one of them",
					len(nodes), key, first[key], nodes[0].node, values[k], l.node)
			}
		}
	}
	return nil
}

// zones are the abbreviations of time zones that are safe to resolve (those of RFC 822), in hours from UTC.
var zones = map[string]int{"UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
	"PST": -8, "PDT": -7}

// parseTimestamp reads "Wed May 6 23:17:02 2026 (EDT)" and "Thu 21 Mar 2024 04:16:46 PM (CDT)". A zone that it does not
// know gives the zero Time.
func parseTimestamp(s string) time.Time {
	text, zone, ok := strings.Cut(s, "(")
	zone = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(zone), ")"))
	hours, known := zones[zone]
	if !ok || !known {
		return time.Time{}
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, layout := range []string{"Mon Jan 2 15:04:05 2006", "Mon 2 Jan 2006 03:04:05 PM",
		"Mon 02 Jan 2006 15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.FixedZone(zone, hours*3600)); err == nil {
			return t
		}
	}
	return time.Time{}
}
