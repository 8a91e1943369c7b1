package fleet

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is what a value of a row is.
type Kind byte

// The kinds of values.
const (
	Null  Kind = 'n'
	Bool  Kind = 'b'
	Int   Kind = 'i'
	Float Kind = 'f'
	Text  Kind = 's'
	JSON  Kind = 'j' // a list or an object, as JSON
)

// Cell is a value of a row. Its Text is what CSV shows, from which the value can be had again: a missing number has
// none.
type Cell struct {
	Key  string
	Kind Kind
	Text string
}

// Row is what a script says of a capture, in the order of its keys.
type Row []Cell

// Number reports whether the value is a number, or a missing one.
func (c Cell) Number() bool { return c.Kind == Int || c.Kind == Float }

// FloatCell is a number, NaN a missing one.
func FloatCell(key string, v float64) Cell {
	if math.IsNaN(v) {
		return Cell{key, Float, ""}
	}
	return Cell{key, Float, strconv.FormatFloat(v, 'g', -1, 64)}
}

// JSON is the value as JSON: a missing number is null, an infinite one text.
func (c Cell) JSON() json.RawMessage {
	switch c.Kind {
	case Bool, Int, JSON:
		return json.RawMessage(c.Text)
	case Float:
		v, err := strconv.ParseFloat(c.Text, 64)
		switch {
		case c.Text == "" || err != nil && !math.IsInf(v, 0):
			return json.RawMessage("null")
		case math.IsInf(v, 0):
			return quoted(strings.TrimPrefix(c.Text, "+"))
		}
		data, _ := json.Marshal(v) // finite numbers always can
		return data
	case Text:
		return quoted(c.Text)
	}
	return json.RawMessage("null")
}

// quoted is a text as JSON.
func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // texts always can
	return data
}

// JSON is the row as an object, its keys in order.
func (r Row) JSON() json.RawMessage {
	parts := make([]string, len(r))
	for i, c := range r {
		parts[i] = string(quoted(c.Key)) + ":" + string(c.JSON())
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// MarshalJSON writes a cell as [key, kind, text].
func (c Cell) MarshalJSON() ([]byte, error) {
	return json.Marshal([3]string{c.Key, string(rune(c.Kind)), c.Text})
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses what is no value of its kind.
func (c *Cell) UnmarshalJSON(data []byte) error {
	var parts [3]string
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts[1]) != 1 {
		return fmt.Errorf("a cell has the kind %q", parts[1])
	}
	*c = Cell{parts[0], Kind(parts[1][0]), parts[2]}
	ok := true
	switch c.Kind {
	case Null:
		ok = c.Text == ""
	case Bool, Int, JSON:
		ok = json.Valid([]byte(c.Text))
	case Float:
		_, err := strconv.ParseFloat(c.Text, 64)
		ok = c.Text == "" || err == nil
	case Text:
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("the cell %s is no value of the kind %q", data, parts[1])
	}
	return nil
}

// Status is what became of a capture.
type Status string

// The statuses.
const (
	OK         Status = "ok"
	Failed     Status = "failed"     // the script did
	Unreadable Status = "unreadable" // the capture is none, or is damaged or gone
	Timeout    Status = "timeout"    // more time or steps than it may take
	Memory     Status = "memory"     // more memory than it may take
	Crashed    Status = "crashed"    // its worker ended without a word
)

var statuses = []Status{OK, Failed, Unreadable, Timeout, Memory, Crashed}

// Outcome is what came of a capture.
type Outcome struct {
	Capture string `json:"capture"`
	Hash    string `json:"hash,omitempty"` // SHA-256 of its content, "" where that is not known
	Status  Status `json:"status"`
	Error   string `json:"error,omitempty"`  // why it failed
	Detail  string `json:"detail,omitempty"` // the error with its place, for people
	Limits  string `json:"limits,omitempty"` // those that it ran into
	Rows    []Row  `json:"rows,omitempty"`

	Known bool `json:"known,omitempty"` // it is as it was, and nothing was done
	// Stop is an error of the script whatever the capture: nothing else is tried.
	Stop  bool `json:"stop,omitempty"`
	Usage bool `json:"usage,omitempty"` // Stop: the command line of the script is wrong
	Help  bool `json:"help,omitempty"`  // Stop: its help was asked for, which is Error
}
