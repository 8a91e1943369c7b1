package builtins_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"astrolabe/capture/memory"
)

// The pages of a mapped file that is made shorter raise SIGBUS, which ended the program.
func TestAFileThatIsCutOffIsAnErrorAndTheSessionGoesOn(t *testing.T) {
	for _, src := range []string{"cap['n'].sum()", "cap['n'].gt(3).any()", "(cap['n'] + cap['m']).mean()",
		"cap.save('b.arrow')", "cap['n'].values()[0]",
		"plot.timeline(cap['n']).save('x.png')", "cap.summary().text()"} {
		r := newRun(t)
		if err := r.exec("p.star",
			"capture.from_columns({'n': range(1 << 18), 'm': range(1 << 18)}, period = '1us').save('a.arrow')\ncap = capture.open('a.arrow')\n"); err != nil {
			t.Fatal(err)
		}
		path, err := r.env.Files.Input("a.arrow")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 4096); err != nil {
			t.Fatal(err)
		}
		undo := memory.FaultsPanic() // as whoever runs scripts does
		err = r.exec("p.star", "x = "+src+"\n")
		undo()
		if !errors.Is(err, memory.ErrFault) ||
			!strings.Contains(err.Error(), "a.arrow: cut off while it was read at byte") {
			t.Errorf("%s: got %v", src, err)
		}
		if err := r.exec("p.star", "y = 1 + 1\n"); err != nil {
			t.Errorf("after %s: %v", src, err)
		}
	}
}
