package capture

// ColumnReason says why the missing values among rows [From, To) of one column of a Batch are missing.
type ColumnReason struct {
	Col      int
	From, To int
	Reason   Reason
}

// AppendMissingFor appends a missing value to column i together with the reason. Neighbouring rows of one column that
// share their reason make one entry of b.Reasons.
func (b *Batch) AppendMissingFor(i int, why Reason) {
	b.AppendMissing(i)
	row := b.Cols[i].Len() - 1
	for k := len(b.Reasons) - 1; k >= 0; k-- {
		r := &b.Reasons[k]
		if r.Col != i {
			continue
		}
		if r.To == row && r.Reason == why {
			r.To++
			return
		}
		break
	}
	b.Reasons = append(b.Reasons, ColumnReason{Col: i, From: row, To: row + 1, Reason: why})
}
