package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// Field numbers of the published schema, by message.
const (
	tracePacket = 1 // Trace.packet

	packetClockSnapshot   = 6
	packetTimestamp       = 8
	packetSequenceID      = 10 // trusted_packet_sequence_id
	packetTrackEvent      = 11
	packetInternedData    = 12
	packetSequenceFlags   = 13
	packetCompressed      = 50
	packetGPUCounterEvent = 52
	packetClockID         = 58
	packetDefaults        = 59
	packetTrackDescriptor = 60
	packetPreviousDropped = 42
	packetFirst           = 87 // first_packet_on_sequence
	packetZstd            = 133
	packetFtrace          = 1
	packetProcessTree     = 2
	packetSysStats        = 7
	packetBattery         = 38
	packetPowerRails      = 40
	packetStateCleared    = 41 // incremental_state_cleared
	packetRenderStage     = 53
	packetGPUMemTotal     = 71
	packetMachine         = 98
	packetRemoteClocks    = 107
	packetCPUFrequency    = 118 // generic_kernel_cpu_freq_event
	packetGPUInfo         = 128
	packetGPUFrequency    = 129 // generic_gpu_frequency_event

	defaultsTrackEvent = 11 // TracePacketDefaults
	defaultsClockID    = 58

	trackUUID        = 1 // TrackDescriptor
	trackName        = 2
	trackProcess     = 3
	trackThread      = 4
	trackParent      = 5
	trackCounter     = 8
	trackStaticName  = 10
	trackOrdering    = 11 // child_ordering
	trackRank        = 12 // sibling_order_rank
	trackAtraceName  = 13
	trackDescription = 14

	counterCategories  = 2 // CounterDescriptor
	counterUnit        = 3
	counterMultiplier  = 4
	counterIncremental = 5
	counterUnitName    = 6
	counterShareKey    = 7 // y_axis_share_key

	eventAnnotations = 4 // TrackEvent
	eventType        = 9
	eventTrack       = 11
	eventExtraValues = 12
	eventCategories  = 22
	eventName        = 23
	eventCounter     = 30
	eventExtraTracks = 31
	eventDouble      = 44
	eventExtraDTrack = 45
	eventExtraDouble = 46

	annotationUint   = 3 // DebugAnnotation
	annotationString = 6
	annotationName   = 10

	snapshotClocks  = 1 // ClockSnapshot
	snapshotPrimary = 2

	clockID          = 1 // ClockSnapshot.Clock
	clockTimestamp   = 2
	clockIncremental = 3
	clockMultiplier  = 4

	gpuDescriptor    = 1 // GpuCounterEvent
	gpuCounters      = 2
	gpuID            = 3
	gpuDescriptorIID = 4

	gpuCounterID     = 1 // GpuCounterEvent.GpuCounter
	gpuCounterInt    = 2
	gpuCounterDouble = 3

	descriptorSpecs  = 1 // GpuCounterDescriptor
	descriptorBlocks = 2
	descriptorGroups = 6

	specID          = 1 // GpuCounterDescriptor.GpuCounterSpec
	specName        = 2
	specDescription = 3
	specNumerator   = 7
	specDenominator = 8
	specGroups      = 10
	specDirection   = 11

	blockName     = 3 // GpuCounterDescriptor.GpuCounterBlock
	blockCounters = 5
	groupName     = 2 // GpuCounterDescriptor.GpuCounterGroupSpec
	groupCounters = 4

	internedGPU    = 47 // InternedData.gpu_counter_descriptors
	internedEvent  = 2  // event_names
	internedSpec   = 24 // gpu_specifications
	internedKernel = 1000

	internedNameText = 2 // EventName, InternedGpuRenderStageSpecification, InternedComputeKernel
	internedPlain    = 3 // InternedComputeKernel.demangled_name

	treeProcesses  = 1 // ProcessTree
	processPID     = 1 // ProcessTree.Process
	processCommand = 3

	infoGPUs   = 1 // GpuInfo
	infoName   = 1 // GpuInfo.Gpu
	infoVendor = 2
	infoModel  = 3
	infoExtra  = 6
	infoBus    = 7
	extraKey   = 1
	extraValue = 2

	bundleEvents = 2 // FtraceEventBundle
	bundleLost   = 3
	bundleClock  = 5
	bundleStamp  = 6
	bundleBoot   = 7

	ftraceStamp         = 1 // FtraceEvent
	ftracePrint         = 3
	ftraceCPUFrequency  = 11
	ftraceClockRate     = 16
	ftraceGPUFrequency  = 332
	ftraceSDEMark       = 333
	ftraceGPUMemory     = 340
	ftraceThermal       = 341
	ftraceDPUMark       = 348
	ftraceG2DMark       = 349
	ftraceMaliMark      = 350
	ftraceSamsungMark   = 484
	ftraceGPUWork       = 488
	ftraceKGSLFrequency = 509

	printText = 2 // PrintFtraceEvent.buf

	statsCPUTimes     = 3 // SysStats
	statsMemory       = 1
	statsDevices      = 10
	statsCPUFrequency = 11
	statsPressure     = 14
	statsThermal      = 15
	statsCPUIdle      = 16
	statsGPUFrequency = 17
	idleEntries       = 2 // SysStats.CpuIdleState

	railDescriptors = 1 // PowerRails
	railEnergy      = 2
	railSession     = 3
	energyStamp     = 2 // PowerRails.EnergyData, in ms of BOOTTIME

	batteryName = 5 // BatteryCounters

	stageEvent          = 1 // GpuRenderStageEvent
	stageDuration       = 2
	stageQueue          = 3
	stageNumber         = 4
	stageSpecifications = 7
	stageGPU            = 11
	stageQueueIID       = 13
	stageIID            = 14
	stageName           = 17
	stageKernel         = 19
	stageNameIID        = 20

	specificationQueues = 2 // GpuRenderStageEvent.Specifications
	specificationStages = 3

	remoteSynced = 1 // RemoteClockSync
	remoteClient = 2 // RemoteClockSync.SyncedClocks
	remoteHost   = 3

	internedIID        = 1 // InternedGpuCounterDescriptor
	internedDescriptor = 2
	internedGPUID      = 3
)

