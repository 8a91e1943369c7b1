package mali

// What happens in the GPU, in counts.
const (
	evTri = iota
	evLine
	evPoint
	evFace
	evPlane
	evSample
	evScissor
	evVisible
	evDVS
	evTilerRd
	evPosTask
	evVarTask
	evPosHit
	evPosMiss
	evVarHit
	evVarMiss
	evLoadPrim
	evRastPrim
	evQuad
	evPartQuad
	evCoarse
	evEZSTest
	evEZSUpdate
	evEZSKill
	evLZSTest
	evLZSKill
	evOpaque
	evTile
	evTileKill
	evFragWarp
	evFragThread
	evFragTask
	evBlendCy
	evOtherWarp
	evNonFragTask
	evCompTask
	evRegs
	evFull
	evFMA
	evCVT
	evSFU
	evNarrow
	evDiverged
	evICacheMiss
	evBlendCall
	evTexMsg
	evTexSingle
	evTexFilt
	evTexIn
	evTexOut
	evTexIndex
	evTexLook
	evTexSimple
	evTexComplex
	evTexL1Load
	evTexL1Out
	evTexL1Look
	evTexBi
	evTexTri
	evLSFullRd
	evLSPartRd
	evLSFullWr
	evLSPartWr
	evLSAtomic
	evVarInstr
	evV32
	evV16
	evAttr
	evFFEL2
	evFFEExt
	evLSL2
	evLSExt
	evTexL2
	evTexExt
	evOther
	evLSOtherWr
	evTileWr
	evLSWB
	evRay
	evBox
	evTriTest
	evBoxCy
	evTriCy
	evRdLine
	evWrLine
	evRdBytes
	evWrBytes
	events
)

var texEvents = []int{evTexMsg, evTexSingle, evTexFilt, evTexIn, evTexOut, evTexIndex, evTexLook, evTexSimple, evTexComplex, evTexL1Load,
	evTexL1Out, evTexL1Look, evTexBi, evTexTri}

var rayEvents = []int{evRay, evBox, evTriTest, evBoxCy, evTriCy}
