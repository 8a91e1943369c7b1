package amdgpu

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable. Engine times and memory of single processes are left out with the processes.
func (s *Source) Taped(t *tape.Tape) hwio.Source {
	c := *s
	c.root = s.root.Taped(t)
	c.open = func(path string) (node, error) {
		n, err := s.open(path)
		number, err := t.Device(path, err)
		if err != nil {
			if n != nil {
				_ = n.close()
			}
			return nil, err
		}
		return &tapedNode{n, t, number}, nil
	}
	return &c
}

// tapedNode is a node of which known questions reach the kernel, and known fields of the answers the reader.
type tapedNode struct {
	node
	tape   *tape.Tape
	number int
}

// knownFields are the offset and the length of what this version reads of an answer; of others of which it reads all
// there are none.
var knownFields = map[uint32][][2]int{
	queryBytesMoved: nil, queryReadRegister: nil, queryEvictions: nil, queryMemory: nil, querySensor: nil,
	queryVRAMLost: nil,
	queryDevInfo: {{offDeviceID, 4}, {offChipRev, 4}, {offExternalRev, 4}, {offPCIRev, 4}, {offFamily, 4}, {offEngines, 4},
		{offArrays, 4}, {offCounterFreq, 4}, {offMaxEngineClock, 8}, {offMaxMemoryClock, 8}, {offActiveCUs, 4},
		{offRBPipes, 4}, {offIDsFlags, 8}, {offVRAMBitWidth, 4}, {offWavefront, 4}, {offCUsPerArray, 4},
		{offTCCBlocks, 4}, {offGL1CacheSize, 4}, {offGL2CacheSize, 4}, {offMALLSize, 8}},
}

func (n *tapedNode) info(c *call, query, size uint32, arg [4]uint32) error {
	fields, ok := knownFields[query]
	if !ok {
		n.tape.Leave(fmt.Sprintf("query %#x", query), "not on the list of requests")
		return syscall.EINVAL
	}
	began := n.tape.Now()
	err := n.node.info(c, query, size, arg)
	took := n.tape.Now() - began
	answer := c.answer[:size]
	if fields != nil {
		all := slices.Clone(answer)
		clear(answer)
		for _, f := range fields {
			if f[0]+f[1] <= len(answer) {
				copy(answer[f[0]:f[0]+f[1]], all[f[0]:])
			}
		}
	}
	in := binary.LittleEndian.AppendUint32(nil, query)
	for _, a := range arg {
		in = binary.LittleEndian.AppendUint32(in, a)
	}
	n.tape.Add(tape.Event{Kind: tape.Request, Device: n.number, Code: fmt.Sprintf("%#08x", infoIoctl), Path: "AMDGPU_INFO",
		In: in, BufOut: slices.Clone(answer), Errno: tape.Errno(err), Took: took})
	return err
}

func (n *tapedNode) close() error {
	err := n.node.close()
	n.tape.Add(tape.Event{Kind: tape.Close, Device: n.number, Errno: tape.Errno(err)})
	return err
}
