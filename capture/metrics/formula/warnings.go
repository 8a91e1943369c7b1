package formula

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
)

// Warnings lists doubts about the result: what the caller noted, what the operands carry, operands measured in
// different passes, and percentages over 100 that such operands cause.
func (d *derivation) Warnings() []string {
	d.warn.Do(func() {
		var out []string
		add := func(w string) {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
		if d.index < len(d.p.opt.Notes) {
			for _, w := range d.p.opt.Notes[d.index] {
				add(w)
			}
		}
		operands := d.Operands()
		if w := passWarning(operands); w != "" {
			add(w)
			if d.index < len(d.p.opt.Percent) && d.p.opt.Percent[d.index] {
				if w := d.overHundred(); w != "" {
					add(w)
				}
			}
		}
		for _, c := range operands {
			for _, w := range c.Doubts() {
				add(w)
			}
			if c.Der != nil {
				for _, w := range c.Der.Warnings() {
					add(w)
				}
			}
		}
		d.warnings = out
	})
	return d.warnings
}

// passWarning names the operands of each pass where there is more than one pass.
func passWarning(operands []*capture.Counter) string {
	var passes []string
	byPass := map[string][]string{}
	for _, c := range operands {
		id := c.PassID()
		if id == "" {
			continue
		}
		if byPass[id] == nil {
			passes = append(passes, id)
		}
		byPass[id] = append(byPass[id], c.Name)
	}
	if len(passes) < 2 {
		return ""
	}
	parts := make([]string, len(passes))
	for i, id := range passes {
		parts[i] = listNames(byPass[id]) + " in pass " + shortID(id)
	}
	return "operands were measured in different passes and do not fit together exactly: " + strings.Join(parts, "; ")
}

// shortID shortens long pass ids; the beginning tells passes of one capture apart well enough for a warning.
func shortID(id string) string {
	if len(id) > 16 {
		return id[:13] + "..."
	}
	return id
}

func (d *derivation) overHundred() string {
	n := d.p.axis.Len()
	buf := make([]float64, min(n, capture.BlockRows))
	over := 0
	for lo := 0; lo < n; lo += len(buf) {
		block := buf[:min(len(buf), n-lo)]
		d.Eval(block, lo)
		for _, v := range block {
			if v > 100 {
				over++
			}
		}
	}
	if over == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d samples are over 100 %%, which operands from different passes can cause", over, n)
}
