package diagnosis

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"astrolabe/capture/capturetest"
)

// A record says what the cases of Full were judged to be when the pictures of the documentation were drawn: how many
// they were, and which were misses. What a record says of some cases can be compared with these alone, and the whole
// picture can be drawn from it.

// RecordPath is where the record of a script is, in the root of the repository.
func RecordPath(script string) string {
	return filepath.Join("internal", "diagnosis", "testdata", "misses-"+script+".txt")
}

// WriteRecord writes the record of a matrix of Full: a line with the number of cases, and one for each miss with the
// model, the case and what was named instead, between tabs.
func (x *Matrix) WriteRecord(path string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "cases\t%d\n", x.cases())
	for _, m := range x.Misses {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", m.Model, m.Case, m.Named)
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// cases is how many were judged.
func (x *Matrix) cases() (n int) {
	for _, row := range x.Counts {
		for _, k := range row {
			n += k
		}
	}
	return n
}

// readRecord returns the matrix of some cases of Full as a record has them.
func readRecord(path string, cases func(capturetest.Model) []capturetest.Case,
	models ...capturetest.Model) (*Matrix, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	named := map[string]string{} // of misses, by model and case
	number, there := 0, 0
	for s, line := bufio.NewScanner(bytes.NewReader(data)), 1; s.Scan(); line++ {
		f := strings.Split(s.Text(), "\t")
		switch {
		case line == 1 && len(f) == 2 && f[0] == "cases":
			if _, err := fmt.Sscan(f[1], &number); err != nil {
				return nil, fmt.Errorf("%s:%d: %q is no number of cases", path, line, f[1])
			}
		case line > 1 && len(f) == 3:
			named[f[0]+"\t"+f[1]] = f[2]
		default:
			return nil, fmt.Errorf("%s:%d: %q is no line of a record", path, line, s.Text())
		}
	}
	for _, m := range models {
		there += len(Full.Cases(m))
	}
	if number != there {
		return nil, fmt.Errorf("%s is the record of %d cases, and there are %d: measure again", path, number, there)
	}
	out := newMatrix(models)
	for _, m := range models {
		for _, c := range cases(m) {
			plant, err := capturetest.FindPlant(m, c.Plant)
			if err != nil {
				return nil, err
			}
			answer := plant.Rule
			if wrong, ok := named[m.Name()+"\t"+c.String()]; ok {
				answer = wrong
			}
			if answer == Nothing {
				answer = ""
			}
			out.count(m, c, plant, answer)
		}
	}
	return out, nil
}
