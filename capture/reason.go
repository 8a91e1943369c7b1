package capture

// ReasonCode classifies why a value is missing.
type ReasonCode uint8

const (
	Unknown         ReasonCode = iota // the source marked it missing and did not say why
	NotCollected                      // nobody measured this counter
	InGap                             // no data in this stretch of time
	ZeroDenominator                   // a divisor was zero
	OperandMissing                    // an operand of the formula is missing
	LostReports                       // the source lost data here
	PowerGated                        // the block was powered off
	ClockGated                        // the block's counters were not clocked
	NotScheduled                      // the kernel never got the counter onto the hardware
	Unsupported                       // this machine or file has no such thing
	Damaged                           // the file is damaged here
	NotANumber                        // the file holds something else here
	NotAggregable                     // the value has no meaning over more than one sample
	TooFewSamples                     // not enough samples to say
	LastReasonCode  = TooFewSamples
)

var reasonNames = [...]string{
	"unknown", "not collected", "gap", "zero denominator", "operand missing", "lost reports", "power gated",
	"clock gated", "not scheduled", "unsupported", "damaged", "not a number", "not aggregable", "too few samples",
}

func (c ReasonCode) String() string { return reasonNames[c] }

// ParseReasonCode is the inverse of ReasonCode.String; an unknown text gives Unknown.
func ParseReasonCode(s string) ReasonCode {
	for i, n := range reasonNames {
		if n == s {
			return ReasonCode(i)
		}
	}
	return Unknown
}

// Reason says why a value is missing.
type Reason struct {
	Code ReasonCode
	Text string // a sentence for people; "" where the code says it all
}

func (r Reason) String() string {
	if r.Text != "" {
		return r.Text
	}
	return r.Code.String()
}

// ReasonRun gives the reason for the missing values among samples [From, To).
type ReasonRun struct {
	From, To int
	Reason   Reason
}

// Why says why sample i is missing; ok is false where it is not missing. i < 0 asks about the total.
func (c *Counter) Why(i int) (r Reason, ok bool) {
	if i >= 0 && !c.Value(i).Missing() {
		return Reason{}, false
	}
	if i < 0 && !c.Total().Missing() {
		return Reason{}, false
	}
	for _, run := range c.Reasons {
		if i < 0 || (run.From <= i && i < run.To) {
			return run.Reason, true
		}
	}
	if c.Col != nil {
		if err := c.Col.Err(); err != nil {
			return Reason{Damaged, err.Error()}, true
		}
	}
	if c.Der != nil {
		return c.Der.Why(i), true
	}
	for _, in := range c.Instances {
		if r, ok := in.Why(i); ok {
			return r, true
		}
	}
	if c.Len() == 0 {
		return Reason{TooFewSamples, "the capture has no samples here"}, true
	}
	return Reason{Unknown, "the source has no value here and gives no reason"}, true
}
