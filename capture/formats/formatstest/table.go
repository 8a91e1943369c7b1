package formatstest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// Promise is what the table of the documentation says of each format: "yes" or "no" of each thing that Kept lists.
type Promise map[string]map[string]string

// Columns are the formats of the table, in its order.
var Columns = []string{"arrow", "parquet", "perfetto", "chrometrace", "csv", "gpa", "i915perf"}

// Promises reads the table in the documentation. root is the repository's root.
func Promises(root string) (Promise, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "formats.md"))
	if err != nil {
		return nil, err
	}
	out := Promise{}
	var names []string
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case cells[0] == "kept":
			names = cells[1:]
		case names == nil || strings.HasPrefix(cells[0], "-"):
		case len(cells) != len(names)+1:
			return out, nil
		default:
			for i, name := range names {
				if out[name] == nil {
					out[name] = map[string]string{}
				}
				out[name][cells[0]] = cells[i+1]
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("docs/formats.md has no table that begins with | kept |")
	}
	return out, nil
}

// Table writes what formats keep as the documentation has it.
func Table(p Promise) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| kept | %s |\n|%s\n", strings.Join(Columns, " | "), strings.Repeat(" --- |", len(Columns)+1))
	for _, k := range Kept {
		fmt.Fprintf(&b, "| %s |", k.Name)
		for _, name := range Columns {
			fmt.Fprintf(&b, " %s |", p[name][k.Name])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Measure says what of a is in b.
func Measure(a, b *capture.Capture) map[string]string {
	out := map[string]string{}
	for _, k := range Kept {
		out[k.Name] = "no"
		if k.Same(a, b) {
			out[k.Name] = "yes"
		}
	}
	return out
}

// RoundTrip writes a capture and opens it again; nil where the format cannot hold it, or is not read.
func RoundTrip(t *testing.T, r *formats.Registry, w formats.Writer, c *capture.Capture) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x."+w.Name())
	err := r.Save(t.Context(), path, w.Name(), c)
	if errors.Is(err, formats.ErrUnsuitable) {
		return nil
	}
	if err != nil {
		t.Errorf("%s: %v", w.Name(), err)
		return nil
	}
	back, err := r.Open(t.Context(), path, formats.Options{Format: w.Name()})
	if errors.Is(err, formats.ErrWriteOnly) {
		return nil
	}
	if err != nil {
		t.Errorf("%s: %v", w.Name(), err)
	}
	return back
}

// Difference names the first counters that differ, for a test that failed.
func Difference(a, b *capture.Capture) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d and %d samples, %d and %d counters\n", a.Len(), b.Len(), len(a.Counters), len(b.Counters))
	for _, x := range a.Counters {
		y := b.Counter(x.Name)
		if y == nil {
			fmt.Fprintf(&out, "%s is gone\n", x.Name)
			continue
		}
		u, v := x.Total(), y.Total()
		if x.Kind != y.Kind || x.Combine != y.Combine && len(x.Instances) > 0 || x.Unit != y.Unit ||
			len(x.Instances) != len(y.Instances) || u.Missing() != v.Missing() || !u.Missing() &&
			u.Float() != v.Float() {
			fmt.Fprintf(&out, "%s: %s %q %d instances total %v, and %s %q %d instances total %v\n",
				x.Name, x.Kind, x.Unit, len(x.Instances), u.Float(), y.Kind, y.Unit, len(y.Instances), v.Float())
		}
		if out.Len() > 2000 {
			break
		}
	}
	return out.String()
}
