package arrow

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// isText reports whether the column holds text, plain or dictionary coded.
func (c *column) isText() bool {
	t := c.field.Type
	switch x := t.(type) {
	case *arrow.DictionaryType:
		t = x.ValueType
	case *arrow.RunEndEncodedType:
		t = x.Encoded()
	case *arrow.BooleanType:
		return true
	}
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return true
	}
	return false
}

// label reads a text column.
func (c *column) label() (*capture.Label, error) {
	l := &capture.Label{Name: c.field.Name}
	if name, ok := c.field.Metadata.GetValue(keyName); ok {
		l.Name = name
	}
	if len(c.labels) > 0 && c.oneDictionary() {
		return l, c.coded(l)
	}
	c.load()
	coder := newCoder(l, c.rows())
	last, lastCode := "", int32(-1) // neighbours are mostly alike
	for k := range max(len(c.labels), len(c.texts)) {
		if c.labels != nil {
			if err := coder.addCoded(c.labels[k]); err != nil {
				return nil, fmt.Errorf("label %q: %w", l.Name, err)
			}
			continue
		}
		t := c.texts[k]
		for i := range t.Len() {
			if t.IsNull(i) {
				l.Codes = append(l.Codes, -1)
				continue
			}
			if text := t.Value(i); text != last {
				last, lastCode = text, coder.code(text)
			}
			l.Codes = append(l.Codes, lastCode)
		}
	}
	if len(l.Codes) != c.rows() {
		return nil, fmt.Errorf("label %q has %d values, there are %d samples", l.Name, len(l.Codes), c.rows())
	}
	return l, nil
}

func (c *column) rows() int { return c.first[len(c.first)-1] }

// oneDictionary reports whether all batches share their dictionary, as in the file form.
func (c *column) oneDictionary() bool {
	first := c.labels[0].Dictionary().Data()
	for _, a := range c.labels[1:] {
		if a.Dictionary().Data() != first {
			return false
		}
	}
	return true
}

// coded takes over one dictionary as it is, and the codes too where they can be used in place.
func (c *column) coded(l *capture.Label) error {
	dict := c.labels[0].Dictionary().(texts)
	var tally memory.Tally
	tally.Must(textRoom*uint64(dict.Len()) + 4*uint64(c.rows()))
	l.Dict = make([]string, dict.Len())
	for i := range l.Dict {
		if !dict.IsNull(i) {
			l.Dict[i] = strings.Clone(dict.Value(i))
		}
	}
	if len(c.labels) == 1 {
		if a, ok := c.labels[0].Indices().(*array.Int32); ok && a.NullN() == 0 && noNulls(dict) {
			l.Codes = a.Int32Values()
			return checkCodes(l)
		}
	}
	l.Codes = make([]int32, 0, c.rows())
	for _, a := range c.labels {
		for i := range a.Len() {
			l.Codes = append(l.Codes, codeAt(a, i, dict))
		}
	}
	return checkCodes(l)
}

func noNulls(dict texts) bool {
	for i := range dict.Len() {
		if dict.IsNull(i) {
			return false
		}
	}
	return true
}

// codeAt is the dictionary code of value i, -1 where it or its dictionary entry is missing.
func codeAt(a *array.Dictionary, i int, dict texts) int32 {
	if a.IsNull(i) {
		return -1
	}
	code := a.GetValueIndex(i)
	if code < 0 || code >= dict.Len() || int(int32(code)) != code {
		return badCode
	}
	if dict.IsNull(code) {
		return -1
	}
	return int32(code)
}

const badCode = -2

func checkCodes(l *capture.Label) error {
	for i, code := range l.Codes {
		if code < -1 || int(code) >= len(l.Dict) {
			return fmt.Errorf("damaged: label %q has no entry for sample %d in its dictionary", l.Name, i)
		}
	}
	return nil
}

// coder codes texts by one growing dictionary.
type coder struct {
	l     *capture.Label
	codes map[string]int32
	tally memory.Tally
}

func newCoder(l *capture.Label, n int) *coder {
	c := &coder{l: l, codes: map[string]int32{}}
	c.tally.Must(4 * uint64(n))
	l.Codes = make([]int32, 0, n)
	return c
}

// textRoom is what a text takes beside its bytes, in a list and a map, in bytes.
const textRoom = 128

// code is that of a text, -1 of the empty one, which is no value.
func (c *coder) code(text string) int32 {
	if text == "" {
		return -1
	}
	if code, ok := c.codes[text]; ok {
		return code
	}
	c.tally.Must(uint64(len(text)) + textRoom)
	text = strings.Clone(text)
	code := int32(len(c.l.Dict))
	c.l.Dict = append(c.l.Dict, text)
	c.codes[text] = code
	return code
}

// addCoded adds a batch with a dictionary of its own. Entries that no sample uses are left out.
func (c *coder) addCoded(a *array.Dictionary) error {
	dict := a.Dictionary().(texts)
	c.tally.Must(4 * uint64(dict.Len()))
	codes := make([]int32, dict.Len())
	for i := range codes {
		codes[i] = badCode
	}
	for i := range a.Len() {
		local := codeAt(a, i, dict)
		switch {
		case local == badCode:
			return fmt.Errorf("damaged: no entry for sample %d in its dictionary", len(c.l.Codes))
		case local >= 0 && codes[local] == badCode:
			codes[local] = c.code(dict.Value(int(local)))
			fallthrough
		case local >= 0:
			local = codes[local]
		}
		c.l.Codes = append(c.l.Codes, local)
	}
	return nil
}
