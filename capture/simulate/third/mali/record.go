package mali

import (
	"errors"
	"math/rand/v2"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

func (p *program) record(gen5 bool, o simulate.Options, r *rand.Rand) (*capture.Capture, error) {
	return nil, errors.New("x")
}
