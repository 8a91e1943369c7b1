// Command simulate writes simulated captures with the truth about what limits them: for each case NAME.arrow, the
// project's own file, and NAME.truth.json.
//
//	go run ./capture/simulate/cmd/simulate -family mali-g720 -kind archetype -n 20 -o cases
//	go run ./capture/simulate/cmd/simulate -table -family mali-g720 -n 500
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

// settings are the command line.
type settings struct {
	family, kind string
	n            int
	seed         uint64
	dir          string
	table        bool
	opt          simulate.Options
}

func run(args []string, out io.Writer) error {
	var s settings
	f := flag.NewFlagSet("simulate", flag.ContinueOnError)
	f.StringVar(&s.family, "family", "mali-g720", "one of "+strings.Join(all.Families(), ", "))
	f.StringVar(&s.kind, "kind", "", "one of "+strings.Join(simulate.Kinds(),
		", ")+"; all of the family where it is left out")
	f.IntVar(&s.n, "n", 10, "cases of each kind")
	f.Uint64Var(&s.seed, "seed", 1, "seed of the first case; the others follow")
	f.StringVar(&s.dir, "o", "", "folder to write to")
	f.BoolVar(&s.table, "table", false, "write no files: print how often each candidate is the clear limiter")
	period := f.Duration("period", 0, "time between samples; drawn where it is left out")
	marks := f.String("marks", "", "labels of frames: yes or no; drawn where it is left out")
	host := f.String("host", "", "counters of the processor beside the GPU's: yes or no; drawn where it is left out")
	sets := f.String("sets", "", "Intel's metric sets, separated by commas, measured in rounds")
	gaps := f.Int("gaps", 0, "stretches without data")
	withhold := f.String("withhold", "",
		"candidates, such as unit/texture, whose counters are left out, separated by commas")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return fmt.Errorf("there is no argument %q", f.Arg(0))
	}
	s.opt.Period, s.opt.Gaps = *period, *gaps
	var err error
	if s.opt.Marks, err = choice("marks", *marks); err != nil {
		return err
	}
	if s.opt.Host, err = choice("host", *host); err != nil {
		return err
	}
	if *sets != "" {
		s.opt.Sets = strings.Split(*sets, ",")
	}
	for _, text := range strings.FieldsFunc(*withhold, func(r rune) bool { return r == ',' }) {
		level, name, ok := strings.Cut(text, "/")
		if !ok {
			return fmt.Errorf("-withhold %q is not LEVEL/NAME", text)
		}
		s.opt.Withheld = append(s.opt.Withheld, simulate.Candidate{Level: level, Name: name})
	}
	kinds := all.Kinds(s.family)
	if kinds == nil {
		return fmt.Errorf("there is no family %q; there are %s", s.family, strings.Join(all.Families(), ", "))
	}
	if s.kind != "" {
		if !slices.Contains(kinds, s.kind) {
			return fmt.Errorf("family %s has no kind %q; it has %s", s.family, s.kind, strings.Join(kinds, ", "))
		}
		kinds = []string{s.kind}
	}
	if s.table {
		return s.count(kinds, out)
	}
	if s.dir == "" {
		return fmt.Errorf("-o says where to write to")
	}
	for _, kind := range kinds {
		for i := range s.n {
			if err := s.write(kind, s.seed+uint64(i), out); err != nil {
				return err
			}
		}
	}
	return nil
}

func choice(name, text string) (simulate.Choice, error) {
	switch text {
	case "":
		return simulate.Drawn, nil
	case "yes":
		return simulate.Yes, nil
	case "no":
		return simulate.No, nil
	}
	return simulate.Drawn, fmt.Errorf("-%s is yes or no, not %q", name, text)
}

// truth is what is written beside a capture.
type truth struct {
	Family  string             `json:"family"`
	Kind    string             `json:"kind"`
	Seed    uint64             `json:"seed"`
	Text    string             `json:"text"`
	Plant   string             `json:"plant,omitempty"`
	Limiter simulate.Candidate `json:"limiter"`
	Clear   bool               `json:"clear"`
	*simulate.Truth
}

func (s *settings) write(kind string, seed uint64, out io.Writer) error {
	c, err := all.Case(s.family, kind, seed)
	if err != nil {
		return err
	}
	cap, err := c.Record(s.opt)
	if err != nil {
		return err
	}
	judged, err := c.Judge()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	name := filepath.Join(s.dir, fmt.Sprintf("%s-%s-%d", s.family, kind, seed))
	err = formats.NewRegistry(arrow.Format{}).Save(context.Background(), name+".arrow", "", cap)
	if err != nil {
		return err
	}
	t := truth{Family: s.family, Kind: kind, Seed: seed, Text: c.Text, Plant: c.Plant,
		Truth: judged}
	t.Limiter, t.Clear = judged.Limiter()
	raw, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".truth.json", append(raw, '\n'), 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d samples, %s: %v\n", name, cap.Len(), c.Text, t.Limiter)
	return err
}

// count prints how often each candidate is the clear limiter, by kind.
func (s *settings) count(kinds []string, out io.Writer) error {
	for _, kind := range kinds {
		began := time.Now()
		seen := map[string]int{}
		clear, healthy, phases := 0, 0, 0
		for i := range s.n {
			c, err := all.Case(s.family, kind, s.seed+uint64(i))
			if err != nil {
				return err
			}
			t, err := c.Judge()
			if err != nil {
				return err
			}
			if t.Healthy {
				healthy++
			}
			l, ok := t.Limiter()
			if ok {
				clear++
				seen[l.String()]++
			}
			both := len(t.Phases) > 1
			for k := range t.Phases {
				_, ok := t.Phases[k].Limiter()
				both = both && ok
			}
			if both {
				phases++
			}
		}
		fmt.Fprintf(out, "%s %s: %d cases, %d clear, %d healthy, %d with two clear phases, %.1f s\n", s.family, kind,
			s.n, clear, healthy, phases, time.Since(began).Seconds())
		names := make([]string, 0, len(seen))
		for name := range seen {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			if seen[a] != seen[b] {
				return seen[b] - seen[a]
			}
			return strings.Compare(a, b)
		})
		for _, name := range names {
			fmt.Fprintf(out, "\t%-24s %5d\n", name, seen[name])
		}
	}
	return nil
}
