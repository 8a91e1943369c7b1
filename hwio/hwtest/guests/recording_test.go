package guests

import (
	"encoding/json"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest/emulated"
)

// record runs astrolabe record in the guest and opens what it wrote. The second result is what it said.
func record(t *testing.T, m *Machine, args ...string) (*capture.Capture, string) {
	t.Helper()
	a := m.Run(append([]string{"astrolabe", "record", "-o", "/tmp/live.arrow"}, args...)...)
	if a.Exit != 0 {
		t.Fatalf("astrolabe record %q exits with %d:\n%s", args, a.Exit, a.Errors)
	}
	return open(t, m, "/tmp/live.arrow"), string(a.Errors)
}

func open(t *testing.T, m *Machine, path string) *capture.Capture {
	t.Helper()
	return emulated.Open(t, m.Fetch(path))
}

// counter is what the recording has under a name.
func counter(t *testing.T, c *capture.Capture, name string) *capture.Counter {
	t.Helper()
	ctr := c.Counter(name)
	if ctr == nil {
		var names []string
		for _, ctr := range c.Counters {
			names = append(names, ctr.Name)
		}
		t.Fatalf("the recording has no counter %s but %q", name, names)
	}
	return ctr
}

// exact is the sum of a counter that nothing was scaled or missing of.
func exact(t *testing.T, c *capture.Capture, name string) uint64 {
	t.Helper()
	sum, ok := counter(t, c, name).Sum().Uint64()
	if !ok {
		t.Fatalf("%s has no sum", name)
	}
	return sum
}

// total is the sum of a counter, scaled up where it took turns with others.
func total(t *testing.T, c *capture.Capture, name string) float64 {
	t.Helper()
	return counter(t, c, name).Total().Float()
}

// printed is the total of a counter that astrolabe stat prints in the guest, of the recording that record wrote last.
func printed(t *testing.T, m *Machine, name string) json.Number {
	t.Helper()
	var list []struct {
		Name  string
		Total json.Number
	}
	text := m.Must("astrolabe", "stat", "--json", "/tmp/live.arrow")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, c := range list {
		if c.Name == name {
			return c.Total
		}
	}
	t.Fatalf("astrolabe stat prints no %s:\n%s", name, text)
	return ""
}

// findings are what astrolabe doctor says, by what they are about.
func findings(t *testing.T, m *Machine) map[string]bool {
	t.Helper()
	var list []struct {
		Source, What string
		Usable       bool
	}
	text := m.Must("astrolabe", "doctor", "--json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	out := map[string]bool{}
	for _, f := range list {
		what, _, _ := strings.Cut(f.What, " (")
		out[f.Source+": "+what] = f.Usable
	}
	return out
}
