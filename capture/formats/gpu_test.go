package formats

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"astrolabe/capture"
)

// saying is a format whose content says what it is of: "gpu=ID", "device=NAME" and "pci=ID", one a line.
type saying struct{ fakeFormat }

func (saying) Open(_ context.Context, in *Input, opt Options) (*capture.Capture, error) {
	cfg := capture.Config{Format: "saying", Path: in.Path}
	for line := range bytes.Lines(in.Head) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		switch key {
		case "gpu":
			cfg.GPU = value
		case "device":
			cfg.Device.Name = value
		case "pci":
			cfg.Device.ID = value
		}
	}
	opt.Apply(&cfg)
	return capture.New(cfg)
}

// An MI200 folder with --gpu=gfx1151 was once judged by gfx1151's rules: a confident wrong answer.
func TestACatalogueOfAnotherArchitectureIsRefusedUnlessForced(t *testing.T) {
	r := NewRegistry(saying{fakeFormat{name: "saying", word: "says", sure: 100}})
	for _, c := range []struct {
		content, gpu string
		refused      string // what the error says; "" where the capture opens
		forced       string // what it then says by force
		sibling      bool
	}{
		{"gpu=gfx90a\ndevice=MI200", "gfx1151", "gfx90a (AMD, CDNA 2), and gfx1151 is of AMD, RDNA 3.5",
			"gfx90a", false},
		{"gpu=gfx90a", "mali-g615", "gfx90a (AMD, CDNA 2), and mali-g615 is of Arm, Valhall", "gfx90a", false},
		{"gpu=cpu", "gfx1151", "cpu (CPU)", "cpu", false},
		{"device=Intel GPU 0x9a49\npci=8086:9a49", "intel-kbl-gt2", "Intel GPU 0x9a49 (Intel, Gen12)",
			"Intel GPU 0x9a49", false},
		{"pci=8086:1912", "intel-kbl-gt2", "", "", true},
		{"gpu=gfx1150", "gfx1151", "", "", true},
		{"gpu=gfx1151", "gfx1151", "", "", false},
		{"gpu=gfx942", "amd-live", "", "", false},
		{"device=Mali-G715", "mali-g615", "", "", false},
		{"nothing=", "gfx1151", "", "", false},
		{"gpu=gfx90a", "", "", "", false},
	} {
		path := put(t, "x", "says\n"+c.content)
		got, err := r.Open(context.Background(), path, Options{GPU: c.gpu})
		if c.refused == "" {
			if err != nil {
				t.Errorf("%q as %s: %v", c.content, c.gpu, err)
				continue
			}
			if (len(got.Warnings) == 1 && strings.HasPrefix(got.Warnings[0], "read as its sibling "+c.gpu)) !=
				c.sibling || got.Stated != "" {
				t.Errorf("%q as %s: warnings %q, stated %q", c.content, c.gpu, got.Warnings, got.Stated)
			}
			continue
		}
		if err == nil || !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.refused) ||
			!strings.Contains(err.Error(), "force") {
			t.Errorf("%q as %s: got %v", c.content, c.gpu, err)
		}
		var heard []string
		got, err = r.Open(context.Background(), path, Options{GPU: c.gpu, Force: true, Warn: func(s string) {
			heard = append(heard, s)
		}})
		if err != nil {
			t.Errorf("%q as %s by force: %v", c.content, c.gpu, err)
			continue
		}
		if got.GPU != c.gpu || got.Stated != c.forced || len(got.Warnings) != 1 ||
			!strings.HasPrefix(got.Warnings[0], "read as "+c.gpu+" by force") || len(heard) != 1 {
			t.Errorf("%q as %s by force: %s, stated %q, warnings %q, heard %q", c.content, c.gpu, got.GPU, got.Stated,
				got.Warnings, heard)
		}
	}
}

func TestAMisspeltGPUIsAnErrorWithTheNearestNames(t *testing.T) {
	r := NewRegistry(saying{fakeFormat{name: "saying", word: "says", sure: 100}})
	path := put(t, "x", "says\n")
	for wrong, near := range map[string]string{"gfx1511": "gfx1151", "mali-g651": "mali-g615",
		"intel-kbl": "intel-kbl-gt2", "nonsense": "there are amd-gpa"} {
		if _, err := r.Open(context.Background(), path, Options{GPU: wrong}); err == nil ||
			!errors.Is(err, ErrOption) || !strings.Contains(err.Error(), near) {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
}
