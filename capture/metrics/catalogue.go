package metrics

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"astrolabe/capture/metrics/formula"
)

// Catalogue is what is known about the counters of one GPU, or of the CPU. It is immutable.
type Catalogue struct {
	*product

	title, version string
	dialect        formula.Dialect
	words          productWords // of its file
	entries        []*Entry
	borrowed       []borrowed
	zeroRule       zeroRule
	byRefs         bool         // metrics are in the order of their sections
	sets           []*MetricSet // of counters that can be measured together
	hardware       bool         // its metrics read numbered blocks, see numbered

	setsFile, setSource string

	indexOnce sync.Once
	index     map[string][]hit
	writings  map[string]writing // by the name that another program has for a counter
	prefixes  []string           // that names may have before those of the index

	usersOnce sync.Once
	users     map[string][]string // of a counter: the metrics that read it
}

// borrowed names an entry of another catalogue that addresses in this one find too.
type borrowed struct{ catalogue, name string }

// CPU is the id of the catalogue that every capture with CPU columns has.
const CPU = "cpu"

// IDs lists the built-in catalogues, in the order of their data files.
func IDs() []string {
	var out []string
	for _, p := range products() {
		out = append(out, p.id)
	}
	return out
}

// DataHash is a hash of all data files of the built-in catalogues, in hexadecimal.
func DataHash() (string, error) {
	data := map[string][]byte{} // by name
	add := func(from fs.FS) error {
		return fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && path != archive {
				data[path], err = fs.ReadFile(from, path)
			}
			return err
		})
	}
	err := errors.Join(add(packed), add(files()))
	hash := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(data)) {
		fmt.Fprintf(hash, "%s %d\n", path, len(data[path]))
		hash.Write(data[path])
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Get returns the catalogue of a GPU. It is read when it is first asked for. The error names near ids.
func Get(gpu string) (*Catalogue, error) {
	for _, p := range products() {
		if p.id == gpu {
			return p.load()
		}
	}
	return nil, unknownGPU(gpu)
}

// UnknownGPUError says that there is no catalogue of that name.
type UnknownGPUError struct {
	GPU    string
	Family Family // what the name says, where there is no catalogue of the whole architecture
	Near   []string
}

func (e *UnknownGPUError) Error() string {
	msg := fmt.Sprintf("no catalogue for GPU %q", e.GPU)
	if e.Family.Architecture != "" {
		return fmt.Sprintf("%s: there is none for %s, and on others counters mean other things", msg, e.Family)
	}
	if len(e.Near) > 0 {
		return msg + "; did you mean " + joinOr(e.Near) + "?"
	}
	return msg + "; there are " + joinAnd(IDs())
}

func unknownGPU(gpu string) error {
	f, ok := familyBy("name", gpu)
	kin := func(p *product) bool { return p.is.Vendor == f.Vendor && p.is.Architecture == f.Architecture }
	if ok && f.Architecture != "" && !slices.ContainsFunc(products(), kin) {
		return &UnknownGPUError{GPU: gpu, Family: f}
	}
	var near []string
	for _, id := range IDs() {
		if gpu != "" && strings.HasPrefix(id, strings.ToLower(gpu)+"-") && len(near) < 3 {
			near = append(near, id) // one of several products
		}
	}
	if len(near) == 0 {
		near = nearest(gpu, IDs(), 3)
	}
	return &UnknownGPUError{GPU: gpu, Near: near}
}

// ID is the catalogue's name, such as "gfx1151".
func (c *Catalogue) ID() string { return c.id }

// Family is the name of the family of GPUs whose data file describes the catalogue; its own id where the file is its
// own.
func (c *Catalogue) Family() string { return or(c.family, c.id) }

// Generations lists the generations of hardware that the catalogue's formulas depend on; nil where they do not.
func (c *Catalogue) Generations() []string { return c.generations }

// Triage is the name of the script that judges captures of the GPU, such as "cpu".
func (c *Catalogue) Triage() string { return c.triage }

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
