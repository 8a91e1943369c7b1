package metrics

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// packed are the data files as the program holds them, those of catalogues in one archive.
//
//go:embed data/catalogues.zip data/*.sets.gz data/families.csv
var packed embed.FS

const archive = "data/catalogues.zip"

// files are the data files of catalogues. They are part of the program, and a test reads them all.
var files = sync.OnceValue(func() *zip.Reader {
	raw, err := packed.ReadFile(archive)
	if err != nil {
		panic(err)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		panic(err)
	}
	return z
})

// product is what the head of a data file says of a GPU: all that must be known of one whose counters nobody asked for
// yet.
type product struct {
	id          string
	words       []string // that stand for it in a file of several products, the id among them; nil in a file of its own
	file        string
	family      string // "" of a product with a file of its own
	like        string // the product whose entries it has but for what its file says
	base        *product
	triage      string // the script that judges it, without its ending
	is          Family
	generations []string // of hardware that its formulas depend on
	asics       []asics  // of these generations
	matches     []string // "name PATTERN" or "pci PATTERN": how devices of exactly this product are called
	before      []string // what other programs write before the names of its counters
	stated      []string // the same, where it says which product it is

	load func() (*Catalogue, error)
}

// asics are patterns of how GPUs of a generation are called, such as "gfx110*".
type asics struct {
	generation string
	patterns   []string
}

// products reads the heads of all data files, once.
var products = sync.OnceValue(func() []*product {
	var out []*product
	for _, f := range files().File {
		text, err := f.Open()
		if err != nil {
			panic(err)
		}
		heads, err := readHead(f.Name, text)
		if text.Close(); err != nil {
			panic(err)
		}
		out = append(out, heads...)
	}
	named := map[string]*product{}
	for _, p := range out {
		named[p.id] = p
	}
	for _, p := range out {
		p.base = named[p.like]
		p.load = sync.OnceValues(p.read)
	}
	for _, p := range out {
		other, n := p, 0
		for ; other != nil && n <= len(out); n++ { // what a product does not say itself holds of the one that it is like
			p.triage = or(p.triage, other.triage)
			p.is.Vendor, p.is.Architecture = or(p.is.Vendor, other.is.Vendor),
				or(p.is.Architecture, other.is.Architecture)
			other = other.base
		}
		if n > len(out) {
			p.base = nil // it is like itself, which read tells
		}
		p.is.Catalogue = p.id
		p.triage = or(p.triage, strings.ReplaceAll(p.id, "-", "_"))
	}
	return out
})

// Generations lists the generations of hardware that formulas depend on, as a capture's property has them.
func Generations() []string {
	var out []string
	for _, p := range products() {
		out = append(out, p.generations...)
	}
	return out
}

// GenerationOf is the generation that hardware of that name is of, which may be the name itself: that of gfx1102 is
// gfx11. It is the name where nothing is known of it.
func GenerationOf(name string) string {
	name = strings.ToLower(name)
	for _, p := range products() {
		if slices.Contains(p.generations, name) {
			return name
		}
	}
	for _, p := range products() {
		for _, a := range p.asics {
			for _, pattern := range a.patterns {
				if ok, _ := path.Match(pattern, name); ok {
					return a.generation
				}
			}
		}
	}
	return name
}

// productOf is the product with an id, nil where there is none.
func productOf(id string) *product {
	for _, p := range products() {
		if p.id == id {
			return p
		}
	}
	return nil
}

// On is the id of the catalogue that describes captures of a GPU on a generation of hardware: products of a family that
// formulas tell apart by generation stand for each other, so that a capture may name any of them. It is gpu for all
// others.
func On(gpu, generation string) string {
	p := productOf(gpu)
	generation = GenerationOf(generation)
	if p == nil || len(p.generations) == 0 || slices.Contains(p.generations, generation) {
		return gpu
	}
	for _, q := range products() {
		if p.standsFor(q) && slices.Contains(q.generations, generation) {
			return q.id
		}
	}
	return gpu
}

// standsFor reports whether two products are one family whose members the generation tells apart.
func (p *product) standsFor(q *product) bool {
	return p == q || p.family != "" && p.family == q.family && len(p.generations) > 0 && len(q.generations) > 0
}

// countsLike reports whether two products of a family have everything in common that its file tells products apart by.
func (p *product) countsLike(q *product) bool {
	return p.family != "" && p.family == q.family && slices.Equal(p.words[1:], q.words[1:])
}

// distinct lists the ids of the catalogues without products whose counters are like those of one before them.
func distinct() []string {
	var out []string
	for i, p := range products() {
		if !slices.ContainsFunc(products()[:i], p.countsLike) {
			out = append(out, p.id)
		}
	}
	return out
}

