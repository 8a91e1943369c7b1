package rocprofv3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
)

// jsonRoot is the member that holds all of a file of `rocprofv3 --output-format json`: a list with an object for each
// process. Of these are read agents, counters, kernel_symbols, callback_records.counter_collection and
// buffer_records.kernel_dispatch, as the validation of AMD's own tests of the tool (rocprofiler-sdk,
// tests/rocprofv3) reads them. Everything refers by numbers to what may stand behind it.
const jsonRoot = "rocprofiler-sdk-tool"

// jsonEnd is how the names of such files end.
const jsonEnd = "results.json"

// isJSON reports whether a file begins as one of rocprofv3's.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`+jsonRoot+`"`))
}

type handle struct {
	Handle uint64 `json:"handle"`
}

func (h handle) String() string { return strconv.FormatUint(h.Handle, 10) }

// extent is a size in three directions.
type extent struct{ X, Y, Z float64 }

func (e extent) String() string { return strconv.FormatFloat(e.X*e.Y*e.Z, 'f', -1, 64) }

// launched is what was dispatched.
type launched struct {
	Agent     handle `json:"agent_id"`
	Queue     handle `json:"queue_id"`
	Kernel    uint64 `json:"kernel_id"`
	Number    uint64 `json:"dispatch_id"`
	Scratch   uint64 `json:"private_segment_size"`
	LDS       uint64 `json:"group_segment_size"`
	Workgroup extent `json:"workgroup_size"`
	Grid      extent `json:"grid_size"`
}

// timedLaunch is a row of a kernel trace, or what a row of counters says of its dispatch.
type timedLaunch struct {
	Start uint64   `json:"start_timestamp"`
	End   uint64   `json:"end_timestamp"`
	Info  launched `json:"dispatch_info"`
}

type countedLaunch struct {
	Dispatch timedLaunch `json:"dispatch_data"`
	Records  []struct {
		Counter handle  `json:"counter_id"`
		Value   float64 `json:"value"`
	} `json:"records"`
	VGPR  *uint64 `json:"arch_vgpr_count"`
	Accum *uint64 `json:"accum_vgpr_count"`
	SGPR  *uint64 `json:"sgpr_count"`
}

// process is what a file says of one process.
type process struct {
	Metadata struct {
		PID uint64 `json:"pid"`
	}
	agents   []map[string]any
	counters map[uint64]counterInfo
	kernels  map[uint64]string
	counted  []countedLaunch
	traced   []timedLaunch
}

// readJSON reads a file of `rocprofv3 --output-format json`.
func (w *work) readJSON(ctx context.Context, path, name string) error {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return w.readObjects(ctx, f, path, name)
}

