package diagnosis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/capturetest"
)

// Nothing stands for no bottleneck among the classes of a Matrix.
const Nothing = "nothing"

// Suite is which cases of a model to judge.
type Suite struct {
	Loads   []float64
	Noises  []float64
	Seeds   []uint64
	Samples int
	// Mixed adds, for every plant at full load and every noise, the next plant of the list beside it.
	Mixed bool
	// Healthy cases come with each of these as well.
	Idles []float64
	DVFS  bool
}

// Full is what the shipped scripts are measured with.
var Full = Suite{Loads: []float64{0, 0.5, 1}, Noises: []float64{0, 0.1, 0.3}, Seeds: []uint64{1, 2}, Samples: 120,
	Mixed: true, Idles: []float64{0, 0.1}, DVFS: true}

// Cases lists the cases of a suite for a model: every plant at every load, noise and seed, mixed and healthy ones.
func (s Suite) Cases(m capturetest.Model) []capturetest.Case {
	var out []capturetest.Case
	for _, noise := range s.Noises {
		for i, p := range m.Plants() {
			if next := m.Plants()[(i+1)%len(m.Plants())]; s.Mixed && next != p {
				out = append(out, capturetest.Case{Plant: p.ID, Load: 1, Second: next.ID, Noise: noise, Seed: 1,
					Samples: s.Samples})
			}
		}
		for _, seed := range s.Seeds {
			for _, p := range m.Plants() {
				for _, load := range s.Loads {
					out = append(out, capturetest.Case{Plant: p.ID, Load: load, Noise: noise, Seed: seed,
						Samples: s.Samples})
				}
			}
			for _, idle := range s.Idles {
				c := capturetest.Case{Noise: noise, Seed: seed, Samples: s.Samples, Idle: idle}
				out = append(out, c)
				if s.DVFS {
					c.DVFS = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// thinned is how many cases of Full there are for one that Part draws of them.
const thinned = 120

// Part lists the cases of Full that every run of the tests judges: each plant where it is told least easily (alone, as
// light as an expert would still name it, with the most noise), the healthy captures with the most noise, and every so
// many-th of all others.
func Part(m capturetest.Model) []capturetest.Case {
	all := Full.Cases(m)
	noise, seed := slices.Max(Full.Noises), Full.Seeds[0]
	hard := func(c capturetest.Case) bool {
		return c.Noise == noise && c.Seed == seed && c.Second == "" && c.Load == 0
	}
	var out []capturetest.Case
	for i, c := range all {
		if hard(c) || i%thinned == thinned/2 {
			out = append(out, c)
		}
	}
	return out
}

// Miss is a case that was judged wrongly.
type Miss struct {
	Model string
	Case  capturetest.Case
	Want  string // id of a rule, or Nothing
	Named string
}

func (m Miss) String() string {
	return fmt.Sprintf("%s %s: %s was planted, %s was named", m.Model, m.Case, m.Want, m.Named)
}

// Matrix counts which rule was named where which was planted.
type Matrix struct {
	Classes []string // ids of rules in the order of the plants, then Nothing, then what was named without being a plant
	Counts  [][]int  // planted, named
	Misses  []Miss
	// Single counts, for each noise, the captures with one bottleneck alone.
	Single map[float64]Tally
	// Remarks are the findings about healthy captures that name no bottleneck: those about the data.
	Remarks []Remark
}

// Tally is how many bottlenecks were named first, of how many planted.
type Tally struct{ Named, Planted int }

// Remark is a finding about a healthy capture.
type Remark struct {
	Model string
	Case  capturetest.Case
	Rule  string
}

// Run judges cases of some models, such as those that Full.Cases lists, by the script that all of them share.
func Run(ctx context.Context, cases func(capturetest.Model) []capturetest.Case,
	models ...capturetest.Model) (*Matrix, error) {
	out := newMatrix(models)
	if len(models) == 0 {
		return out, nil
	}
	j, err := NewJudge(ctx, models[0].Script())
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		if m.Script() != models[0].Script() {
			return nil, fmt.Errorf("%s is judged by %s, %s by %s: run them apart", m.Name(), m.Script(),
				models[0].Name(), models[0].Script())
		}
		for _, c := range cases(m) {
			if err := out.judge(ctx, j, m, c); err != nil {
				return nil, fmt.Errorf("%s %s: %w", m.Name(), c, err)
			}
		}
	}
	return out, nil
}

// newMatrix has the classes of models and no counts.
func newMatrix(models []capturetest.Model) *Matrix {
	out := &Matrix{}
	for _, m := range models {
		for _, p := range m.Plants() {
			out.class(p.Rule)
		}
	}
	out.class(Nothing)
	return out
}

func (x *Matrix) judge(ctx context.Context, j *Judge, m capturetest.Model, c capturetest.Case) error {
	plant, err := capturetest.FindPlant(m, c.Plant)
	if err != nil {
		return err
	}
	cap, err := m.Generate(c)
	if err != nil {
		return err
	}
	if err := m.Check(cap); err != nil {
		return fmt.Errorf("the model breaks an identity of the hardware: %w", err)
	}
	answer, err := j.Judge(ctx, cap)
	if err != nil {
		return err
	}
	if c.Plant == "" && answer.Named == "" {
		for _, f := range answer.Shown {
			if f.Record == "" { // what cannot be seen is no remark about the capture
				x.Remarks = append(x.Remarks, Remark{m.Name(), c, f.ID})
			}
		}
	}
	named := answer.Named
	if c.Plant == "" && len(answer.Shown) > 0 && answer.Shown[0].ID == named && answer.Shown[0].Record != "" {
		named = "" // what cannot be seen of a healthy capture is no alarm
	}
	x.count(m, c, plant, named)
	return nil
}

// count takes in which rule was named for a case, "" for none.
func (x *Matrix) count(m capturetest.Model, c capturetest.Case, plant capturetest.Plant, named string) {
	want := plant.Rule
	if want == "" {
		want = Nothing
	}
	if named == "" {
		named = Nothing
	}
	x.Counts[x.class(want)][x.class(named)]++
	if c.Plant != "" && c.Second == "" {
		if x.Single == nil {
			x.Single = map[float64]Tally{}
		}
		n := x.Single[c.Noise]
		n.Planted++
		if want == named {
			n.Named++
		}
		x.Single[c.Noise] = n
	}
	if want != named {
		x.Misses = append(x.Misses, Miss{m.Name(), c, want, named})
	}
}

// class is the position of a class, which is added where it is new.
func (x *Matrix) class(name string) int {
	if i := slices.Index(x.Classes, name); i >= 0 {
		return i
	}
	x.Classes = append(x.Classes, name)
	for i := range x.Counts {
		x.Counts[i] = append(x.Counts[i], 0)
	}
	x.Counts = append(x.Counts, make([]int, len(x.Classes)))
	return len(x.Classes) - 1
}

// recall is how many planted bottlenecks were named first, of how many.
func (x *Matrix) recall() (named, planted int) {
	for i, class := range x.Classes {
		for j, n := range x.Counts[i] {
			if class == Nothing {
				continue
			}
			planted += n
			if i == j {
				named += n
			}
		}
	}
	return named, planted
}

// Precision is how many of the bottlenecks named were planted, of how many named.
func (x *Matrix) Precision() (right, named int) {
	for i := range x.Classes {
		for j, n := range x.Counts[i] {
			if x.Classes[j] == Nothing {
				continue
			}
			named += n
			if i == j {
				right += n
			}
		}
	}
	return right, named
}

// falseAlarms is how many healthy captures were given a bottleneck, of how many.
func (x *Matrix) falseAlarms() (alarms, healthy int) {
	i := slices.Index(x.Classes, Nothing)
	if i < 0 {
		return 0, 0
	}
	for j, n := range x.Counts[i] {
		healthy += n
		if j != i {
			alarms += n
		}
	}
	return alarms, healthy
}

// Summary says precision, recall and false alarms in a line.
func (x *Matrix) Summary() string {
	a, b := x.recall()
	c, d := x.Precision()
	e, f := x.falseAlarms()
	return fmt.Sprintf("recall %d of %d, precision %d of %d, false alarms %d of %d", a, b, c, d, e, f)
}

// MissText lists the misses, a line each.
func (x *Matrix) MissText() string {
	var b strings.Builder
	for _, m := range x.Misses {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}
