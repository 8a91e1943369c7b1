package i915

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// candidate is a graphics card with what speaks against measuring it.
type candidate struct {
	card drm.Card
	part part
	why  *hwio.Problem // nil where it can be measured, as far as sysfs tells
}

// intelCards lists the cards of Intel, those that can be measured first.
func intelCards(root sysroot.Root) []candidate {
	var out []candidate
	for _, c := range drm.Cards(root) {
		if c.Vendor != vendorIntel && c.Driver != "i915" || c.Driver == "xe" {
			continue // a card of the driver xe is that reader's
		}
		p := partOf(c.Device)
		out = append(out, candidate{c, p, judge(root, c, p)})
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		switch {
		case (a.why == nil) == (b.why == nil):
			return 0
		case a.why == nil:
			return -1
		}
		return 1
	})
	return out
}

// judge says what of a card's identity speaks against measuring it.
func judge(root sysroot.Root, c drm.Card, p part) *hwio.Problem {
	id := fmt.Sprintf("%04x:%04x", c.Vendor, c.Device)
	switch {
	case c.Driver == "":
		return &hwio.Problem{Reason: fmt.Sprintf("no kernel driver is bound to %s (%s)", c.Name, id),
			Fix: "load the driver: sudo modprobe i915"}
	case c.Driver != "i915":
		return &hwio.Problem{Reason: fmt.Sprintf("%s (%s) is run by the kernel driver %s, not by i915", c.Name, id,
			c.Driver), Fix: "give the device back to i915, as by ending its pass-through to a virtual machine"}
	case p.catalogue == "":
		return &hwio.Problem{Reason: fmt.Sprintf("%s (%s): %s", c.Name, id, p.why)}
	case !p.measurable():
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s (%s) is %s, whose OA units the driver i915 does not serve", c.Name, id, p.title()),
			Fix: "a GPU that the driver xe supports too can be given to it by booting with i915.force_probe=!" +
				fmt.Sprintf("%04x", c.Device) + " xe.force_probe=" + fmt.Sprintf("%04x", c.Device),
		}
	case !root.Exists(c.Sysfs + "/metrics"):
		return &hwio.Problem{
			Reason: fmt.Sprintf("%s (%s) has no folder %s/metrics: this kernel measures nothing on this GPU", c.Name,
				id, c.Sysfs),
			Fix: "boot Linux 4.14 or newer with the GPU enabled (without nomodeset and i915.modeset=0, and not in a virtual GPU)",
		}
	}
	return nil
}

// find returns the card to measure, or why there is none. want is a card's name or place on the bus; "" takes the first
// that can be measured.
func find(root sysroot.Root, want string) (candidate, error) {
	cards := intelCards(root)
	at := slices.IndexFunc(cards, func(c candidate) bool { return c.card.Name == want || c.card.Address == want })
	switch {
	case len(cards) == 0 && len(drm.Cards(root)) == 0:
		return candidate{}, &hwio.Problem{Reason: "no graphics card is listed in /sys/class/drm",
			Fix: "load the GPU's driver (sudo modprobe i915), or give a container access to /sys/class/drm and /dev/dri"}
	case len(cards) == 0:
		return candidate{}, &hwio.Problem{Reason: "no card in /sys/class/drm is a GPU of Intel that the driver i915 runs, or could"}
	case want == "":
		at = 0
	case at < 0:
		var names []string
		for _, c := range cards {
			names = append(names, fmt.Sprintf("%s (%s)", c.card.Name, c.card.Address))
		}
		return candidate{}, fmt.Errorf("no card of Intel is called %q; there are %s", want, strings.Join(names, ", "))
	}
	if c := cards[at]; c.why != nil {
		return c, c.why
	}
	return cards[at], nil
}

// nodes are the card's device nodes, the one with fewer rights first: measuring needs no more than it.
func (c candidate) nodes() []string {
	if c.card.Render == "" {
		return []string{c.card.Node}
	}
	return []string{c.card.Render, c.card.Node}
}
