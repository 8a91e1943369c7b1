package cases

import (
	"fmt"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// twoPhase draws content A, then content B, with other limits.
func (b *builder) twoPhase() error {
	r, has, m := b.r, b.device.Has(), b.device.Machine()
	m.Clock = b.device.Clock(r, ClockHighest)
	var axes []content.Axis
	for a := range content.Axes {
		if has.Axes[a] {
			axes = append(axes, a)
		}
	}
	first := r.IntN(len(axes))
	second := (first + 1 + r.IntN(len(axes)-1)) % len(axes)
	plant := func(a content.Axis) *content.Scene {
		return content.Plant(r, has, a, simulate.Pick(r, has.StagesOf(a)...))
	}
	scenes := []*content.Scene{plant(axes[first]), plant(axes[second])}
	limits := []scenario{byGPU, byGPU}
	if r.Chance(0.25) {
		limits[r.IntN(2)] = simulate.Pick(r, byApp, byDriver)
	}
	w := &b.load
	w.Threads, w.Interrupt, w.Pacing, w.Warm = simulate.Pick(r, 1, 2, 2), r.Log(8e3, 60e3), uncapped(r), 8
	var longest float64
	for i, s := range scenes {
		target, err := b.target(s, limits[i])
		if err != nil {
			return err
		}
		if err := b.fit(s, target); err != nil {
			return err
		}
		b.device.Keep(s)
		w.Contents = append(w.Contents, b.device.Compile(s))
		longest = max(longest, target, s.App, s.Driver)
	}
	n := b.samples(longest) / 2
	for i, s := range scenes {
		frame := longest
		if own := max(s.App, s.Driver); own < longest {
			if t, err := simulate.Solo(m, &w.Contents[i]); err == nil {
				frame = max(own, t)
			}
		}
		// Both phases take about the same time.
		count := max(minFrames, min(2*maxFrames, int(float64(n)*longest/frame)))
		if i == 0 {
			count += w.Warm
		}
		b.frames(i, s, limits[i], count)
	}
	b.text = fmt.Sprintf("%s, then %s, %s", scenes[0].Name, scenes[1].Name, w.Pacing.Name())
	return nil
}
