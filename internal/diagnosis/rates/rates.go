package rates

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

// Rates are what the reports' diagnosis is measured with: counts by family, which add up over runs with other seeds.
type Rates struct {
	Date    string `json:"date"`    // of the latest run
	Rules   string `json:"rules"`   // hash of the shipped scripts, without their tests
	Model   string `json:"model"`   // hash of the simulator's sources, without their tests
	Mapping string `json:"mapping"` // hash of the table of limiters and findings
	// Families are in the order of the simulator's list.
	Families []FamilyRates `json:"families"`
}

// FamilyRates are the counts of a family.
type FamilyRates struct {
	Name string `json:"name"`
	Runs []Run  `json:"runs"`
	Rows []Row  `json:"rows"`
	// Confusion counts what was named first, by the simulator's limiter, in clear cases of one phase with everything
	// recorded.
	Confusion []Confused `json:"confusion"`
}

// Run is which cases were judged: the seeds from First on, Cases of them.
type Run struct {
	Kind  string `json:"kind"`
	First uint64 `json:"first"`
	Cases int    `json:"cases"`
}

// Row is a count of cases: Hits of Of. A row of values is their sum and that of their squares, in whole points of
// percent, which add up in any order.
type Row struct {
	Name    string `json:"name"`
	Hits    int    `json:"hits"`
	Of      int    `json:"of"`
	Sum     int    `json:"sum,omitempty"`
	Squares int    `json:"squares,omitempty"`
}

// Confused is a cell of a confusion matrix.
type Confused struct {
	Limiter string `json:"limiter"`
	Finding string `json:"finding"` // Nothing where none is named
	Cases   int    `json:"cases"`
}

// wilson are the bounds of a rate in which it lies with 95 %, by Wilson's score.
func wilson(hits, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(of), float64(hits)/float64(of)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}

// row is a row by its name, empty where there is none.
func (f *FamilyRates) row(name string) Row {
	for _, r := range f.Rows {
		if r.Name == name {
			return r
		}
	}
	return Row{Name: name}
}

// count adds a case to a row.
func (f *FamilyRates) count(row string, hit bool) {
	n := 0
	if hit {
		n = 1
	}
	f.addRow(Row{Name: row, Hits: n, Of: 1})
}

// value adds a value, in points of percent, to a row.
func (f *FamilyRates) value(row string, points int) {
	f.addRow(Row{Name: row, Of: 1, Sum: points, Squares: points * points})
}

func (f *FamilyRates) addRow(r Row) {
	i := slices.IndexFunc(f.Rows, func(have Row) bool { return have.Name == r.Name })
	if i < 0 {
		f.Rows = append(f.Rows, Row{Name: r.Name})
		i = len(f.Rows) - 1
	}
	f.Rows[i].Hits += r.Hits
	f.Rows[i].Of += r.Of
	f.Rows[i].Sum += r.Sum
	f.Rows[i].Squares += r.Squares
}

func (f *FamilyRates) confuse(c Confused) {
	i := slices.IndexFunc(f.Confusion, func(have Confused) bool {
		return have.Limiter == c.Limiter && have.Finding == c.Finding
	})
	if i < 0 {
		f.Confusion = append(f.Confusion, Confused{c.Limiter, c.Finding, 0})
		i = len(f.Confusion) - 1
	}
	f.Confusion[i].Cases += c.Cases
}

// Add adds the counts of another measurement. It has to be of the same rules, model and mapping, and of other cases.
func (x *Rates) Add(y *Rates) error {
	if x.Rules != y.Rules || x.Model != y.Model || x.Mapping != y.Mapping {
		return fmt.Errorf("rules %s, model %s, mapping %s do not add to rules %s, model %s, mapping %s: measure again",
			y.Rules, y.Model, y.Mapping, x.Rules, x.Model, x.Mapping)
	}
	x.Date = max(x.Date, y.Date)
	for i := range y.Families {
		from := &y.Families[i]
		to := x.family(from.Name)
		for _, r := range from.Runs {
			for _, have := range to.Runs {
				if have.Kind == r.Kind && have.First < r.First+uint64(r.Cases) && r.First < have.First+
					uint64(have.Cases) {
					return fmt.Errorf("%s %s: seeds %d to %d are counted already", from.Name, r.Kind, r.First,
						r.First+uint64(r.Cases)-1)
				}
			}
		}
		to.Runs = append(to.Runs, from.Runs...)
		for _, r := range from.Rows {
			to.addRow(r)
		}
		for _, c := range from.Confusion {
			to.confuse(c)
		}
	}
	x.sort()
	return nil
}

// family is the counts of a family, which are added where there are none.
func (x *Rates) family(name string) *FamilyRates {
	for i := range x.Families {
		if x.Families[i].Name == name {
			return &x.Families[i]
		}
	}
	x.Families = append(x.Families, FamilyRates{Name: name})
	return &x.Families[len(x.Families)-1]
}

// sort brings everything into its order, so that sums do not depend on theirs, and joins runs that follow each other.
func (x *Rates) sort() {
	slices.SortFunc(x.Families, func(a, b FamilyRates) int { return cmp.Compare(order(a.Name), order(b.Name)) })
	for i := range x.Families {
		f := &x.Families[i]
		slices.SortFunc(f.Rows, func(a, b Row) int { return cmp.Compare(rowIndex(a.Name), rowIndex(b.Name)) })
		slices.SortFunc(f.Confusion, func(a, b Confused) int {
			return cmp.Or(cmp.Compare(a.Limiter, b.Limiter), cmp.Compare(b.Cases, a.Cases),
				cmp.Compare(a.Finding, b.Finding))
		})
		slices.SortFunc(f.Runs, func(a, b Run) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.First, b.First))
		})
		var runs []Run
		for _, r := range f.Runs {
			if n := len(runs) - 1; n >= 0 && runs[n].Kind == r.Kind && runs[n].First+uint64(runs[n].Cases) == r.First {
				runs[n].Cases += r.Cases
				continue
			}
			runs = append(runs, r)
		}
		f.Runs = runs
	}
}

// Read reads a measurement from a JSON file.
func Read(path string) (*Rates, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := &Rates{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if out.Rules == "" || out.Model == "" || out.Mapping == "" {
		return nil, fmt.Errorf("%s: %w", path,
			errors.New("these are no rates: hashes are missing; planted --json writes such files"))
	}
	return out, nil
}

// WriteJSON writes the counts to a file.
func (x *Rates) WriteJSON(path string) error {
	raw, err := json.MarshalIndent(x, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o666)
}

// today is the date of a measurement.
func today() string { return time.Now().UTC().Format(time.DateOnly) }
