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

	internedGPU = 47 // InternedData.gpu_counter_descriptors

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

	clockRealtime = 1
	clockBoottime = 6
	firstOwnClock = 64 // clocks from here on belong to one sequence

	forwardsLooking = 2
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
