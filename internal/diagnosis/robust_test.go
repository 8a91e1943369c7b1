package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/internal/longtests"
	"astrolabe/internal/script"
	"astrolabe/plots/canvas"
	"astrolabe/repl"
	"astrolabe/scripts"
)

// triageScripts are all that are shipped.
var triageScripts = []string{"amd_live", "cpu", "generic", "gfx1151", "gpa", "intel_live", "intel_oa", "mali"}

// page is a script that fills pages as the report command does.
type page struct {
	env     *binding.Env
	runner  *script.Runner
	analyze starlark.Value
}

func newPage(name string) (*page, error) {
	env := &binding.Env{Registry: formatsall.Registry(), Warn: func(string) {}}
	if err := (script.Policy{}).Apply(env); err != nil {
		return nil, err
	}
	// without limits
	p := &page{env: env, runner: script.NewRunner(script.Options{Env: env, Library: scripts.Library,
		Print: func(string) {}, Typed: true})}
	globals, err := p.runner.LoadLibrary(context.Background(), "@astrolabe//triage/"+name+".star")
	if err != nil {
		return nil, err
	}
	p.analyze = globals["analyze"]
	return p, nil
}

// fill runs the script over a capture and writes the page.
func (p *page) fill(ctx context.Context, c *capture.Capture, format string) error {
	value := values.NewCapture(p.env, c)
	module := builtins.Predeclared(p.env)["report"].(starlark.HasAttrs)
	create, err := module.Attr("new")
	if err != nil {
		return err
	}
	r, err := p.runner.Call(ctx, create, starlark.Tuple{starlark.String("page")},
		[]starlark.Tuple{{starlark.String("capture"), value}})
	if err != nil {
		return err
	}
	if _, err := p.runner.Call(ctx, p.analyze, starlark.Tuple{value, r}, nil); err != nil {
		return errors.New(repl.FormatError(err, nil))
	}
	doc, err := r.(*values.Report).Report()
	if err != nil {
		return err
	}
	if format != "" {
		if _, err := doc.Pages(format, canvas.Size{Width: 800}); err != nil {
			return fmt.Errorf("as %s: %w", format, err)
		}
	}
	return nil
}

// oddPage lets a script judge the odd capture of a seed.
func (p *page) oddPage(ctx context.Context, name string, seed uint64) error {
	r := odd{rand.New(rand.NewPCG(seed, 7)), name}
	c, err := r.capture()
	if err != nil {
		return fmt.Errorf("the capture of seed %d: %w", seed, err)
	}
	format := ""
	switch {
	case seed%200 == 7:
		format = "png"
	case seed%20 == 0:
		format = "json"
	}
	if err := p.fill(ctx, c, format); err != nil {
		return fmt.Errorf("%s, seed %d: %w", name, seed, err)
	}
	return nil
}

// ODD_CAPTURES is how many odd captures each script is to judge; the suite takes few.
func TestNoTriageScriptFailsOnOddCaptures(t *testing.T) {
	n, first := longtests.Of(500, 6), 0
	if v := os.Getenv("ODD_CAPTURES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
		first, _ = strconv.Atoi(os.Getenv("ODD_FIRST"))
	}
	for _, name := range triageScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *page
			failed, kinds := 0, map[string]int{}
			for i := range n {
				if i%100 == 0 { // an environment keeps its reports
					var err error
					if p, err = newPage(name); err != nil {
						t.Fatal(err)
					}
				}
				if err := p.oddPage(t.Context(), name, uint64(first+i)); err != nil {
					failed++
					kind := lastFrame(err)
					if kinds[kind]++; kinds[kind] == 1 {
						t.Error(err)
					}
				}
			}
			t.Logf("%d of %d pages failed in %d ways", failed, n, len(kinds))
		})
	}
}

// lastFrame is where an error arose and what it says, without the way there.
func lastFrame(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], "\n")
}

// FuzzTriage goes on with what the test above does: a seed makes the capture, and the other number chooses the script.
func FuzzTriage(f *testing.F) {
	for i := range triageScripts {
		f.Add(uint64(i), uint8(i))
	}
	f.Add(uint64(2000160), uint8(6)) // a clock without end
	f.Add(uint64(2001006), uint8(5)) // a product of shares that is nothing
	for _, seed := range []uint64{2000682, 2006832, 2007190, 2010037} {
		f.Add(seed, uint8(4)) // times that are missing or nothing in sum
	}
	f.Add(uint64(2007190), uint8('R')) // an instance of a metric for which a column stands in
	f.Add(uint64(2001297), uint8(3))   // a share with a total and no greatest value
	f.Add(uint64(2001583), uint8(2))   // samples without a length
	f.Add(uint64(151), uint8(6))       // memory traffic that was not counted but measured
	f.Fuzz(func(t *testing.T, seed uint64, which uint8) {
		name := triageScripts[int(which)%len(triageScripts)]
		p, err := newPage(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.oddPage(t.Context(), name, seed); err != nil {
			t.Error(err)
		}
	})
}
