package kbase

// Requests to the device.
const (
	reqVersionCSF    = 0xc0048034
	reqVersionJM     = 0xc0048000
	reqVersionPreR21 = 0xc0108000

	reqSetFlags       = 0x40048001
	reqSetFlagsPreR21 = 0xc0108212

	reqGetProps       = 0x40108003
	reqGetPropsPreR21 = 0xc218820e

	reqEnumInfo = 0xc0108038
	reqSetup    = 0xc0108039

	reqReaderSetup       = 0x40148008
	reqReaderSetupPreR21 = 0xc0208224
)

// Function numbers in the header of structures before r21.
const (
	headerVersion     = 0
	headerSetFlags    = 530
	headerGetProps    = 526
	headerReaderSetup = 548
)

// systemMonitor asks for a context that watches the whole GPU and submits no work.
const systemMonitor = 2

// Requests to a kinstr descriptor.
const (
	reqCommand   = 0x4010bf00
	reqGetSample = 0x8010bf01
	reqPutSample = 0x4010bf10

	commandStart  = 1
	commandStop   = 2
	commandSample = 3
)

// Kinds of items in kinstr's lists.
const (
	enumBlock      = 0
	enumRequest    = 1
	enumSampleInfo = 2

	requestMode   = 0x1000
	requestEnable = 0x1001

	kindMode   = 0
	kindEnable = 1

	modeManual   = 0
	modePeriodic = 1

	metaSample = 0x2000
	metaClock  = 0x2001
	metaBlock  = 0x2002
	metaEnd    = 0

	flagStretched = 1 << 0
	flagError     = 1 << 30
)

// Sizes of kinstr's items as this version knows them. The kernel's may be larger, never smaller.
const (
	enumItemSize    = 32
	requestItemSize = 32
	metaItemSize    = 48
)

// ringSlots is the number of samples that kinstr keeps for a client.
const ringSlots = 32

// minPeriod is the shortest period that both interfaces keep, in ns; they raise shorter ones without saying so.
const minPeriod = 100_000

// Requests to a descriptor of the older interface.
const (
	reqBufferSize    = 0x8004be01
	reqDump          = 0x4004be10
	reqClear         = 0x4004be11
	reqGetBuffer     = 0x8010be20
	reqGetBufferLong = 0x8020be20
	reqPutBuffer     = 0x4010be21
	reqPutBufferLong = 0x4020be21
	reqSetInterval   = 0x4004be30

	eventRequested  = 0 // of a buffer: somebody asked for it, where the timer's have 1
	reqAPIVersion   = 0x4004beff
	reqAPIFeatures  = 0x8008beff
	reqAPIFeaturesW = 0x4008beff // the same in drivers that turned its direction round

	featureTopCycles    = 1 << 0
	featureShaderCycles = 1 << 1
)
