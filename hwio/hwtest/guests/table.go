package guests

import (
	"fmt"
	"math"
	"testing"
)

// Table holds what was counted in a guest against what is true, and logs each as a row, which .ci/extra prints.
type Table struct {
	t     testing.TB
	guest string
	rows  int
}

// Compare begins a table of a guest. One that ends without a row is a failure.
func Compare(t testing.TB, guest string) *Table {
	table := &Table{t: t, guest: guest}
	t.Cleanup(func() {
		if table.rows == 0 && !t.Skipped() && !t.Failed() {
			t.Errorf("nothing was compared in the guest %s", guest)
		}
	})
	return table
}

// Equal holds what was counted against what must be equal to it.
func (c *Table) Equal(what string, counted, truth any) {
	c.t.Helper()
	c.row(what, fmt.Sprint(counted), fmt.Sprint(truth), fmt.Sprint(counted) == fmt.Sprint(truth))
}

// Within holds an estimate against the truth, from which it may differ by a share.
func (c *Table) Within(what string, counted, truth, share float64) {
	c.t.Helper()
	c.row(what, fmt.Sprintf("%.0f", counted), fmt.Sprintf("%.0f, to %g %%", truth, 100*share),
		math.Abs(counted-truth) <= share*truth)
}

// Between holds a value against two that it must lie between.
func (c *Table) Between(what string, counted, low, high float64) {
	c.t.Helper()
	c.row(what, fmt.Sprintf("%.0f", counted), fmt.Sprintf("%.0f to %.0f", low, high), low <= counted && counted <= high)
}

func (c *Table) row(what, counted, truth string, ok bool) {
	c.t.Helper()
	c.rows++
	c.t.Logf("GUEST | %s | %s | %s | %s", c.guest, what, counted, truth)
	if !ok {
		c.t.Errorf("%s: %s was counted, true is %s", what, counted, truth)
	}
}
