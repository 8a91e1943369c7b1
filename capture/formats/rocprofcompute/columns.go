package rocprofcompute

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// labelColumns are the columns that describe a dispatch, with the names of their labels.
var labelColumns = map[string]string{
	colKernel: "kernel", "Grid_Size": "grid_size", "Workgroup_Size": "workgroup_size", "LDS_Per_Workgroup": "lds_per_workgroup",
	"Scratch_Per_Workitem": "scratch_per_workitem", "Arch_VGPR": "arch_vgpr", "Accum_VGPR": "accum_vgpr", "SGPR": "sgpr",
	"wave_size": "wave_size", "Kernel_ID": "kernel_id",
}

// keyColumns identify a dispatch across its passes.
var keyColumns = []string{colDispatch, colKernel, "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup", colGPU}

// otherColumns are known and not read.
var otherColumns = map[string]bool{
	colDispatch: true, colGPU: true, colGUID: true, colStart: true, colEnd: true, colName: true, colValue: true, "Correlation_Id": true, "Correlation_ID": true,
	"queue-id": true, "queue-index": true, "pid": true, "tid": true, "sig": true, "obj": true, "DispatchNs": true, "CompleteNs": true, "Node": true,
	"Queue_ID": true, "Process_ID": true, "Thread_ID": true, "Agent_ID": true, "Agent_Id": true, "PID": true,
}

// isCounter reports whether a column of the wide form holds a counter.
func isCounter(name string) bool {
	base, _ := cutSuffixNumber(name)
	_, label := labelColumns[base]
	return name != "" && !label && !otherColumns[base]
}

// cutSuffixNumber takes "wave_size_12" apart: joined tables number the columns that they share. n is 0 without a number.
func cutSuffixNumber(name string) (base string, n int) {
	i := strings.LastIndexByte(name, '_')
	if i < 0 || i+1 == len(name) || len(name)-i > 6 {
		return name, 0
	}
	for _, c := range name[i+1:] {
		if c < '0' || c > '9' {
			return name, 0
		}
		n = n*10 + int(c-'0')
	}
	base = name[:i]
	if _, label := labelColumns[base]; !label && !otherColumns[base] {
		return name, 0
	}
	return base, n
}

// sheet is one csv file that has been read.
type sheet struct {
	f     *delimited.File
	t     *delimited.Table
	specs []delimited.Spec
	odd   []string // columns of text that the format does not have
}

// isCounter reports whether column i holds a counter.
func (s *sheet) isCounter(i int) bool {
	return s.specs[i].Want == delimited.Number && isCounter(s.f.Header[i])
}

func (s *sheet) warnings() []string {
	out := append(append([]string{}, s.f.Warnings...), s.t.Warnings...)
	if len(s.odd) > 0 {
		out = append(out, fmt.Sprintf("%s: columns %s hold text and are not read", s.f.Name, strings.Join(s.odd, ", ")))
	}
	return out
}

// readSheet reads a file: counters and times as numbers, the rest as text. The file stays open, to find the lines of errors, until close.
func (w *workload) readSheet(ctx context.Context, path string) (*sheet, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	w.files = append(w.files, r)
	st, err := r.Stat()
	if err != nil {
		return nil, err
	}
	f, err := delimited.Open(path, r, st.Size(), delimited.Options{Delim: ','})
	if err != nil {
		return nil, err
	}
	if err := f.CheckNames(); err != nil {
		return nil, err
	}
	long := f.Index(colName) >= 0
	rows, err := f.Sample(20)
	if err != nil {
		return nil, err
	}
	specs := make([]delimited.Spec, len(f.Header))
	s := &sheet{f: f, specs: specs}
	for i, name := range f.Header {
		switch {
		case name == colStart || name == colEnd || name == colValue:
			specs[i].Want = delimited.Number
		case name == colDispatch || name == colGPU || name == colGUID || name == colName || labelColumns[name] != "":
			specs[i].Want = delimited.Text
		case long || !isCounter(name):
		case isText(rows, i):
			s.odd = append(s.odd, name)
		default:
			specs[i].Want = delimited.Number
		}
	}
	s.t, err = f.Read(ctx, specs)
	return s, err
}

// isText reports whether no cell of a column is a number and some are text.
func isText(rows [][]string, i int) bool {
	text := false
	for _, row := range rows {
		if delimited.IsNumber(row[i], '.') {
			return false
		}
		text = text || !delimited.IsMissing(row[i]) && !delimited.IsInfinity(row[i])
	}
	return text
}

// need returns an error for the columns that are missing.
func (s *sheet) need(names ...string) error {
	for _, name := range names {
		if s.f.Index(name) < 0 {
			return &delimited.Error{File: s.f.Name, Line: s.f.Line, Msg: "no column " + name + ", which a rocprof-compute file needs"}
		}
	}
	return nil
}

// text is a row's text in the named column; "" where there is none.
func (s *sheet) text(name string, row int) string {
	i := s.f.Index(name)
	if i < 0 {
		return ""
	}
	c := &s.t.Cols[i]
	if c.Codes == nil || c.Codes[row] < 0 {
		return ""
	}
	return c.Dict[c.Codes[row]]
}

// codes are the dictionary codes of a column of text, nil if there is none.
func (s *sheet) codes(name string) []int32 {
	if i := s.f.Index(name); i >= 0 {
		return s.t.Cols[i].Codes
	}
	return nil
}

// noTime stands for a time that the file does not have.
const noTime = math.MinInt64

// times returns a column of times in ns, all noTime if there is no such column.
func (s *sheet) times(name string) ([]int64, error) {
	out := make([]int64, s.t.Rows)
	for i := range out {
		out[i] = noTime
	}
	col := s.f.Index(name)
	if col < 0 {
		return out, nil
	}
	d := s.t.Cols[col].Num
	for i := range out {
		if d.Missing(i) {
			continue
		}
		v := d.Float(i)
		if v < 0 || v >= 1<<62 || v != math.Trunc(v) {
			return nil, &delimited.Error{File: s.f.Name, Line: s.t.Line(i), Msg: fmt.Sprintf("column %q: %v is not a time in whole nanoseconds", name, v)}
		}
		if d.U != nil {
			out[i] = int64(d.U[i])
		} else {
			out[i] = int64(v)
		}
	}
	return out, nil
}

// splitInstance takes "TCC_HIT[3]" apart.
func splitInstance(name string) (base, id string) {
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") && i+2 < len(name) {
		return name[:i], name[i+1 : len(name)-1]
	}
	return name, ""
}

// blockOf is the hardware block that a counter's name begins with.
func blockOf(name string) string {
	block, _, _ := strings.Cut(name, "_")
	return block
}

// labelOf builds a label from one text per sample; "" is no value.
func labelOf(name string, texts []string) *capture.Label {
	l := &capture.Label{Name: name, Codes: make([]int32, len(texts))}
	index := map[string]int32{}
	for i, s := range texts {
		if s == "" {
			l.Codes[i] = -1
			continue
		}
		code, ok := index[s]
		if !ok {
			code = int32(len(l.Dict))
			index[s] = code
			l.Dict = append(l.Dict, s)
		}
		l.Codes[i] = code
	}
	return l
}