// Values of the schema's enumerations.
const (
	typeSliceBegin = 1
	typeSliceEnd   = 2
	typeInstant    = 3
	typeCounter    = 4

	unitTimeNS = 1
	unitCount  = 2
	unitBytes  = 3

	orderExplicit = 3

	stateCleared = 1

	clockRealtime     = 1
	clockMonotonicRaw = 5
	clockBoottime     = 6
	firstOwnClock     = 64 // clocks from here on belong to one sequence

	forwardsLooking = 2

	ftraceClockBoot   = 0 // FtraceClock: unspecified, which is BOOTTIME
	ftraceClockGlobal = 2
	ftraceClockLocal  = 3
	ftraceClockRaw    = 4
)

// Categories by which this package knows its own tracks and slices again.
const (
	categoryOurs   = "astrolabe"
	categoryRegion = "astrolabe.region"
	categoryGap    = "astrolabe.gap"
	categoryLate   = "astrolabe.late"
	categoryLabel  = "astrolabe.label"
	categoryStart  = "astrolabe.sample_start" // of a sample without any value
	categoryEnd    = "astrolabe.sample_end"   // of one that ends before the next begins
	categoryAbout  = "astrolabe.capture"      // what is known of the whole capture
	categoryZero   = "astrolabe.zero"         // time 0, where it is not that of the trace
)

// message builds a protobuf message.
type message []byte

func (m *message) uint(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) double(field protowire.Number, bits uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), bits)
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), s)
}

func (m *message) message(field protowire.Number, v message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}
