package main

// Offsets and sizes of rocprofiler-sdk's structs, in bytes, as the compiler lays them out on 64-bit Linux.
const (
	recordSize     = 40
	recordID       = 0
	recordValue    = 8
	infoV0Size     = 48
	infoV0ID       = 0
	infoV0Name     = 8
	infoV0Doc      = 16
	infoV0Block    = 24
	infoV0Expr     = 32
	infoV1Size     = 88
	infoV1SizeAt   = 0
	infoV1ID       = 8
	infoV1Name     = 16
	infoV1Doc      = 24
	infoV1Block    = 32
	infoV1Expr     = 40
	dimensionSize  = 24
	dimensionName  = 0
	dimensionCount = 8
	dimensionID    = 16
	clientSize     = 24
	clientNameAt   = 8
	configureSize  = 32
	configureInit  = 8
	configureFini  = 16
	configureData  = 24
	agentSize      = 312
	agentSizeAt    = 0
	agentID        = 8
	agentType      = 16
	agentSIMDs     = 24
	agentWavesSIMD = 48
	agentLDS       = 52
	agentWaveSize  = 64
	agentXCCs      = 68
	agentCUs       = 72
	agentEngines   = 80
	agentArraysSE  = 84
	agentSIMDsCU   = 92
	agentTarget    = 100
	agentVendor    = 104
	agentDevice    = 106
	agentMinor     = 116
	agentClock     = 140
	agentWavesCU   = 160
	agentName      = 248
	agentProduct   = 264
	agentModel     = 272
	agentNode      = 280
	agentLogical   = 284
	// agentKnown is the end of the last field that is read: the struct of rocprofiler-sdk 0.5 ends soon after it.
	agentKnown = 288

	agentTypeGPU = 2

	infoVersion0 = 1
	infoVersion1 = 2
	agentVersion = 1
)
