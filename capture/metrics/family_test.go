package metrics

import (
	"path"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/internal/testfiles"
)

func TestEveryCatalogueBelongsToAFamily(t *testing.T) {
	for _, id := range IDs() {
		if f, ok := familyBy("id", id); !ok || f.Catalogue != id {
			t.Errorf("%s belongs to %+v", id, f)
		}
	}
	for _, row := range familyRows() {
		if _, err := path.Match(row.pattern, "x"); err != nil || row.Vendor == "" || row.pattern != strings.ToLower(row.pattern) {
			t.Errorf("line %+v: %v", row, err)
		}
		if row.Catalogue != "" {
			if _, err := Get(row.Catalogue); err != nil {
				t.Errorf("line %+v: %v", row, err)
			}
		}
	}
}

func TestACatalogueFitsItsOwnGPUAndNoOtherArchitecture(t *testing.T) {
	for _, c := range []struct {
		wanted, gpu string
		device      capture.Device
		want        Fit
	}{
		{"gfx1151", "gfx1151", capture.Device{}, Fits},
		{"gfx1151", "", capture.Device{}, Fits},
		{"gfx1151", "gfx90a", capture.Device{Name: "MI200"}, Foreign},
		{"gfx1151", "gfx942", capture.Device{}, Foreign},
		{"gfx1151", "gfx1150", capture.Device{}, Sibling},
		{"gfx1151", "gfx1100", capture.Device{}, Foreign},
		{"amd-gpa", "gfx906", capture.Device{}, Sibling},
		{"amd-gpa", "gfx90a", capture.Device{}, Foreign},
		{"amd-live", "gfx942", capture.Device{}, Fits},
		{"mali-g615", "gfx1151", capture.Device{}, Foreign},
		{"mali-g615", "cpu", capture.Device{}, Foreign},
		{"cpu", "gfx942", capture.Device{}, Foreign},
		{"mali-g615", "", capture.Device{Name: "Immortalis-G715", Vendor: "Arm"}, Fits},
		{"mali-g615", "", capture.Device{Name: "Mali-G710"}, Sibling},
		{"mali-g720", "", capture.Device{Name: "Mali-G715 MC11"}, Foreign},
		{"mali-g720", "", capture.Device{Name: "ARM Mali-G52 r1 MC2"}, Foreign},
		{"mali-g720", "", capture.Device{Name: "Adreno (TM) 640"}, Foreign},
		{"mali-g720", "", capture.Device{Vendor: "ARM"}, Sibling},
		{"mali-g720", "", capture.Device{Name: "unknown Mali GPU 0xf000", Vendor: "Arm"}, Sibling}, // a new one, which may well be like it
		{"mali-g720", "", capture.Device{ID: "8086:ffff", Vendor: "Intel"}, Foreign},
		{"intel-kbl-gt2", "intel-kbl-gt2", capture.Device{Name: "Intel Kaby Lake GT2", ID: "8086:5912", Vendor: "Intel"}, Fits},
		{"intel-kbl-gt2", "intel-kbl-gt3", capture.Device{ID: "8086:5926"}, Sibling},
		{"intel-kbl-gt2", "", capture.Device{Name: "Intel GPU 0x1912", ID: "8086:1912"}, Sibling},
		{"intel-kbl-gt2", "", capture.Device{Name: "Intel GPU 0x9a49", ID: "8086:9a49"}, Foreign},
		{"intel-kbl-gt2", "something else", capture.Device{Name: "a GPU of tomorrow"}, Fits},
	} {
		got, text := FitOf(c.wanted, c.gpu, c.device)
		if got != c.want || (text == "") != (got == Fits) {
			t.Errorf("%s for %q, %+v: %d (%s), want %d", c.wanted, c.gpu, c.device, got, text, c.want)
		}
	}
}

// The tables of the reference name every product.
func TestEveryKnownProductIsOfItsArchitecture(t *testing.T) {
	for _, r := range testfiles.Rows(t, "reference", "mali_products.csv") {
		f, ok := FamilyOf("", capture.Device{Name: r["name"]})
		if !ok || f.Vendor != "Arm" || f.Architecture != r["architecture"] || f.Catalogue != maliID(r["name"]) {
			t.Errorf("%s is %s of %q, want %s and its own catalogue", r["name"], f, f.Catalogue, r["architecture"])
		}
	}
	generations := map[string]string{"8": "Gen8", "9": "Gen9", "10": "Gen10", "11": "Gen11", "12": "Gen12", "12.10": "Gen12", "12.55": "Xe-HPG", "12.60": "Xe-HPC", "12.70": "Xe-LPG",
		"20.01": "Xe2", "20.04": "Xe2", "30.00": "Xe3"}
	for _, r := range testfiles.Rows(t, "reference", "intel_platforms.csv") {
		f, ok := FamilyOf("", capture.Device{ID: "8086:" + strings.ToLower(strings.TrimPrefix(r["device_id"], "0x"))})
		if !ok || f.Vendor != "Intel" || f.Architecture != generations[r["graphics_version"]] {
			t.Errorf("%s (%s) is %+v, want version %s", r["device_id"], r["platform"], f, r["graphics_version"])
		}
	}
}
