package analysis

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// What is said of builds is what scipy says of the same runs, and ruptures of where a level changes.
func TestScipyJudgesBuildsAlike(t *testing.T) {
	python := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import scipy, ruptures").Run() != nil {
		t.Skip("SKIPPED: scipy and ruptures are not installed (.ci/extra lake installs them)")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	type sides struct {
		Before []float64 `json:"before"`
		After  []float64 `json:"after"`
	}
	var asked struct {
		Runs   []sides       `json:"runs"`
		Series [][][]float64 `json:"series"`
	}
	list := simulatedRuns(rng, 9, 3, 7, 0.02, 0.03) // too few for metrics to tell each other of noise
	for i := range list {
		s := sides{}
		for k := range list[i].Before {
			list[i].Before[k].Error, list[i].After[k].Error = 0, 0
			s.Before, s.After = append(s.Before, list[i].Before[k].Value), append(s.After, list[i].After[k].Value)
		}
		asked.Runs = append(asked.Runs, s)
	}
	series := simulatedBuilds(rng, 6, 6, 9, 5, 4, 9, 0.02, 0.08)
	for _, s := range series {
		asked.Series = append(asked.Series, s.Values)
	}
	in, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/builds.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		P, Q     []float64
		Clearest [][3]float64
		Cuts     []int
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	res, err := CompareRuns(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		r := res.Rows[slices.IndexFunc(res.Rows, func(r Row) bool { return r.Name == list[i].Name })]
		if math.Abs(r.P/said.P[i]-1) > 1e-6 || math.Abs(r.Q/said.Q[i]-1) > 1e-6 {
			t.Errorf("%s: p %g and q %g, scipy has %g and %g", r.Name, r.P, r.Q, said.P[i], said.Q[i])
		}
	}
	c := newCutter(1, Options{}.withDefaults())
	trends, err := Trends(series, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range series {
		z, from, to := c.clearest(s.Values, uint64(i))
		if got := [3]float64{z, float64(from), float64(to)}; math.Abs(got[0]/said.Clearest[i][0]-1) > 1e-9 ||
			got[1] != said.Clearest[i][1] || got[2] != said.Clearest[i][2] {
			t.Errorf("%s: the clearest stretch is %v, scipy has %v", s.Name, got, said.Clearest[i])
		}
		tr := trends[slices.IndexFunc(trends, func(t Trend) bool { return t.Series.Name == s.Name })]
		if len(tr.Steps) != 1 || tr.Steps[0].Build != said.Cuts[i] {
			t.Errorf("%s: steps %+v, ruptures has build %d", s.Name, tr.Steps, said.Cuts[i])
		}
	}
	t.Logf("ENGINE | statistics | scipy, ruptures | %d", 2*len(list)+2*len(series))
}