// owns reports whether a counter that says which GPU it is of may be one of the catalogue's.
func (c *Catalogue) owns(gpu string) bool {
	if gpu == "" || gpu == c.id {
		return true
	}
	p := productOf(gpu)
	return p != nil && c.product.standsFor(p)
}

func or(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

// readHead reads the lines of a data file that stand before its entries.
func readHead(file string, text io.Reader) ([]*product, error) {
	var out []*product
	family := ""
	words := productWords{}
	lines := bufio.NewScanner(text)
head:
	for lines.Scan() {
		only, key, value := words.cut(lines.Text())
		switch key {
		case "metric", "counter", "default":
			break head
		case "family":
			family = value
		case "catalogue":
			out = append(out, &product{id: value, file: file})
		case "product":
			id, list, ok := strings.Cut(value, " ")
			if !ok {
				return nil, fmt.Errorf("catalogue file %s: product %s has no word that stands for it", file, id)
			}
			out = append(out, &product{id: id, words: words.add(id, list), file: file, family: family})
		}
		for _, p := range out {
			if only != nil && !p.among(only) {
				continue
			}
			switch key {
			case "like":
				p.like = value
			case "triage":
				p.triage = value
			case "vendor":
				p.is.Vendor = value
			case "architecture":
				p.is.Architecture = value
			case "generations":
				p.generations = strings.Fields(value)
			case "asics":
				generation, patterns, _ := strings.Cut(value, " ")
				p.asics = append(p.asics, asics{generation, strings.Fields(patterns)})
			case "match":
				p.matches = append(p.matches, value)
			case "before":
				p.before = append(p.before, value+" ")
			case "stated":
				p.stated = append(p.stated, value)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("catalogue file %s has no catalogue line", file)
	}
	return out, nil
}

// productWords are the words that stand for the products of a file.
type productWords map[string]bool

// add adds the words of a product, "WORD,WORD": its id is one too. It returns them.
func (w productWords) add(id, list string) []string {
	words := []string{id}
	for word := range strings.SplitSeq(list, ",") {
		words = append(words, strings.TrimSpace(word))
	}
	for _, word := range words {
		w[word] = true
	}
	return words
}

// among reports whether one of the words stands for the product.
func (p *product) among(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(p.words, word) })
}

// cut takes a line apart: "KEY TEXT", or "WORD,WORD KEY TEXT" where it holds for some products only.
func (w productWords) cut(line string) (only []string, key, value string) {
	key, value, _ = strings.Cut(strings.TrimSpace(line), " ")
	list := strings.Split(key, ",")
	if w[list[0]] {
		only = list
		key, value, _ = strings.Cut(strings.TrimSpace(value), " ")
	}
	return only, key, strings.TrimSpace(value)
}

// known is an error where some of the words stand for no product: what they are said of would silently be gone.
func (w productWords) known(words []string) error {
	for _, word := range words {
		if !w[word] {
			return fmt.Errorf("%q stands for no product of the file", word)
		}
	}
	return nil
}

// read makes the catalogue of a product.
func (p *product) read() (*Catalogue, error) {
	raw, err := fs.ReadFile(files(), p.file)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{product: p}
	hash := sha256.New()
	if p.base != nil {
		base, err := p.base.load()
		if err != nil {
			return nil, err
		}
		if len(base.sets) > 0 {
			return nil, fmt.Errorf("catalogue %s: it is like %s, which has metric sets: make it a product of the file of %s", p.id, p.like, p.like)
		}
		c.inherit(base)
		hash.Write([]byte(base.version))
	} else if p.like != "" {
		return nil, fmt.Errorf("catalogue %s: it is like %s, which there is not, or which is like it", p.id, p.like)
	}
	if err := c.parse(string(raw)); err != nil {
		return nil, err
	}
	c.readHardware()
	hash.Write(raw)
	if c.setsFile != "" {
		sets, err := unpacked("data/" + c.setsFile)
		if err != nil {
			return nil, err
		}
		own := c.entries // the metrics of sets stand before the raw counters
		c.entries = nil
		if err := c.parseSets(sets); err != nil {
			return nil, err
		}
		c.entries = append(c.entries, own...)
		io.WriteString(hash, sets)
	}
	c.version = hex.EncodeToString(hash.Sum(nil)[:6])
	return c, nil
}

// unpacked is the content of a compressed data file, read once: all products share it, and their entries refer to it.
func unpacked(file string) (string, error) {
	read, _ := unpackedFiles.LoadOrStore(file, sync.OnceValues(func() (string, error) {
		f, err := packed.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		var text strings.Builder
		if _, err := io.Copy(&text, z); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return text.String(), nil
	}))
	return read.(func() (string, error))()
}

var unpackedFiles sync.Map // of the name: a function
