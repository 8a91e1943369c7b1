package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/plots/interactive"
)

// A script that takes long, fails or breaks is told, and what it said before stays; the recording goes on.
func TestAScriptThatFailsIsTold(t *testing.T) {
	runs := atomic.Int64{}
	release := make(chan struct{})
	r := run(t, 2, time.Millisecond, Options{Window: 100 * time.Millisecond,
		Judge: func(ctx context.Context, c *capture.Capture) (*Judgement, error) {
			if length := c.Axis.End[c.Len()-1] - c.Axis.Start[0]; length > 150e6 {
				return nil, fmt.Errorf("the script was given %d ns", length)
			}
			switch runs.Add(1) {
			case 1:
				return &Judgement{Body: []byte("<p>fine</p>"), Printed: "words\n",
					Bands: []interactive.Band{{Kind: "finding", Label: "it is slow", Start: 1, End: 2}}}, nil
			case 2:
				return nil, errors.New("division by zero at x.star:3")
			case 3:
				panic("a defect")
			}
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}})
	c := browser(t, r.server)
	var v reader
	until := func(what string, f func(s *script) bool) {
		t.Helper()
		v.read(t, c, root(r.server)+"events", func() bool {
			return v.status.Script != nil && f(v.status.Script)
		})
		if t.Context().Err() != nil {
			t.Fatalf("%s: %+v", what, v.status.Script)
		}
	}
	until("the first run", func(s *script) bool { return s.Runs == 1 })
	if s := v.status.Script; s.Fault != "" || s.Printed != "words\n" {
		t.Errorf("the first run: %+v", s)
	}
	until("the second", func(s *script) bool { return s.Runs == 2 })
	if s := v.status.Script; s.Fault != "division by zero at x.star:3" {
		t.Errorf("the second run: %+v", s)
	}
	until("the third", func(s *script) bool { return s.Runs == 3 })
	if s := v.status.Script; !strings.Contains(s.Fault, "a defect") {
		t.Errorf("the third run: %+v", s)
	}
	answer, err := c.Get(root(r.server) + "judged")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if string(body) != "<p>fine</p>" {
		t.Errorf("the page has %q", body)
	}
	until("a run that takes long", func(s *script) bool { return s.Running > 1 })
	before := r.model.rows.Load()
	until("the recording", func(*script) bool { return r.model.rows.Load() > before+10 })
	close(release)
	until("the end of it", func(s *script) bool { return s.Runs > 3 && s.Took > 1 })
}
