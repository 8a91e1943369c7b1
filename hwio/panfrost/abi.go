package panfrost

// Requests to the device.
const (
	reqGetParam = 0xc0106444
	reqEnable   = 0x40086446
	reqDump     = 0x40086447

	// reqPanthorQuery asks panthor for a block of information.
	reqPanthorQuery = 0xc0106440
)

// Numbers of parameters.
const (
	paramProductID     = 0
	paramRevision      = 1
	paramShaderPresent = 2
	paramL2Present     = 4
	paramL2Features    = 8
	paramMemFeatures   = 11
)

// The proposed counter interface of panthor: the number and size of its description.
const (
	panthorPerfInfo     = 4
	panthorPerfInfoSize = 44
)
