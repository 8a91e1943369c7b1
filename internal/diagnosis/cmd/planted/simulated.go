package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"astrolabe/internal/diagnosis/rates"
)

// simulated is which cases of the simulator are judged, and where the counts go.
type simulated struct {
	cases, workers   int
	first            uint64
	families, kinds  string
	add              string
	json, page, note string
	values           string
	together         bool
}

// measure judges cases of the simulator and prints how often the scripts are right.
func (s *simulated) measure(ctx context.Context, script string, w io.Writer) error {
	if s.cases < 0 || s.workers < 1 {
		return errors.New("--cases is 0 or more, --workers 1 or more")
	}
	if s.together && s.json != "" {
		return errors.New("--together is of what is printed: counts that others are added to (--json) are by family")
	}
	names := rates.Families(script)
	if s.families != "" {
		names = list(s.families)
	}
	if len(names) == 0 {
		return nil // a script whose captures nothing simulates
	}
	cases := rates.Cases{
		Families: names, Kinds: list(s.kinds), First: s.first, Number: s.cases, Workers: s.workers,
		Progress: func(family, kind string) { fmt.Fprintf(os.Stderr, "%s: %s judged\n", family, kind) },
	}
	if s.values != "" {
		return writeValues(ctx, cases, s.values)
	}
	all, err := rates.Measure(ctx, cases)
	if err != nil {
		return err
	}
	for _, path := range list(s.add) {
		more, err := rates.Read(path)
		if err != nil {
			return err
		}
		if err := all.Add(more); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if s.together {
		all = all.Together()
	}
	if err := all.Print(w); err != nil {
		return err
	}
	if s.json != "" {
		if err := all.WriteJSON(s.json); err != nil {
			return err
		}
	}
	if s.page == "" {
		return nil
	}
	var page bytes.Buffer
	if err := all.WriteMarkdown(&page, s.note,
		"go run ./internal/diagnosis/cmd/planted --simulated --rates FILE"); err != nil {
		return err
	}
	return os.WriteFile(s.page, page.Bytes(), 0o666)
}

// writeValues writes what captures of the cases say to a file.
func writeValues(ctx context.Context, cases rates.Cases, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = rates.WriteValues(ctx, cases, w)
	return errors.Join(err, w.Flush(), f.Close())
}

// list are the parts of a list with commas.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
