//go:build amd64 || arm64

package main

import (
	"fmt"
	"strings"

	"astrolabe/hwio/internal/vendorproc"
)

// chooseCounters makes the library's set of the counters. Where they do not fit the GPU's slots at once the error says
// how they would have to be split.
func (r *rocprofiler) chooseCounters(agent uint64, counters []vendorproc.Counter) (config uint64, err error) {
	config, fits, err := r.tryConfig(agent, counters)
	if err != nil || fits {
		return config, err
	}
	// First fit: each counter joins the first pass that still takes it.
	var passes [][]vendorproc.Counter
	var never []string
next:
	for _, c := range counters {
		for i := range passes {
			_, fits, err := r.tryConfig(agent, append(passes[i][:len(passes[i]):len(passes[i])], c))
			if err != nil {
				return 0, err
			}
			if fits {
				passes[i] = append(passes[i], c)
				continue next
			}
		}
		_, fits, err := r.tryConfig(agent, []vendorproc.Counter{c})
		if err != nil {
			return 0, err
		}
		if !fits {
			never = append(never, c.Name)
			continue
		}
		passes = append(passes, []vendorproc.Counter{c})
	}
	e := &vendorproc.Error{Kind: vendorproc.TooMany, Status: exceedsLimit}
	var texts []string
	for _, pass := range passes {
		var names []string
		for _, c := range pass {
			names = append(names, c.Name)
		}
		e.Passes = append(e.Passes, names)
		texts = append(texts, strings.Join(names, " "))
	}
	e.Text = fmt.Sprintf("these %d counters need %d passes: %s", len(counters)-len(never), len(passes),
		strings.Join(texts, " | "))
	if len(never) > 0 {
		e.Text += fmt.Sprintf("; and the GPU cannot count %s even alone", strings.Join(never, ", "))
	}
	return 0, e
}

// tryConfig says whether the GPU can count all of them at once.
func (r *rocprofiler) tryConfig(agent uint64, counters []vendorproc.Counter) (config uint64, fits bool, err error) {
	ids := make([]uint64, len(counters))
	for i, c := range counters {
		ids[i] = c.ID
	}
	list := roomFor(&r.ids, len(ids))
	copy(list, ids)
	r.out[0] = 0 // else the library extends the set that it names
	st := call(r.createConfig, uintptr(agent), address(list), uintptr(len(ids)), address(r.out))
	if st == 0 {
		return r.out[0], true, nil
	}
	if strings.HasSuffix(r.name(st), exceedsLimit) {
		return 0, false, nil
	}
	return 0, false, r.failure("creating the set of counters", st)
}
