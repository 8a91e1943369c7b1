// Package mali models Arm Mali GPUs with their drivers: Arm's kbase driver with its counter interface kinstr_prfcnt or
// the older one (vinstr), and the mainline driver panfrost. A model renders an imaginary game at 60 frames a second,
// counts what every block of the hardware did, and says in its truth what the program under test was given, block by
// block and core by core.
//
// It imports package hwtest and the tables in hwtest/uapi only. Nothing here may come from a reader or a decoder: a
// mistake shared by both would pass every test.
package mali

import "astrolabe/hwio/hwtest"

// Models are the devices of this package.
func Models() []hwtest.Model {
	models := []hwtest.Model{}
	for _, s := range specs() {
		models = append(models, hwtest.Model{
			Name: s.name, Doc: s.doc, Scenarios: s.scenarios(),
			New: func() hwtest.Device { return newBoard(s) },
		})
	}
	return models
}
