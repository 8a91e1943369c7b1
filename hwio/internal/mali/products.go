package mali

// products is the table of GPUs, those of one id by rising number of cores. The arrangement of counters depends on the
// layout only.
var products = []struct {
	key      uint32 // architecture's major number << 12 | product's
	minCores int
	p        Product
}{
	{0x6000, 1, Product{Name: "Mali-G71", Codename: "TMIX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G71",
		Values: 64, WarpWidth: 4}},
	{0x6001, 1, Product{Name: "Mali-G72", Codename: "THEX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G72",
		Values: 64, WarpWidth: 4}},
	{0x7000, 1, Product{Name: "Mali-G51", Codename: "TSIX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G51",
		Values: 64, WarpWidth: 4}},
	{0x7001, 1, Product{Name: "Mali-G76", Codename: "TNOX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G76",
		Values: 64, WarpWidth: 8}},
	{0x7002, 1, Product{Name: "Mali-G52", Codename: "TGOX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G52",
		Values: 64, WarpWidth: 8}},
	{0x7003, 1, Product{Name: "Mali-G31", Codename: "TDVX", Architecture: "Bifrost", CSF: false, Layout: "Mali-G31",
		Values: 64, WarpWidth: 4}},
	{0x9000, 1, Product{Name: "Mali-G77", Codename: "TTRX", Architecture: "Valhall", CSF: false, Layout: "Mali-G77",
		Values: 64, WarpWidth: 16}},
	{0x9001, 1, Product{Name: "Mali-G57", Codename: "TNAX", Architecture: "Valhall", CSF: false, Layout: "Mali-G77",
		Values: 64, WarpWidth: 16}},
	{0x9002, 1, Product{Name: "Mali-G78", Codename: "TBEX", Architecture: "Valhall", CSF: false, Layout: "Mali-G78",
		Values: 64, WarpWidth: 16}},
	{0x9003, 1, Product{Name: "Mali-G57", Codename: "", Architecture: "Valhall", CSF: false, Layout: "Mali-G77",
		Values: 64, WarpWidth: 16}},
	{0x9004, 1, Product{Name: "Mali-G68", Codename: "LBEX", Architecture: "Valhall", CSF: false, Layout: "Mali-G78",
		Values: 64, WarpWidth: 16}},
	{0x9005, 1, Product{Name: "Mali-G78AE", Codename: "TBAX", Architecture: "Valhall", CSF: false, Layout: "Mali-G78",
		Values: 64, WarpWidth: 16}},
	{0xa002, 1, Product{Name: "Mali-G710", Codename: "TODX", Architecture: "Valhall", CSF: true, Layout: "Mali-G710",
		Values: 64, WarpWidth: 16}},
	{0xa003, 1, Product{Name: "Mali-G510", Codename: "TGRX", Architecture: "Valhall", CSF: true, Layout: "Mali-G710",
		Values: 64, WarpWidth: 16}},
	{0xa004, 1, Product{Name: "Mali-G310", Codename: "TVAX", Architecture: "Valhall", CSF: true, Layout: "Mali-G710",
		Values: 64, WarpWidth: 16}},
	{0xa007, 1, Product{Name: "Mali-G610", Codename: "LODX", Architecture: "Valhall", CSF: true, Layout: "Mali-G710",
		Values: 64, WarpWidth: 16}},
	{0xb002, 1, Product{Name: "Mali-G615", Codename: "TTUX", Architecture: "Valhall", CSF: true, Layout: "Mali-G715",
		Values: 128, WarpWidth: 16}},
	{0xb002, 7, Product{Name: "Mali-G715", Codename: "TTUX", Architecture: "Valhall", CSF: true, Layout: "Mali-G715",
		Values: 128, WarpWidth: 16}},
	{0xb002, 10, Product{Name: "Immortalis-G715", Codename: "TTUX", Architecture: "Valhall", CSF: true,
		Layout: "Mali-G715", Values: 128, WarpWidth: 16}},
	{0xb003, 1, Product{Name: "Mali-G615", Codename: "LTUX", Architecture: "Valhall", CSF: true, Layout: "Mali-G715",
		Values: 128, WarpWidth: 16}},
	{0xc000, 1, Product{Name: "Mali-G620", Codename: "TTIX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G720", Values: 128, WarpWidth: 16}},
	{0xc000, 6, Product{Name: "Mali-G720", Codename: "TTIX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G720", Values: 128, WarpWidth: 16}},
	{0xc000, 10, Product{Name: "Immortalis-G720", Codename: "TTIX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G720", Values: 128, WarpWidth: 16}},
	{0xc001, 1, Product{Name: "Mali-G620", Codename: "LTIX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G720", Values: 128, WarpWidth: 16}},
	{0xd000, 6, Product{Name: "Mali-G725", Codename: "TKRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G725", Values: 128, WarpWidth: 16}},
	{0xd000, 10, Product{Name: "Immortalis-G925", Codename: "TKRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G725", Values: 128, WarpWidth: 16}},
	{0xd001, 1, Product{Name: "Mali-G625", Codename: "LKRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali-G725", Values: 128, WarpWidth: 16}},
	{0xe000, 10, Product{Name: "Mali G1-Ultra", Codename: "IDRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali G1", Values: 128, WarpWidth: 16}},
	{0xe001, 6, Product{Name: "Mali G1-Premium", Codename: "TDRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali G1", Values: 128, WarpWidth: 16}},
	{0xe003, 1, Product{Name: "Mali G1-Pro", Codename: "LDRX", Architecture: "5th Generation", CSF: true,
		Layout: "Mali G1", Values: 128, WarpWidth: 16}},
}

// midgard are the GPUs before ids had an architecture, by product number. The old ones have another arrangement of
// blocks.
var midgard = map[uint32]struct {
	name string
	old  bool
}{
	0x6956: {"Mali-T600", true}, 0x620: {"Mali-T620", true}, 0x720: {"Mali-T720", true}, 0x750: {"Mali-T760", true},
	0x820: {"Mali-T820", false}, 0x830: {"Mali-T830", false}, 0x860: {"Mali-T860", false}, 0x880: {"Mali-T880", false},
}
