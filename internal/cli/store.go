package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/internal/budget"
	"astrolabe/internal/recording"
)

// storeFlags say what a recording is written into, and when.
type storeFlags struct {
	recording.StoreFlags
	budgets, limits []string
}

func (f *storeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.Register(flags)
	flags.StringArrayVar(&f.budgets, "budget", nil,
		"with --last, the `FILE` with limits, as of check; may be given several times")
	flags.StringArrayVar(&f.limits, "limit", nil,
		"with --last, a `LIMIT` on a total, such as \"major_faults < 100\"; may be given several times")
}

func (f *storeFlags) check() error {
	if len(f.budgets)+len(f.limits) > 0 && f.Last == 0 {
		return usagef("--budget and --limit say when --last is to be written; astrolabe check judges a capture")
	}
	return asUsage(f.Check())
}

// store is where a recording goes.
type store struct {
	*recording.Store
	app     *app
	budgets []*budget.Budget
}

// store checks the output, and reads the budgets, before anything is measured.
func (a *app) store(f *storeFlags, period time.Duration) (*store, error) {
	st := &store{app: a, Store: &recording.Store{Flags: &f.StoreFlags, Period: period, Warn: a.warn, Say: a.say, Wrote: a.wrote}}
	if err := f.CheckOutput(); err != nil {
		return nil, err
	}
	var err error
	if st.budgets, err = a.readBudgets(f.budgets); err != nil {
		return nil, err
	}
	if len(f.limits) > 0 {
		b, err := budget.Inline(f.limits)
		if err != nil {
			return nil, usagef("--limit: %v", err)
		}
		st.budgets = append(st.budgets, b)
	}
	if len(st.budgets) > 0 {
		st.Judge = st.judge
	}
	return st, nil
}

// tell prints the path of the recording; those of --last were printed when they were written.
func (st *store) tell() {
	if st.Flags.Last == 0 {
		st.app.wrote(st.Flags.Out)
	}
}

// judge holds the samples that are kept against the budgets, and returns what is broken.
func (st *store) judge(c *capture.Capture) (string, error) {
	c, err := metrics.Describe(c)
	if err != nil {
		return "", err
	}
	ask := newAsker(st.app)
	var broken []string
	for _, b := range st.budgets {
		j, err := budget.Judge(st.app.ctx, b, c, ask)
		if err != nil {
			return "", err
		}
		for _, r := range j.Results {
			if r.Verdict == budget.Broken {
				broken = append(broken, r.Limit.Label())
			}
		}
	}
	if len(broken) == 0 {
		return "", nil
	}
	return "budget broken: " + strings.Join(broken, ", "), nil
}
