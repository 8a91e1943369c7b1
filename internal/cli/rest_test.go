package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func TestUnknownFlagsGoToTheScript(t *testing.T) {
	flags := pflag.NewFlagSet("report", pflag.ContinueOnError)
	flags.StringP("output", "o", "", "")
	flags.Bool("quick", false, "")
	for _, c := range []struct {
		name           string
		args           []string
		known, unknown []string
	}{
		{"flags of both", []string{"a.csv", "-o", "x.png", "--busy=80", "--quick"},
			[]string{"a.csv", "-o", "x.png", "--quick"}, []string{"--busy=80"}},
		{"a value behind the capture", []string{"a.csv", "--busy", "80", "--output", "x"},
			[]string{"a.csv", "--output", "x"}, []string{"--busy", "80"}},
		{"before the capture a word is the capture", []string{"--busy=80", "a.csv"}, []string{"a.csv"},
			[]string{"--busy=80"}},
		{"a switch of the script", []string{"a.csv", "--deep", "--busy", "1"}, []string{"a.csv"},
			[]string{"--deep", "--busy", "1"}},
		{"a value that looks like an attached short flag", []string{"-ox.png", "a"}, []string{"-ox.png", "a"}, nil},
		{"everything behind -- is known", []string{"--", "--busy"}, []string{"--", "--busy"}, nil},
		{"a lone dash is an argument", []string{"-"}, []string{"-"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			known, unknown := splitFlags(flags, c.args)
			if diff := cmp.Diff([][]string{c.known, c.unknown}, [][]string{known, unknown}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSizesAreReadInEveryUnit(t *testing.T) {
	for text, want := range map[string]byteSize{"512": 512, "1KiB": 1024, "1kB": 1000, "1.5 GiB": 3 << 29,
		"2G": 2 << 30, "64m": 64 << 20, "10b": 10} {
		var got byteSize
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "lots", "-1", "0", "1XB", "1e30GB", "nan", "inf"} {
		var got byteSize
		if err := got.Set(text); err == nil {
			t.Errorf("%q was taken for %d", text, got)
		}
	}
}
