package amdgpu

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// partitionDevice begins the names of the platform devices of an MI300's partitions (XCP). The first partition is the
// card on the bus itself.
const partitionDevice = "amdgpu_xcp_"

// partition is one of several parts that a GPU is cut into (XCP): a device for what the GPU's table tells of it alone.
// Power, heat, clocks, memory and registers exist once for all of them, and stay the card's.
type partition struct {
	number int
	dies   int      // that the table has values of
	card   drm.Card // whose nodes belong to it; the GPU's own of the first, none where the kernel shows none
}

// name is what captures and options call the partition of a card.
func (p *partition) name(card string) string { return fmt.Sprintf("%s/xcp%d", card, p.number) }

// title says in words what it is.
func (p *partition) title() string {
	nodes := ""
	if p.card.Name != "" {
		nodes = fmt.Sprintf(" (%s, %s)", p.card.Name, p.card.Render)
	}
	return fmt.Sprintf("partition %d%s, %d dies", p.number, nodes, p.dies)
}

// partitionsOf lists the partitions of a GPU by what its table holds; none where it is not cut. nodes are the cards of
// partitions, which the kernel numbers in order.
func partitionsOf(root sysroot.Root, card drm.Card, nodes []drm.Card) []partition {
	// Only a GPU that can be cut has the file. Reading the table of others may wake them.
	if !root.Exists(card.Sysfs + "/device/current_compute_partition") {
		return nil
	}
	m := &metricsFile{file: textFile{root: root, path: card.Sysfs + "/device/gpu_metrics"}}
	defer func() { _ = m.file.close() }() // it was only read
	if m.accept() != "" {
		return nil
	}
	var out []partition
	for i := range m.layout.Fields {
		f := &m.layout.Fields[i]
		name, number, parted := f.Partition()
		if !parted || name != dieBusy {
			continue
		}
		dies := 0
		for k := range f.Count {
			if _, ok := m.table.Raw(f, k); ok {
				dies++
			}
		}
		if dies > 0 {
			out = append(out, partition{number: number, dies: dies})
		}
	}
	if len(out) < 2 {
		return nil
	}
	out[0].card = card
	for i := range out[1:] {
		if i < len(nodes) {
			out[1+i].card = nodes[i]
		}
	}
	return out
}

// dieBusy is the field of a partition that has a value of each of its dies.
const dieBusy = "gfx_busy_inst"

// partitionNodes are the cards of partitions that can be opened. The kernel shows all that a GPU could have: the others
// are not there in the mode that is set. Which of several GPUs they are of nothing says: then there are none here.
func (s *Source) partitionNodes(gpus int) []drm.Card {
	if gpus != 1 {
		return nil
	}
	var out []drm.Card
	for _, c := range drm.Cards(s.root) {
		if !strings.HasPrefix(c.Address, partitionDevice) {
			continue
		}
		if g := openGPU(s.root, c, s.open); g.node != nil {
			out = append(out, c)
			_ = g.close() // it was only asked
		}
	}
	return out
}

// cut are the partitions of each of some cards.
func (s *Source) cut(cards []drm.Card) [][]partition {
	nodes := s.partitionNodes(len(cards))
	out := make([][]partition, len(cards))
	for i, c := range cards {
		out[i] = partitionsOf(s.root, c, nodes)
	}
	return out
}

// chosen is what the option device names: cards, and of one of them a partition alone.
type chosen struct {
	cards      []drm.Card
	partitions [][]partition // of each card
	only       *partition
}

// choose picks what the user named: a card, a partition, or all cards where there is no name.
func choose(cards []drm.Card, partitions [][]partition, device string) (*chosen, error) {
	if device == "" {
		return &chosen{cards: cards, partitions: partitions}, nil
	}
	is := func(c drm.Card) bool {
		return c.Name != "" && slices.Contains([]string{c.Name, c.Address, c.Node, c.Render}, device)
	}
	var known []string
	for i, c := range cards {
		one := &chosen{cards: []drm.Card{c}, partitions: [][]partition{partitions[i]}}
		if is(c) {
			return one, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", c.Name, c.Address))
		for k := range partitions[i] {
			p := &partitions[i][k]
			if p.name(c.Name) == device || k > 0 && is(p.card) {
				one.only = p
				return one, nil
			}
			known = append(known, p.name(c.Name))
		}
	}
	return nil, fmt.Errorf("option device=%s: no AMD GPU is called so; there are %s", device, strings.Join(known, ", "))
}

// restrict makes the description of a card that of one of its partitions: what counts units of the whole card is left
// out.
func (p *partition) restrict(cfg *capture.Config, card string) {
	cfg.Device.Name = fmt.Sprintf("%s, partition %d", cfg.Device.Name, p.number)
	cfg.Device.ID += fmt.Sprintf("/xcp%d", p.number)
	cfg.Device.Extra["partition"] = p.name(card)
	ofCard := []string{"shader_engines", "cu_per_gpu", "render_backends", "l2_channels", "vram_bus_bits", "gl2c_bytes",
		"mall_bytes"}
	cfg.Properties = slices.DeleteFunc(cfg.Properties, func(p capture.Property) bool {
		return slices.Contains(ofCard, p.Name)
	})
}
