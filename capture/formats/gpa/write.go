package gpa

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/progress"
)

// Encode writes the counters of c as the guide's function does. The labels session and sample number the rows; without
// them the session is 1 and samples count from 0. Integers are exact and other values have six decimals, which loses
// digits of small ones.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	end := "\n"
	if p, ok := c.Property(lineEndsName); ok && p.Text == "crlf" {
		end = "\r\n"
	}
	out := bufio.NewWriter(w)
	out.WriteString(identifier + " ")
	for _, ctr := range c.Counters {
		if strings.ContainsAny(ctr.Name, ",\r\n") || ctr.Name != strings.TrimSpace(ctr.Name) || ctr.Name == "" ||
			formats.MarkText(ctr.Name) != ctr.Name {
			return fmt.Errorf("counter %q: a GPA file cannot hold a name with commas, line ends or outer blanks, or one that a spreadsheet takes for a formula", ctr.Name)
		}
		out.WriteString(ctr.Name + ", ")
	}
	out.WriteString(end)
	sessions, err := numbers(c, "session", func(int) string { return "1" })
	if err != nil {
		return err
	}
	samples, err := numbers(c, "sample", strconv.Itoa)
	if err != nil {
		return err
	}
	values := make([]func(i int) string, len(c.Counters))
	for k, ctr := range c.Counters {
		values[k] = cells(ctr)
	}
	meter := progress.From(ctx)
	meter.Begin(int64(c.Len()), progress.Samples)
	for i := range c.Len() {
		if i%4096 == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			meter.Set(int64(i))
		}
		out.WriteString("session: " + sessions(i) + "; sample: " + samples(i) + ", ")
		for _, v := range values {
			out.WriteString(v(i) + ",")
		}
		out.WriteString(end)
	}
	return out.Flush()
}

// numbers are the values of a label, which must be whole numbers.
func numbers(c *capture.Capture, name string, otherwise func(i int) string) (func(i int) string, error) {
	l := c.Label(name)
	if l == nil {
		return otherwise, nil
	}
	for _, text := range l.Dict {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("label %s has the value %q: a GPA file numbers its sessions and samples", name, text)
		}
	}
	return func(i int) string {
		if v, ok := l.Value(i); ok {
			return v
		}
		return otherwise(i)
	}, nil
}

// spelling is how programs write what is no number, such as -nan(ind) and 1.#QNAN. Other texts that were read in its
// place are not written: a spreadsheet could take them for formulas.
var spelling = regexp.MustCompile(`^[+-]?[0-9.]*#?[A-Za-z]+[0-9]*(\([A-Za-z0-9_]*\))?$`)

// cells are the values of a counter as text. A missing one has the spelling that was read, or that of C.
func cells(c *capture.Counter) func(i int) string {
	spelled := map[int]string{}
	for _, r := range c.Reasons {
		if r.Reason.Text == vacant {
			for i := r.From; i < r.To; i++ {
				spelled[i] = ""
			}
		}
		if quoted, ok := strings.CutPrefix(r.Reason.Text, unusual); ok && r.Reason.Code == capture.NotANumber {
			if text, err := strconv.Unquote(quoted); err == nil && spelling.MatchString(text) {
				for i := r.From; i < r.To; i++ {
					spelled[i] = text
				}
			}
		}
	}
	return func(i int) string {
		v := c.Value(i)
		switch {
		case v.Missing():
			if text, ok := spelled[i]; ok {
				return text
			}
			return "nan"
		case v.IsInt():
			return v.Big().String()
		}
		return strconv.FormatFloat(v.Float(), 'f', 6, 64)
	}
}
