package capture

// Bins maps samples of one axis to fewer (or overlapping) samples of another: bin j is made of samples
// [Lo[j], Hi[j]) of the source. Where a bin boundary cuts through a sample, HeadFrac and TailFrac are the fractions of the first
// and last sample that lie inside; nil means that no sample is cut. A sample that is both first and last has its
// fraction in HeadFrac, and 1 in TailFrac.
type Bins struct {
	From     *Axis
	Axis     *Axis // of the bins
	Lo, Hi   []int
	HeadFrac []float64
	TailFrac []float64
}

// Len is the number of bins.
func (b *Bins) Len() int { return len(b.Lo) }

// Weight is the fraction of sample i that lies in bin j; i must be in [Lo[j], Hi[j]).
func (b *Bins) Weight(j, i int) float64 {
	w := 1.0
	if b.HeadFrac != nil && i == b.Lo[j] {
		w *= b.HeadFrac[j]
	}
	if b.TailFrac != nil && i == b.Hi[j]-1 {
		w *= b.TailFrac[j]
	}
	return w
}
