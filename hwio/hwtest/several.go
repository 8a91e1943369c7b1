package hwtest

// Several is a machine with several devices. Its truth is a list of theirs, in their order.
func Several(devices ...Device) Device { return several(devices) }

type several []Device

// Start implements Device.
func (s several) Start(m Machine) error {
	for _, d := range s {
		if err := d.Start(m); err != nil {
			return err
		}
	}
	return nil
}

// Truth implements Device; it returns a []any.
func (s several) Truth() any {
	out := []any{}
	for _, d := range s {
		out = append(out, d.Truth())
	}
	return out
}

// Stop implements Device.
func (s several) Stop() {
	for _, d := range s {
		d.Stop()
	}
}

// PerfEventOpen implements PerfOpener: the first device answers whose event it is.
func (s several) PerfEventOpen(c *Call, attr []byte, pid, cpu int, group File, flags uint64) (File, error) {
	for _, d := range s {
		if p, ok := d.(PerfOpener); ok {
			if f, err := p.PerfEventOpen(c, attr, pid, cpu, group, flags); f != nil || err != nil {
				return f, err
			}
		}
	}
	return nil, nil
}
