package mali

// Truth is what a model did and was asked.
type Truth struct {
	Device    string   `json:"device"`
	Scenarios []string `json:"scenarios"`
	Limiter   string   `json:"limiter"` // what was planted; "" for the game
	GPU       string   `json:"gpu"`
	GPUID     uint64   `json:"gpu_id"`
	CoreMask  uint64   `json:"core_mask"`
	Slices    int      `json:"l2_slices"`
	BusBits   int      `json:"bus_width_bits"`
	Major     uint16   `json:"major"`
	Minor     uint16   `json:"minor"`
	Started   int64    `json:"started_ns"` // when counting first started, ns of CLOCK_MONOTONIC_RAW; 0 never
	Removed   int64    `json:"removed_ns"` // when the device was removed; 0 never
	// Released says that every file is closed, every client was stopped and no sample is out. A device that was removed
	// answers nothing, so there closing is enough.
	Released bool           `json:"released"`
	Files    []*FileTruth   `json:"files"`
	Clients  []*ClientTruth `json:"clients"`
}

// FileTruth is one open of a device node.
type FileTruth struct {
	PID        int      `json:"pid"`
	Closed     bool     `json:"closed"`
	Handshakes []string `json:"handshakes"` // forms that were tried, in order
	Session    string   `json:"session"`    // version that the session was given
	Context    bool     `json:"context"`    // whether a context was made
}

// ClientTruth is one user of the counters.
type ClientTruth struct {
	ID        int    `json:"id"`
	PID       int    `json:"pid"`       // 0 for a client of the model's own
	Interface string `json:"interface"` // kinstr, vinstr or panfrost
	Periodic  bool   `json:"periodic"`
	PeriodNs  int64  `json:"period_ns"`
	Set       int    `json:"set"`
	// Enabled are the masks of the values asked for, per type of block (bit n of the two words is value n).
	Enabled map[uint8][2]uint64 `json:"enabled"`

	Starts      int  `json:"starts"`
	Stops       int  `json:"stops"`
	Running     bool `json:"running"` // started and not stopped
	Mapped      bool `json:"mapped"`
	Closed      bool `json:"closed"`
	Outstanding bool `json:"outstanding"` // a sample was fetched and not returned

	Produced  int `json:"produced"`  // samples that the driver put into the ring
	Delivered int `json:"delivered"` // samples that the client fetched, those in error included
	Returned  int `json:"returned"`
	Stretched int `json:"stretched"` // delivered samples flagged as covering more than one period
	Merged    int `json:"merged"`    // periods without a sample of their own because the ring was full
	Discarded int `json:"discarded"` // samples that the client dropped unread
	Unread    int `json:"unread"`    // samples left in the ring
	Lost      int `json:"lost"`      // samples that the driver should have produced and could not
	Errors    int `json:"errors"`    // delivered samples flagged as in error
	Cut       int `json:"cut"`       // delivered values that did not fit the 32 bits of their interface

	// Totals are over the delivered samples that are not in error.
	Totals []*BlockTotal `json:"totals"`
	Cycles [2]uint64     `json:"cycles"`
	// Samples are the first maxSamples samples produced, in order.
	Samples []*SampleTruth `json:"samples"`
	Omitted int            `json:"omitted"` // samples produced after those

	told func() // after each sample that is delivered; nil for a client of the model's own
}

// BlockTotal is what the delivered samples said of one block of the hardware.
type BlockTotal struct {
	Type     uint8    `json:"type"`
	Block    string   `json:"block"`
	Physical int      `json:"physical"` // number in the hardware: a core's bit in the core mask
	Reported int      `json:"reported"` // number that samples carry
	States   uint32   `json:"states"`   // bits of all states reported
	Values   []uint64 `json:"values"`   // by index in the block; the header's are 0
}

// SampleTruth is one sample.
type SampleTruth struct {
	Seq       uint64    `json:"seq"`
	Start     int64     `json:"start_ns"` // CLOCK_MONOTONIC_RAW
	End       int64     `json:"end_ns"`
	Flags     uint32    `json:"flags"`
	UserData  uint64    `json:"user_data"`
	Merged    int       `json:"merged"` // periods before it that it covers too
	Cycles    [2]uint64 `json:"cycles"`
	Sum       uint64    `json:"sum"`       // of all its counters; 0 if in error
	Delivered bool      `json:"delivered"` // fetched by the client
	Returned  bool      `json:"returned"`
}

// maxSamples bounds the list of samples of one client.
const maxSamples = 20000

// sample is a sample in the ring with what its client will have been given.
type sample struct {
	SampleTruth
	values [][]uint64 // per block of the client's list
	states []uint32
	off    int // offset in the mapping
	truth  *SampleTruth
}

// add files a sample that was produced.
func (c *ClientTruth) add(s *sample) {
	c.Produced++
	s.truth = &SampleTruth{}
	*s.truth = s.SampleTruth
	if len(c.Samples) < maxSamples {
		c.Samples = append(c.Samples, s.truth)
	} else {
		c.Omitted++
	}
}

// deliver files that the client fetched a sample.
func (c *ClientTruth) deliver(s *sample) {
	c.Delivered++
	c.Outstanding = true
	s.truth.Delivered = true
	if c.told != nil {
		c.told()
	}
	if s.Flags&flagStretched != 0 {
		c.Stretched++
	}
	if s.Flags&flagError != 0 {
		c.Errors++
		return
	}
	for k := range c.Cycles {
		c.Cycles[k] += s.Cycles[k]
	}
	for i, t := range c.Totals {
		t.States |= s.states[i]
		for k, v := range s.values[i] {
			if k >= headerValues {
				t.Values[k] += v
			}
		}
	}
}

// put files that the client returned the sample that was out.
func (c *ClientTruth) put(s *sample) {
	c.Returned++
	c.Outstanding = false
	s.truth.Returned = true
}

// released reports whether nothing of the client is left. The model's own client does not count.
func (c *ClientTruth) released(removed bool) bool {
	return c.PID == 0 || c.Closed && (removed || !c.Running && !c.Outstanding)
}