func (w *work) readObjects(ctx context.Context, r io.Reader, path, name string) error {
	j := &jsonReader{Decoder: json.NewDecoder(r), ctx: ctx}
	var found []*process
	err := j.object(func(key string) error {
		if key != jsonRoot {
			return j.skip()
		}
		return j.list(func() error {
			p, err := j.process()
			found = append(found, p)
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("%s: byte %d: %w", path, j.InputOffset(), err)
	}
	dispatches := 0
	for _, p := range found {
		dispatches += len(p.counted) + len(p.traced)
		if err := w.addProcess(p, path, name); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if dispatches == 0 {
		return fmt.Errorf("%s: no dispatches of kernels in it: record with --kernel-trace or --pmc, and what else was traced with --output-format csv or rocpd", path)
	}
	return nil
}

// jsonReader walks through a file without holding more of it than one record.
type jsonReader struct {
	*json.Decoder
	ctx   context.Context
	tally memory.Tally
	n     int
}

// object calls member for each member of an object, which reads its value.
func (j *jsonReader) object(member func(key string) error) error {
	if err := j.open('{'); err != nil {
		return err
	}
	for j.More() {
		t, err := j.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string) // the decoder takes nothing else
		if err := member(key); err != nil {
			return err
		}
	}
	_, err := j.Token()
	return err
}

// list calls element for each element of a list, which reads it.
func (j *jsonReader) list(element func() error) error {
	if err := j.open('['); err != nil {
		return err
	}
	for j.More() {
		if j.n++; j.n%1024 == 0 && j.ctx.Err() != nil {
			return context.Cause(j.ctx)
		}
		if err := element(); err != nil {
			return err
		}
	}
	_, err := j.Token()
	return err
}

func (j *jsonReader) open(want json.Delim) error {
	t, err := j.Token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("%v where %v of rocprofv3's JSON begins", t, want)
	}
	return nil
}

// skip reads a value of whatever size and drops it.
func (j *jsonReader) skip() error {
	for depth := 0; ; {
		t, err := j.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return nil
		}
	}
}

// each reads a list of records.
func each[T any](j *jsonReader, take func(T)) error {
	return j.list(func() error {
		var one T
		if err := j.tally.Add(dispatchRoom); err != nil {
			return err
		}
		if err := j.Decode(&one); err != nil {
			return err
		}
		take(one)
		return nil
	})
}

func (j *jsonReader) process() (*process, error) {
	p := &process{counters: map[uint64]counterInfo{}, kernels: map[uint64]string{}}
	type counter struct {
		ID          handle `json:"id"`
		Name        string `json:"name"`
		Block       string `json:"block"`
		Description string `json:"description"`
	}
	type symbol struct {
		ID        uint64 `json:"kernel_id"`
		Formatted string `json:"formatted_kernel_name"`
		Name      string `json:"kernel_name"`
	}
	return p, j.object(func(key string) error {
		switch key {
		case "metadata":
			return j.Decode(&p.Metadata)
		case "agents":
			return each(j, func(a map[string]any) { p.agents = append(p.agents, a) })
		case "counters":
			return each(j, func(c counter) {
				p.counters[c.ID.Handle] = counterInfo{name: c.Name, block: c.Block, doc: c.Description}
			})
		case "kernel_symbols":
			return each(j, func(s symbol) {
				if p.kernels[s.ID] = s.Formatted; s.Formatted == "" {
					p.kernels[s.ID] = s.Name
				}
			})
		case "callback_records", "buffer_records":
			return j.object(func(key string) error {
				switch key {
				case "counter_collection":
					return each(j, func(c countedLaunch) { p.counted = append(p.counted, c) })
				case "kernel_dispatch":
					return each(j, func(d timedLaunch) { p.traced = append(p.traced, d) })
				}
				return j.skip()
			})
		}
		return j.skip()
	})
}

func (w *work) addProcess(p *process, path, name string) error {
	for _, a := range p.agents {
		w.agents = append(w.agents, agentOf(a)...)
	}
	id := runID("", name, strconv.FormatUint(p.Metadata.PID, 10))
	for _, c := range p.counted {
		d, err := w.launch(p, id, path, c.Dispatch, false, []*uint64{c.VGPR, c.Accum, c.SGPR})
		if err != nil {
			return err
		}
		for _, r := range c.Records {
			info, ok := p.counters[r.Counter.Handle]
			if !ok || info.name == "" {
				return fmt.Errorf("dispatch %d has a value of counter %v, which is not among the file's counters", c.Dispatch.Info.Number, r.Counter)
			}
			i := w.counter(info.name)
			w.counters[i] = info
			d.values[i] = append(d.values[i], result{v: r.Value})
		}
	}
	for _, t := range p.traced {
		if _, err := w.launch(p, id, path, t, true, []*uint64{nil, nil, nil}); err != nil {
			return err
		}
	}
	return nil
}

// launch finds or adds a dispatch, with its registers: of vectors, accumulation and scalars, nil where not known.
func (w *work) launch(p *process, id, path string, l timedLaunch, traced bool, registers []*uint64) (*dispatch, error) {
	if l.End < l.Start || l.End > math.MaxInt64 {
		return nil, fmt.Errorf("dispatch %d starts at %d and ends at %d", l.Info.Number, l.Start, l.End)
	}
	number := func(n uint64) string { return strconv.FormatUint(n, 10) }
	kernel, i := p.kernels[l.Info.Kernel], l.Info
	if kernel == "" {
		return nil, errors.New("kernel " + number(i.Kernel) + " has no name among kernel_symbols")
	}
	k := key{dispatch: number(i.Number), kernel: kernel, agent: i.Agent.String(), grid: i.Grid.String(),
		workgroup: i.Workgroup.String()}
	d := w.run(id, prefixOf(path), traced).dispatch(k, func() []string {
		// In the order of labelNames.
		labels := []string{kernel, k.dispatch, k.agent, i.Queue.String(), "", number(i.Kernel), k.grid, k.workgroup,
			number(i.LDS), number(i.Scratch)}
		for _, n := range registers {
			text := ""
			if n != nil {
				text = number(*n)
			}
			labels = append(labels, text)
		}
		return labels
	})
	d.start, d.end = int64(l.Start), int64(l.End)
	return d, nil
}

// agentOf is an agent of the file, none where it is no GPU. Dispatches name it by its handle.
func agentOf(from map[string]any) []agent {
	const gpu = 2.0 // rocprofiler_agent_type_t
	if kind, ok := from["type"].(float64); !ok || kind != gpu {
		return nil
	}
	a := agent{numbers: map[string]float64{}}
	a.name, _ = from["name"].(string)
	a.product, _ = from["product_name"].(string)
	for name, v := range from {
		if x, ok := v.(float64); ok {
			a.numbers[strings.ToLower(name)] = x
		}
	}
	if id, ok := from["id"].(map[string]any); ok {
		if h, ok := id["handle"].(float64); ok {
			a.number = strconv.FormatFloat(h, 'f', -1, 64)
		}
	}
	return []agent{a}
}
