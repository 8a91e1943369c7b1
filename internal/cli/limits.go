package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"astrolabe/internal/recording"
	"astrolabe/internal/script"
)

// limits are the flags that contain what a script may do. They stand before the script on the command line.
type limits struct {
	allowRead []string
	allowExec bool
	allow     []string
	out       string
	maxSteps  uint64
	timeout   time.Duration
	maxMemory byteSize
}

func (l *limits) register(f *pflag.FlagSet) {
	f.StringSliceVar(&l.allowRead, "allow-read", nil,
		"`FOLDERS` that a script may read besides its own repository, with commas between them")
	f.BoolVar(&l.allowExec, "allow-exec", false, "let a script run commands")
	f.Var(&allowFlag{&l.allow}, "allow", "further things that a script may use: clock")
	f.StringVar(&l.out, "out", "", "the folder `DIR` that a script may write in (default the working directory)")
	f.Uint64Var(&l.maxSteps, "max-steps", 0,
		fmt.Sprintf("stop a script after `N` steps (default %d)", uint64(script.DefaultMaxSteps)))
	recording.TimeVar(f, &l.timeout, "timeout", 0, "s", "stop a script after the `TIME`, such as 30s")
	f.Var(&l.maxMemory, "max-memory",
		"stop when the program takes more memory than `SIZE`, such as 2GiB (default half of what the machine and its cgroups allow)")
}

func (l *limits) clock() bool { return slices.Contains(l.allow, "clock") }

// allowFlag takes names from a list that is known.
type allowFlag struct{ names *[]string }

func (f *allowFlag) String() string { return "" }
func (f *allowFlag) Type() string   { return "NAME" }

func (f *allowFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if name != "clock" {
			return fmt.Errorf("%q is nothing that can be allowed; there is clock", name)
		}
		*f.names = append(*f.names, name)
	}
	return nil
}

// byteSize is a number of bytes, written with a binary or decimal unit.
type byteSize uint64

var byteUnits = []struct {
	suffix string
	factor float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

func (b *byteSize) Type() string { return "SIZE" }

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*b), 10)
}

func (b *byteSize) Set(text string) error {
	number, factor := strings.ToLower(strings.TrimSpace(text)), 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n > 0) || n*factor >= 1<<62 {
		return fmt.Errorf("%q is no size; write it like 512MiB or 2GB", text)
	}
	*b = byteSize(n * factor)
	return nil
}
