package metrics

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"sync"
)

//go:embed data/*.metrics data/intel-kbl.sets
var files embed.FS

// Catalogue is what is known about the counters of one GPU, or of the CPU. It is immutable.
type Catalogue struct {
	id, title, version string
	entries            []*Entry
	borrowed           []borrowed
	zeroRule           zeroRule
	sets               []*MetricSet // of an Intel GPU
	hardware           bool         // its metrics read numbered blocks, see numbered

	indexOnce sync.Once
	index     map[string][]hit

	usersOnce sync.Once
	users     map[string][]string // of a counter: the metrics that read it
}

// borrowed names an entry of another catalogue that addresses in this one find too.
type borrowed struct{ catalogue, name string }

// catalogues lists the built-in catalogues in the order of IDs. Each is read when it is first asked for.
var catalogues = []struct {
	id   string
	load func() (*Catalogue, error)
}{
	{"mali-g615", lazily("mali-g615")},
	{"mali-g720", lazily("mali-g720")},
	{"gfx1151", lazily("gfx1151")},
	{"amd-gpa", lazily("amd-gpa")},
	{"amd-live", lazily("amd-live")},
	{"intel-kbl-gt2", sync.OnceValues(func() (*Catalogue, error) { return loadIntel("intel-kbl-gt2") })},
	{"intel-kbl-gt3", sync.OnceValues(func() (*Catalogue, error) { return loadIntel("intel-kbl-gt3") })},
	{"cpu", lazily("cpu")},
}

// CPU is the id of the catalogue that every capture with CPU columns has.
const CPU = "cpu"

func lazily(id string) func() (*Catalogue, error) {
	return sync.OnceValues(func() (*Catalogue, error) {
		raw, err := files.ReadFile("data/" + id + ".metrics")
		if err != nil {
			return nil, err
		}
		c, err := parseFile(string(raw))
		if err != nil {
			return nil, err
		}
		c.readHardware()
		sum := sha256.Sum256(raw)
		c.version = hex.EncodeToString(sum[:6])
		return c, nil
	})
}

// IDs lists the built-in catalogues.
func IDs() []string {
	out := make([]string, len(catalogues))
	for i, c := range catalogues {
		out[i] = c.id
	}
	return out
}

// Get returns the catalogue of a GPU. The error names near ids.
func Get(gpu string) (*Catalogue, error) {
	for _, c := range catalogues {
		if c.id == gpu {
			return c.load()
		}
	}
	return nil, unknownGPU(gpu)
}

// UnknownGPUError says that there is no catalogue of that name.
type UnknownGPUError struct {
	GPU  string
	Near []string
}

func (e *UnknownGPUError) Error() string {
	msg := fmt.Sprintf("no catalogue for GPU %q", e.GPU)
	if len(e.Near) > 0 {
		return msg + "; did you mean " + joinOr(e.Near) + "?"
	}
	return msg + "; there are " + joinAnd(IDs())
}

func unknownGPU(gpu string) error {
	return &UnknownGPUError{gpu, nearest(gpu, IDs(), 3)}
}

// ID is the catalogue's name, such as "gfx1151".
func (c *Catalogue) ID() string { return c.id }

// Title says in words whose counters these are.
func (c *Catalogue) Title() string { return c.title }

// Version is a hash of the catalogue's content, for a report's provenance.
func (c *Catalogue) Version() string { return c.version }

// Entries lists metrics and raw counters, metrics first. The slice is shared: do not write to it.
func (c *Catalogue) Entries() []*Entry { return c.entries }

// zeroRule is what a division by zero gives in a catalogue's formulas.
type zeroRule uint8

const (
	zeroMissing zeroRule = iota // nothing
	zeroVendor                  // nothing, and 0 where a capture asks for what the vendor's own tool gives
	zeroAlways                  // 0
)
