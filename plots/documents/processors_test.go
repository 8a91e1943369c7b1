package documents

import (
	"bytes"
	"runtime"
	"testing"

	"astrolabe/plots/canvas"
)

// What is drawn at the same time stands on its page as if one part had been drawn after the other.
func TestPagesAreTheSameOnAnyNumberOfProcessors(t *testing.T) {
	for name, r := range map[string]*Report{"report": sampleReport(t, 60), "odd report": oddReport(t)} {
		pages := func(processors int) [][]byte {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
			out, err := r.Pages("svg", canvas.Size{Height: 1200})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		one, many := pages(1), pages(4)
		if len(one) < 2 || len(one) != len(many) {
			t.Fatalf("%s: %d pages by one processor, %d by four", name, len(one), len(many))
		}
		for i := range one {
			if !bytes.Equal(one[i], many[i]) {
				t.Errorf("%s: page %d by four processors is not that by one", name, i+1)
			}
		}
	}
}
