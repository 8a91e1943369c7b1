package xe

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// candidate is a graphics card of the driver with what speaks against measuring it.
type candidate struct {
	card drm.Card
	part part
	why  *hwio.Problem // nil where it can be measured, as far as sysfs tells
}

// candidates lists the cards that the driver runs, those that can be measured first.
func candidates(root sysroot.Root) []candidate {
	var out []candidate
	for _, c := range drm.Cards(root) {
		if c.Driver == "xe" {
			p := partOf(c.Device)
			out = append(out, candidate{c, p, judge(root, c, p)})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return present(a.why != nil) - present(b.why != nil) })
	return out
}

// judge says what of a card's identity speaks against measuring it.
func judge(root sysroot.Root, c drm.Card, p part) *hwio.Problem {
	id := fmt.Sprintf("%04x:%04x", c.Vendor, c.Device)
	switch {
	case p.catalogue == "":
		return &hwio.Problem{Reason: fmt.Sprintf("%s (%s): %s", c.Name, id, p.why)}
	case !root.Exists(c.Sysfs + "/metrics"):
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s (%s) has no folder %s/metrics: this kernel measures nothing on this GPU", c.Name,
				id, c.Sysfs),
			Fix: "boot Linux 6.12 or newer with the GPU's firmware installed, and not in a virtual GPU",
		}
	}
	return nil
}

// find returns the card to measure, or why there is none. want is a card's name or place on the bus; "" takes the first
// that can be measured.
func find(root sysroot.Root, want string) (candidate, error) {
	cards := candidates(root)
	if len(cards) == 0 {
		return candidate{}, &hwio.Problem{Reason: "no card in /sys/class/drm is run by the kernel driver xe"}
	}
	c := cards[0]
	if want != "" {
		at := slices.IndexFunc(cards, func(c candidate) bool { return c.card.Name == want || c.card.Address == want })
		if at < 0 {
			var names []string
			for _, c := range cards {
				names = append(names, fmt.Sprintf("%s (%s)", c.card.Name, c.card.Address))
			}
			return candidate{}, fmt.Errorf("no card %q is run by the kernel driver xe; there are %s", want,
				strings.Join(names, ", "))
		}
		c = cards[at]
	}
	if c.why != nil {
		return c, c.why
	}
	return c, nil
}

// nodes are the card's device nodes, the one with fewer rights first: measuring needs no more than it.
func (c candidate) nodes() []string {
	if c.card.Render == "" {
		return []string{c.card.Node}
	}
	return []string{c.card.Render, c.card.Node}
}
