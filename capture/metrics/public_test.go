package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

// deviceOfPublic are constants of a device for the formulas of all generations.
var deviceOfPublic = map[string]float64{"num_shader_engines": 4, "num_simds": 96, "num_cus": 48, "ts_freq": 1e8, "num_prim_pipes": 4}

// TestPublicFormulasAgreeWithThoseOfTheHardware computes every counter that has a public formula from the hardware's
// counters, and again from a file that has only what the formula reads, for every generation and API.
func TestPublicFormulasAgreeWithThoseOfTheHardware(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared := map[string]int{}
	for _, id := range []string{"amd-gpa", "amd-gpa-rdna"} {
		c := mustGet(t, id)
		for _, e := range c.Entries() {
			for _, p := range e.Public {
				for _, generation := range e.Generations() {
					for _, api := range e.APIs() {
						compared[e.Title+" = "+p.Expr] += comparePublic(t, r, c, e, p, generation, api)
					}
				}
			}
		}
	}
	for what, n := range compared {
		if n == 0 {
			t.Errorf("no hardware has all of %s", what)
		}
	}
	t.Logf("%d formulas", len(compared))
}

// comparePublic compares a public formula on one generation through one API; 0 where that has not all it reads.
func comparePublic(t *testing.T, r *rand.Rand, c *Catalogue, e *Entry, p *Public, generation, api string) (compared int) {
	one, err := p.metric(e)
	if err != nil {
		t.Fatal(err)
	}
	if e.Title == "PAStalledOnRasterizer" && generation == "gfx12" {
		return 0 // its clocks are counted by a counter of another name, one of each half of the unit
	}
	if generation == "gfx7" && api == "gl" && slices.Contains([]string{"TexUnitBusy", "CSMemUnitStalled"}, e.Title) {
		return 0 // the table of 2017 does not make share and clocks alike
	}
	h := hardware{generation, api}
	var operands []string
	for _, name := range append([]string{e.Title}, one.Inputs...) {
		of, err := c.Find(name)
		if err != nil {
			return 0
		}
		v, err := of.on(h)
		if err != nil {
			return 0
		}
		for _, operand := range v.Inputs {
			if !slices.Contains(operands, operand) {
				operands = append(operands, operand)
			}
		}
	}
	rows := make([][]float64, 20)
	for i := range rows {
		for range operands {
			rows[i] = append(rows[i], float64(1+r.IntN(1000*i+1)))
		}
	}
	hard := gpaCapture(t, generation, api, operands, rows, deviceOfPublic, "")
	want, err := Resolve(hard, e.Title)
	if err != nil {
		t.Fatal(err)
	}
	var counters []*capture.Counter
	for _, name := range one.Inputs {
		x, err := Resolve(hard, name)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = x.Value(i).Float()
		}
		counters = append(counters, &capture.Counter{Meta: capture.Meta{Name: name, Title: name, Unit: x.Unit, Source: "gpa", GPU: c.ID(),
			Kind: capture.Delta}, Axis: hard.Axis, Col: capture.NewColumn(capture.Data{F: values})})
	}
	cfg := capture.Config{Name: "public", Format: "gpa", GPU: c.ID(), Axis: hard.Axis, Counters: counters}
	file, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Resolve(file, e.Title)
	if err != nil {
		t.Fatalf("%s = %s: %v", e.Title, p.Expr, err)
	}
	for i := range rows {
		a, b := want.Value(i).Float(), got.Value(i).Float()
		if strings.HasPrefix(p.Expr, "min(") { // some APIs of old hardware let a stage be busy for longer than the GPU
			a = min(a, 100)
		}
		if math.Abs(a-b) > 1e-9*max(1, math.Abs(a)) || math.IsNaN(a) != math.IsNaN(b) {
			t.Errorf("%s on %s %s is %v, and %s is %v", e.Title, generation, api, a, p.Expr, b)
			break
		}
		compared++
	}
	return compared
}
