package metrics

// UsedBy lists the metrics of the entry's catalogue whose formulas read it, by name. It is worked out for the whole
// catalogue when it is first asked for.
func (e *Entry) UsedBy() []string {
	c, err := Get(e.GPU)
	if err != nil {
		return nil
	}
	c.usersOnce.Do(func() {
		c.users = map[string][]string{}
		for _, m := range c.entries {
			for _, name := range m.reads() {
				for _, in := range operandsOf(m, name) {
					used := m.sibling(in) // of the same metric set
					if used == nil {
						if used, err = c.Find(in); err != nil || used == m {
							continue
						}
					}
					if list := c.users[used.Name]; len(list) == 0 || list[len(list)-1] != m.Name {
						c.users[used.Name] = append(list, m.Name)
					}
				}
			}
		}
	})
	if list, ok := c.users[e.Name]; ok {
		return list
	}
	family, _ := hardwareFamily(e.Name)
	return c.users[family]
}
