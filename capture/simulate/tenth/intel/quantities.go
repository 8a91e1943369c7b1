package intel

// Quantities that hardware counts, per chunk of a pass.
const (
	qVert = iota
	qPrimIn
	qPrimCull
	qPrimClip
	qPrimOut
	qStripObj
	qStripCull
	qSamples
	qHZPass
	qHZAmbig
	qHZFail
	qEZFail
	qLitEarly
	qLitLate
	qKill
	qAlpha
	qWrite
	qBlend
	qPostFail
	qGroups
	qGroupsAsync
	qThreads
	qThreadsAsync
	qALU0VS
	qALU0PS
	qALU0CS
	qALU1VS
	qALU1PS
	qALU1CS
	qALU2
	qSend
	qMath
	qCtrl
	qBarrier
	qTex
	qTexAcc
	qTexMiss
	qTexBusy
	qLSC
	qLSCHit
	qLSCReadB
	qLSCWriteB
	qLSCReadMsg
	qLSCWriteMsg
	qLSCAtomic
	qSLMAcc
	qSLMReadB
	qSLMWriteB
	qSLMConflict
	qRays
	qSteps
	qQuads
	qBVHMiss
	qL3Tex
	qL3TexHit
	qL3LSCRead
	qL3LSCWrite
	qL3LSCHit
	qL3Color
	qL3ColorHit
	qL3Z
	qL3ZHit
	qL3IC
	qL3Atomic
	qL3Read
	qL3Write
	qL3Hit
	qL3Miss
	qMemRead  // bytes
	qMemWrite // bytes
	qICHit
	qICMiss
	qURBRead
	qURBWrite
	qTLB
	qCompIn
	qCompOut
	qKernels
	qKernelsAsync
	qDraws
	qFlush
	qCopyRead
	qCopyWrite
	qSysRead
	qSysWrite
	// Times in which units worked, in clocks and added over the units of a kind.
	qBusy
	nQuantity = qBusy + nStation
)
