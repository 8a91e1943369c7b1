package oa

import (
	"fmt"
	"slices"
)

// KabyLake lists the PCI device ids of Kaby Lake (and the Amber Lake parts with its GPU) by number of its graphics
// tier.
var KabyLake = map[int][]uint32{
	1: {0x5902, 0x5906, 0x5908, 0x590A, 0x590B, 0x590E, 0x5913, 0x5915},
	2: {0x5912, 0x5916, 0x5917, 0x591A, 0x591B, 0x591D, 0x591E, 0x5921, 0x591C, 0x87C0},
	3: {0x5923, 0x5926, 0x5927},
	4: {0x593B},
}

// CatalogueOf returns the catalogue id of a PCI device id. For a device without a catalogue it is "", and the
// text says in a sentence what that means.
func CatalogueOf(device uint32) (id, why string) {
	for tier, ids := range KabyLake {
		switch {
		case !slices.Contains(ids, device):
		case tier == 2 || tier == 3:
			return fmt.Sprintf("intel-kbl-gt%d", tier), ""
		default:
			return "", fmt.Sprintf(
				"device %#04x is Kaby Lake GT%d, for which no metric sets exist: its counters are shown as they are",
				device, tier)
		}
	}
	return "", fmt.Sprintf(
		"device %#04x is not a Kaby Lake GPU: there is no catalogue of it, and its counters are shown as they are; give gpu= to read them as another's",
		device)
}

// DeviceName is a name for people of a PCI device id.
func DeviceName(device uint32) string {
	for tier, ids := range KabyLake {
		if slices.Contains(ids, device) {
			return fmt.Sprintf("Intel Kaby Lake GT%d", tier)
		}
	}
	return fmt.Sprintf("Intel GPU %#04x", device)
}

// variantOf is the meaning of the first word of the reports of a PCI device id. sure is false for a device that this
// package does not know: it then is taken for a later one, and they share the layout of Gen9.
func variantOf(device uint32) (v Variant, sure bool) {
	switch family(device) {
	case broadwell:
		return Gen8, true
	case unknownFamily:
		return Gen9, false
	}
	return Gen9, true
}

// TimestampFrequencyOf is the frequency of the timestamp of a PCI device id in Hz, for where the kernel does not tell.
func TimestampFrequencyOf(device uint32) uint64 {
	switch family(device) {
	case broadwell:
		return 12_500_000
	case broxton:
		return 19_200_000
	}
	return 12_000_000
}

// threadsPerEU is the number of threads that an EU of that PCI device id holds.
func threadsPerEU(device uint32) int {
	if family(device) == broxton {
		return 6
	}
	return 7
}

const (
	unknownFamily = iota
	broadwell     // and Cherryview: Gen8
	broxton       // and Gemini Lake: Gen9 low power
	gen9          // Skylake, Kaby Lake, Coffee Lake, Comet Lake
)

func family(device uint32) int {
	switch device >> 8 {
	case 0x16, 0x22:
		return broadwell
	case 0x19, 0x59, 0x3E, 0x9B:
		return gen9
	}
	switch device {
	case 0x87C0, 0x87CA:
		return gen9
	case 0x0A84, 0x1A84, 0x1A85, 0x5A84, 0x5A85, 0x3184, 0x3185:
		return broxton
	}
	return unknownFamily
}
