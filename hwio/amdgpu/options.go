package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"astrolabe/hwio"
)

// settings are the source's options, read.
type settings struct {
	device    string  // card, PCI address, partition or "" for all
	rate      float64 // of register samples, per second; 0 for none
	refresh   time.Duration
	processes bool
}

const (
	defaultRate    = 10000
	maxRate        = 50000
	defaultRefresh = 100 * time.Millisecond
	minRefresh     = 10 * time.Millisecond
	maxRefresh     = 10 * time.Second
)

// Options lists the options of the source.
func (s *Source) Options() []hwio.Option {
	return []hwio.Option{
		{Name: "device", Doc: "the GPU to measure, as card1 or as PCI address 0000:03:00.0, or one partition of an MI300, as card0/xcp1; all of them where none is named"},
		{Name: "rate", Doc: fmt.Sprintf("samples of the status registers per second, at most %d; 0 takes none and lets the GPU sleep", maxRate), Default: strconv.Itoa(defaultRate)},
		{Name: "refresh", Doc: "time between two readings of sensors and files, 10ms to 10s",
			Default: defaultRefresh.String()},
		{Name: "processes", Doc: "yes adds the engine times of each process that uses a GPU when the recording begins",
			Default: "no"},
	}
}

func parseSettings(options map[string]string) (settings, error) {
	st := settings{rate: defaultRate, refresh: defaultRefresh}
	for name, text := range options {
		bad := func(want string) error { return fmt.Errorf("option %s=%s: want %s", name, text, want) }
		var err error
		switch name {
		case "device":
			st.device = text
		case "rate":
			if st.rate, err = strconv.ParseFloat(text, 64); err != nil ||
				!(st.rate == 0 || (st.rate >= 1 && st.rate <= maxRate)) {
				return st, bad(fmt.Sprintf("0, or 1 to %d samples per second", maxRate))
			}
		case "refresh":
			if st.refresh, err = time.ParseDuration(text); err != nil || st.refresh < minRefresh ||
				st.refresh > maxRefresh {
				return st, bad(fmt.Sprintf("a time from %v to %v, such as 100ms", minRefresh, maxRefresh))
			}
		case "processes":
			if st.processes, err = yes(text); err != nil {
				return st, bad("yes or no")
			}
		default:
			return st, fmt.Errorf("the source amdgpu has no option %q; it has device, rate, refresh and processes", name)
		}
	}
	return st, nil
}

func yes(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes":
		return true, nil
	case "no", "":
		return false, nil
	}
	return strconv.ParseBool(text)
}
