package mali

import "astrolabe/hwio/hwtest/uapi"

// produce puts a sample of everything since the client's previous one into the ring, which has room.
func (k *kinstr) produce(now int64, user uint64, flags uint32) {
	b := k.board
	end := b.gpu.take(k.acc, now)
	s := &sample{off: int(k.write%uint64(k.limit)) * k.slot}
	s.SampleTruth = SampleTruth{Seq: k.write - k.restart, Start: k.acc.from, End: end, Flags: flags, UserData: user,
		Merged: k.merged, Cycles: k.acc.clk}
	if b.set.Has("error-samples") && (k.truth.Produced+1)%errorEvery == 0 {
		s.Flags |= flagError
	}
	k.merged = 0
	for _, i := range k.blocks {
		x := b.gpu.instances[i]
		mask := k.conf.enable[x.typ]
		if x.typ == unknownBlock {
			mask = [2]uint64{^uint64(0), ^uint64(0)}
		}
		values := make([]uint64, b.spec.values)
		for n, v := range k.acc.vals[i] {
			if has(mask, n) {
				values[n] = v
				s.Sum += v
			}
		}
		b.gpu.header(values, end, groups(mask))
		state := uint32(0)
		if b.spec.atLeast(23, 41) {
			if state = k.acc.states[i]; state == 0 {
				state = x.latest // a sample of no time
			}
			if !b.spec.atLeast(27, 41) {
				state &^= stateAvailable | stateUnavailable
			}
		}
		s.values, s.states = append(s.values, values), append(s.states, state)
	}
	for n := b.spec.clocks; n < len(s.Cycles); n++ {
		s.Cycles[n] = 0
	}
	k.lay(s)
	if s.Flags&flagError != 0 {
		s.Sum = 0
	}
	k.acc.reset(end)
	k.slots[k.write%uint64(k.limit)] = s
	k.truth.add(s)
	k.write++
	k.signal()
}

// lay writes a sample into its slot: items, then the values that they point to.
func (k *kinstr) lay(s *sample) {
	b := k.board
	slot := k.ring[s.off : s.off+k.slot]
	clear(slot)
	hdr, union := uapi.Struct("prfcnt_item_header"), uapi.Struct("prfcnt_metadata").Field("u").Offset
	at := 0
	item := func(typ int64) []byte {
		it := slot[at : at+k.stride]
		hdr.Set(it, "item_type", uint64(typ))
		at += k.stride
		return it[union:]
	}
	l := uapi.Struct("prfcnt_sample_metadata")
	u := item(uapi.Const("PRFCNT_SAMPLE_META_TYPE_SAMPLE"))
	l.Set(u, "timestamp_start", uint64(s.Start))
	l.Set(u, "timestamp_end", uint64(s.End))
	l.Set(u, "seq", s.Seq)
	l.Set(u, "user_data", s.UserData)
	l.Set(u, "flags", uint64(s.Flags))

	l = uapi.Struct("prfcnt_clock_metadata")
	u = item(uapi.Const("PRFCNT_SAMPLE_META_TYPE_CLOCK"))
	l.Set(u, "num_domains", uint64(b.spec.clocks))
	for n, v := range s.Cycles {
		le.PutUint64(u[l.Field("cycles").Offset+8*n:], v)
	}
	if k.stride != metaStride {
		for i, u := 0, item(0x2003); i < len(u); i++ {
			u[i] = 0xa5 // an item of a type that no reader knows
		}
	}
	l = uapi.Struct("prfcnt_block_metadata")
	values := k.items() * k.stride
	for n, t := range k.truth.Totals {
		u = item(uapi.Const("PRFCNT_SAMPLE_META_TYPE_BLOCK"))
		l.Set(u, "block_type", uint64(t.Type))
		l.Set(u, "block_idx", uint64(t.Reported))
		l.Set(u, "set", uint64(k.conf.set))
		l.Set(u, "block_state", uint64(s.states[n]))
		l.Set(u, "values_offset", uint64(s.off+values))
		for i, v := range s.values[n] {
			if s.Flags&flagError != 0 {
				v = ^uint64(0) >> (i % 7) // nonsense
			}
			le.PutUint64(slot[values+8*i:], v)
		}
		values += 8 * len(s.values[n])
	}
}
