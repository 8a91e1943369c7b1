package mali

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
	"astrolabe/internal/testfiles"
)

// TestLayoutsAreThoseOfArmsLibrary compares places, names, units and scalers with the reference.
func TestLayoutsAreThoseOfArmsLibrary(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(testfiles.Read(t, "reference", "mali_family_counters.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	want := map[string][]string{}
	for _, row := range rows[1:] {
		want[at(row, "layout")+" "+at(row, "block")+" "+at(row, "index")] = row
	}
	checked := 0
	for layout, list := range layouts() {
		for _, c := range list {
			row := want[fmt.Sprintf("%s %s %d", layout, c.block, c.index)]
			if row == nil {
				t.Errorf("%s has no %s %d (%s)", layout, c.block, c.index, c.machine)
				continue
			}
			names := strings.Fields(strings.ReplaceAll(at(row, "variable")+" "+at(row, "older_variables"), "$", ""))
			if at(row, "machine_name") != c.machine || at(row, "hardware_name") != c.hardware ||
				!slices.Contains(names, c.name) || at(row, "unit") != c.unit ||
				at(row, "scaler") != fmt.Sprint(c.scale) {
				t.Errorf("%s %s %d is %+v here, %v in the reference", layout, c.block, c.index, *c, row)
			}
			checked++
		}
	}
	if checked < 900 {
		t.Errorf("only %d counters were compared", checked)
	}
}

// TestEveryKnownCounterIsCounted finds counters of a layout that nothing ever adds to, and terms that no layout has.
func TestEveryKnownCounterIsCounted(t *testing.T) {
	known := map[string]bool{taken: true}
	counted := map[string]bool{}
	for i, f := range Families {
		p := &products[i]
		for _, c := range layouts()[p.layout] {
			known[c.machine] = true
		}
		for seed := range uint64(20) {
			c, err := cases.New(f, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			cap, err := c.Record(simulate.Options{Host: simulate.No})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range layouts()[p.layout] {
				v, ok := cap.Counter(x.name).Total().Uint64()
				counted[p.gpu+" "+x.machine] = counted[p.gpu+" "+x.machine] || ok && v > 0
			}
		}
		for _, c := range layouts()[p.layout] {
			without := p.rays == 0 && strings.Contains(c.machine, "RTU")
			if !counted[p.gpu+" "+c.machine] && !alwaysZero(c.machine) && !without {
				t.Errorf("%s: %s stays 0", p.gpu, c.machine)
			}
		}
	}
	for i := range products {
		d := newDevice(simulate.NewRandom(1, "terms"), &products[i])
		for _, name := range []string{"game", "random"} {
			s, err := content.Draw(simulate.NewRandom(1, "terms"), d.has, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range d.program(s) {
				for _, x := range w {
					if !known[x.counter] {
						t.Errorf("%s: no layout has %s", products[i].gpu, x.counter)
					}
				}
			}
		}
	}
}

// alwaysZero reports whether nothing here ever counts: the reserved slot, dependencies within slots, virtual machines,
// lines and points.
func alwaysZero(machine string) bool {
	return strings.HasPrefix(machine, "MaliResQueue") || strings.HasSuffix(machine, "QueueWaitDepCy") ||
		strings.HasPrefix(machine, "MaliMMUS2") || machine == "MaliGeomLinePrim" || machine == "MaliGeomPointPrim"
}
