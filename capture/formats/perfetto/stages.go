package perfetto

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/lanes"
	"astrolabe/capture/memory"
)

// stage is a GpuRenderStageEvent: work of the GPU on one of its queues.
type stage struct {
	queue, name string
	start, end  int64
}

// stageNames are the names of queues and stages that a trace gives by number, not by interning.
type stageNames struct{ queues, stages []string }

// renderStage takes the work that a GPU did on one of its queues in.
func (d *decoder) renderStage(p *packet, s *sequenceState, at int64, timed bool) error {
	var duration, queue, stageID, kernel, nameID uint64
	name, gpu := "", int32(0)
	event, queueInterned, stageInterned := false, false, false
	err := each(p.stage, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case stageEvent:
			event = true
		case stageDuration:
			duration = val
		case stageQueueIID:
			queue, queueInterned = val, true
		case stageIID:
			stageID, stageInterned = val, true
		case stageGPU:
			gpu = int32(val)
		case stageSpecifications:
			return d.stageNames.parse(data, &d.tally)
		case stageQueue:
			if !queueInterned {
				queue = uint64(uint32(val))
			}
		case stageNumber:
			if !stageInterned {
				stageID = val
			}
		case stageName:
			name = validText(string(data))
		case stageNameIID:
			nameID = val
		case stageKernel:
			kernel = val
		}
		return nil
	})
	if err != nil || !event || !timed {
		return err
	}
	if duration > math.MaxInt64/4 {
		return fmt.Errorf("a render stage of %d ns", duration)
	}
	where := byNumberOr(d.stageNames.queues, queue, "queue")
	if queueInterned {
		where = orElse(s.names[internedName{internedSpec, queue}], fmt.Sprint("queue ", queue))
	}
	switch {
	case name != "":
	case nameID != 0:
		name = s.names[internedName{internedEvent, nameID}]
	case kernel != 0:
		name = s.names[internedName{internedKernel, kernel}]
	}
	if name == "" {
		name = byNumberOr(d.stageNames.stages, stageID, "stage")
		if stageInterned {
			name = orElse(s.names[internedName{internedSpec, stageID}], fmt.Sprint("stage ", stageID))
		}
	}
	if p.machine != 0 {
		where = fmt.Sprint(where, ", machine ", p.machine)
	}
	end := at + int64(duration)
	d.stages = memory.Append(&d.tally, d.stages, stage{where, name, at, end})
	d.stretch(p, gpuStages, where, 0, gpu, at, end, duration)
	return nil
}

func byNumberOr(names []string, i uint64, what string) string {
	if i < uint64(len(names)) && names[i] != "" {
		return names[i]
	}
	return fmt.Sprint(what, " ", i)
}

// parse takes the names of queues and stages in, which are numbered in their order.
func (n *stageNames) parse(b []byte, tally *memory.Tally) error {
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if typ != protowire.BytesType || num != specificationQueues && num != specificationStages {
			return nil
		}
		_, text, err := fieldsOf(data)
		if err != nil {
			return err
		}
		if num == specificationQueues {
			n.queues = memory.Append(tally, n.queues, text[1])
		} else {
			n.stages = memory.Append(tally, n.stages, text[1])
		}
		return nil
	})
}

// regions are the stages, nested within their queues where they nest, and on lanes of their own where they overlap.
func (d *decoder) stageRegions(zero int64) (out []capture.Region) {
	byQueue := map[string][]int{}
	var queues []string
	for i, s := range d.stages {
		if byQueue[s.queue] == nil {
			queues = append(queues, s.queue)
		}
		byQueue[s.queue] = append(byQueue[s.queue], i)
	}
	for _, q := range queues {
		list := byQueue[q]
		depth, lane := lanes.Stack(len(list), func(i int) (start, end int64) {
			return d.stages[list[i]].start, d.stages[list[i]].end
		})
		for i, k := range list {
			s := d.stages[k]
			out = append(out, capture.Region{Name: s.name, Start: s.start - zero, End: s.end - zero, Depth: depth[i],
				Track: lanes.Name(q, lane[i])})
		}
	}
	return out
}
