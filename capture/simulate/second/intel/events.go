package intel

// event is what the hardware counts, before a metric set decides which counter shows it.
type event int

const (
	evBusy event = iota // clocks of the render engine

	// Clocks summed over EUs.
	evActive
	evStall
	evFpu0
	evFpu1
	evBoth
	evSend
	evVsFpu0
	evVsFpu1
	evVsBoth
	evVsSend
	evPsFpu0
	evPsFpu1
	evPsBoth
	evPsSend
	evCsFpu0
	evCsFpu1
	evCsSend
	evHybrid0
	evHybrid1
	evTernary0
	evTernary1
	evBinary0
	evBinary1
	evMove0
	evMove1
	evLoaded // summed over threads

	evVsThreads
	evPsThreads
	evCsThreads

	// Groups of 2x2 pixels, samples or texels.
	evRaster
	evHizFail
	evEarlyFail
	evKilled
	evPostFail
	evWritten
	evBlended
	evTexels
	evTexelMiss

	// Messages of 64 bytes.
	evTexLines
	evSlmRead
	evSlmWrite
	evAccess
	evAccessMiss
	evAtomic
	evBarrier
	evUntypedRead
	evUntypedWrite
	evTypedRead
	evTypedWrite
	evL3Access
	evCsRead
	evVfRead
	evRccRead
	evMscRead
	evHizRead
	evStcRead
	evRczRead
	evL3Read
	evRccWrite
	evMscWrite
	evHizWrite
	evStcWrite
	evRczWrite
	evL3Write
	// Sums of these.
	evDepth
	evColor
	evL3Miss
	evRead
	evWrite
	evRing

	// Clocks.
	evSamplerBusy
	evSamplerBottleneck
	evSamplerInput
	evSamplerOutput
	evVfBottleneck
	evVsBottleneck
	evClBottleneck
	evSfBottleneck
	evHizBottleneck
	evEarlyBottleneck
	evBcBottleneck
	evClStall
	evSfStall
	evPolyReady
	evRasterInput
	evRasterOutput
	evPixelData
	evPsOutput
	evPixelValues
	evPortAsked // clocks with a request of the data port to the L3, and those in which it was taken
	evPortTaken
	evPortStalled
	evBankActive
	evBankStalled
	evBankInput
	evQueueFull // of requests to memory
	evPsReady
	evNonPsReady
	evHeader
	evVideoRing
	evBlitRing
	evAnyRing

	numEvents
)
