package metrics

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

// maliColumns are the ways in which exports head the column of a counter of the reference table; "" where one has no such name.
var maliColumns = map[string]func(row map[string]string) string{
	"variable":    func(r map[string]string) string { return r["variable"] },
	"machine":     func(r map[string]string) string { return r["machine_name"] },
	"hardware":    func(r map[string]string) string { return r["hardware_name"] },
	"chart":       func(r map[string]string) string { return "Mali " + r["group"] + ": " + r["series"] },
	"chart tight": func(r map[string]string) string { return "Mali " + r["group"] + ":" + r["series"] },
	"path":        func(r map[string]string) string { return r["group"] + "/" + r["series"] },
	"bare chart":  func(r map[string]string) string { return r["group"] + ": " + r["series"] },
	"older": func(r map[string]string) string {
		older, _, _ := strings.Cut(r["older_variables"], " ")
		return or(older, r["variable"])
	},
	"title":    func(r map[string]string) string { return r["title"] },
	"old path": func(r map[string]string) string { return strings.Replace(r["group"]+"/"+r["series"], "-", " ", 1) },
}

// Whichever way an export heads its columns, every metric of every Mali has the value that it has of the counters themselves.
func TestEveryMaliReadsColumnsUnderAnyOfTheirNames(t *testing.T) {
	rows := testfiles.Rows(t, "reference", "mali_family_counters.csv")
	for _, id := range distinct() {
		if p := productOf(id); p.family != "mali" {
			continue
		}
		cat := mustGet(t, id)
		want := map[string]float64{}
		for _, way := range append([]string{"", "id"}, sortedKeys(maliColumns)...) {
			f := newFixture(id, 1)
			f.property("MaliConstantsShaderCoreCount", 6)
			f.property("MaliConstantsL2SliceCount", 2)
			f.property("MaliConstantsBusWidthBits", 128)
			for _, row := range rows {
				e := cat.atPlace(row["block"], row["index"])
				if maliLayout(id) != row["layout"] || e == nil || row["machine_name"] == "" {
					continue
				}
				name := e.Name
				switch way {
				case "":
				case "id":
					name = strings.ReplaceAll(strings.Replace(cat.Title(), "Arm ", "ARM_", 1), " ", "-") + "_" + row["hardware_name"]
				default:
					name = maliColumns[way](row)
				}
				value := float64(1000 + 7*e.Index%977 + len(e.Name))
				if way != "hardware" { // whose number is not multiplied yet
					value *= float64(max(e.Scaler, 1))
				}
				f.add(name, value)
			}
			cap := f.capture(t)
			list, err := Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range list {
				if !slices.ContainsFunc(cat.entries, func(e *Entry) bool { return e.Name == m.Name }) {
					continue
				}
				got := m.Total()
				switch {
				case way == "":
					if want[m.Name] = got.Float(); got.Missing() {
						t.Errorf("%s: %s is missing", id, m.Name)
					}
				case got.Missing() || !nearly(got.Float(), want[m.Name]):
					t.Errorf("%s, columns by %s: %s is %v, want %v", id, way, m.Name, got, want[m.Name])
				}
			}
			if len(list) < 113 {
				t.Errorf("%s, columns by %s: %d metrics", id, way, len(list))
			}
		}
	}
}

// maliLayout is the name that the reference gives to the layout of a product's counters.
func maliLayout(id string) string {
	word := productOf(id).words[1]
	if word == "g1" {
		return "Mali G1"
	}
	return "Mali-" + strings.ToUpper(word)
}

func (c *Catalogue) atPlace(block, index string) *Entry {
	for _, e := range c.entries {
		if e.Block == block && e.Index > 0 && index == strconv.Itoa(e.Index) {
			return e
		}
	}
	return nil
}

func TestNamesThatSayTheirProductNameIt(t *testing.T) {
	for want, names := range map[string][]string{
		"mali-g720":       {"ARM_Mali-G720_GPU_ACTIVE", "Mali GPU Cycles: GPU active"},
		"mali-g52":        {"time to nothing", "ARM_Mali-G52_JS0_ACTIVE"},
		"immortalis-g925": {"ARM_Immortalis-G925_GPU_ACTIVE"},
		"":                {"ARM_Mali-G720_GPU_ACTIVE", "ARM_Mali-G52_GPU_ACTIVE"},
	} {
		if got := StatedBy(names); got != want {
			t.Errorf("%q say %q, want %q", names, got, want)
		}
	}
	if got := StatedBy([]string{"Mali GPU Cycles: GPU active", "GPU_ACTIVE", "MaliGPUActiveCy"}); got != "" {
		t.Errorf("names of every Mali say %q", got)
	}
	if _, err := mustGet(t, "mali-g52").Find("ARM_Mali-G720_JS0_ACTIVE"); err == nil {
		t.Error("a counter of another product is found")
	}
}
