package analysis

import "testing"

func TestAccountsAreComparedByFrame(t *testing.T) {
	run := func(frames int, texture, arithmetic int64) AccountRun {
		a := &Accounted{Base: texture + arithmetic}
		for _, p := range []*AccountPart{{Kind: LimitUnit, Name: "texture", Time: texture},
			{Kind: LimitUnit, Name: "arithmetic", Time: arithmetic}} {
			if p.Time > 0 {
				a.Parts = append(a.Parts, p)
			}
		}
		return AccountRun{a, frames}
	}
	// The second capture is twice as long, and a frame of it takes half of the texture unit's time.
	changes, perFrame := CompareAccounts([]AccountRun{run(10, 80e6, 20e6), run(10, 100e6, 20e6)},
		[]AccountRun{run(20, 90e6, 40e6)})
	if !perFrame || len(changes) != 2 {
		t.Fatalf("%v %+v", perFrame, changes)
	}
	if c := changes[0]; c.Name != "texture" || c.Before != 9e6 || c.After != 4.5e6 {
		t.Errorf("%+v", c)
	}
	if c := changes[1]; c.Name != "arithmetic" || c.Before != 2e6 || c.After != 2e6 {
		t.Errorf("%+v", c)
	}
	changes, perFrame = CompareAccounts([]AccountRun{run(0, 80e6, 20e6)}, []AccountRun{run(20, 100e6, 0)})
	if perFrame || changes[0].Before != 0.8e9 || changes[0].After != 1e9 || changes[1].After != 0 {
		t.Errorf("without frames, per second: %v %+v", perFrame, changes)
	}
}
