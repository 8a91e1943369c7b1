package intel

import "strings"

// tables are the metric sets of igt-gpu-tools (MIT, Intel Corporation) by platform: which counters, added up, an equation
// reads, and the equation's symbol. "usual" stands for the three of the EUs that most sets of Tiger Lake have alike. The
// counters A0 to A6 and A21 to A35 count the same in all. Set TestOa, which counts nothing of a program, is left out.
var tables = map[string]string{
	"acm1/RenderBasic": "A7=XveActive A8=XveStall A9=XveThreadOccupancy A10=XveFpuEmActive A11=VsFpuActive A12=VsEmActive " +
		"A13=VsSendActive A14=PsFpuActive A15=PsEmActive A16=PsSendActive A36=GtiReadThroughput " +
		"C6+C7=GtiWriteThroughput C5=Sampler20Busy C4=Sampler20Bottleneck",
	"acm3/RenderBasic": "A7=XveActive A8=XveStall A9=XveThreadOccupancy A10=XveFpuEmActive A11=VsFpuActive A12=VsEmActive " +
		"A13=VsSendActive A14=PsFpuActive A15=PsEmActive A16=PsSendActive A36=GtiReadThroughput " +
		"A37=GtiWriteThroughput B7=Sampler00Busy B6=Sampler00Bottleneck",
	"tgl/ComputeBasic": "usual C7+C6+C5+C4=GtiReadThroughput C3+C2=GtiWriteThroughput",
	"tgl/EuActivity1": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=VsFpuActive A11+A12+A13+A14=PsFpuActive " +
		"A15+A16+A17+A18=EuSendActive",
	"tgl/EuActivity2": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A15+A16+A17+A18=CsEmActive A11+A12+A13+A14=CsFpuActive " +
		"A7+A8+A9+A10=CsSendActive",
	"tgl/EuActivity3": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=VsEmActive A11+A12+A13+A14=PsEmActive " +
		"A15+A16+A17+A18=PsSendActive",
	"tgl/EuActivity4": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=HsFpuActive A11+A12+A13+A14=DsFpuActive " +
		"A15+A16+A17+A18=VsSendActive",
	"tgl/EuActivity5": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=HsEmActive A11+A12+A13+A14=DsEmActive " +
		"A15+A16+A17+A18=HsSendActive",
	"tgl/EuActivity6": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=GsFpuActive A11+A12+A13+A14=GsEmActive " +
		"A15+A16+A17+A18=GsSendActive",
	"tgl/EuActivity7": "A11+A12+A13+A14=FpuActive A15+A16+A17+A18=EmActive A7+A8+A9+A10=EuFpuEmActive C1=RenderBusy " +
		"C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput C3+C2=GtiWriteThroughput",
	"tgl/EuActivity8": "C1=RenderBusy C0=ComputeBusy B0=RenderAndComputeBusy C7+C6+C5+C4=GtiReadThroughput " +
		"C3+C2=GtiWriteThroughput A7+A8+A9+A10=DsSendActive",
	"tgl/GpuBusyness": "usual C4=BlitterBusy C6=RenderBusy C3=ComputeBusy C5=PoshEngineBusy C7=VeboxBusy C1=Vdbox0Busy " +
		"C2=Vdbox1Busy B0=RenderAndComputeBusy B1=AnyEngineBusy",
	"tgl/HDCAndSF": "usual B2=NonSamplerShader00AccessStalledOnL3 B3=NonSamplerShader01AccessStalledOnL3 " +
		"B4=NonSamplerShader02AccessStalledOnL3 B5=NonSamplerShader03AccessStalledOnL3 " +
		"B1=NonSamplerShader04AccessStalledOnL3 B0=NonSamplerShader05AccessStalledOnL3 B6=PolyDataReady",
	"tgl/L3_1": "usual C7+C6+C5+C4=L30Bank0InputAvailable C3+C2+C1+C0=L30Bank1InputAvailable " +
		"B3+B2+B1+B0=L30Bank4InputAvailable B7+B6+B5+B4=L30Bank5InputAvailable",
	"tgl/L3_2": "usual B3+B2+B1+B0=L30Bank2InputAvailable B7+B6+B5+B4=L30Bank3InputAvailable " +
		"C3+C2+C1+C0=L30Bank6InputAvailable C7+C6+C5+C4=L30Bank7InputAvailable",
	"tgl/L3_3": "usual C7+C6=L30Bank0OutputReady C5+C4=L30Bank4OutputReady",
	"tgl/L3_4": "usual C5+C4=L30Bank1OutputReady C7+C6=L30Bank5OutputReady",
	"tgl/L3_5": "usual C5+C4=L30Bank2OutputReady C7+C6=L30Bank6OutputReady",
	"tgl/L3_6": "usual C5+C4=L30Bank3OutputReady C7+C6=L30Bank7OutputReady",
	"tgl/RasterizerAndPixelBackend": "usual B0=Rasterizer0InputAvailable B1=PixelData00Ready C4=GTRequestQueue00Full " +
		"C3=Rasterizer0OutputReady C2=PSOutput00Available C1=PSOutput01Available C0=PSOutput02Available " +
		"B7=PixelValues00Ready B6=PixelValues01Ready B5=PixelValues02Ready C5=GTRequestQueue01Full " +
		"C6=GTRequestQueue10Full C7=GTRequestQueue11Full",
	"tgl/RenderBasic": "usual B0=Sampler00Busy B1=Sampler00Bottleneck C5+C4+C3+C2=GtiReadThroughput " +
		"C1+C0=GtiWriteThroughput",
	"tgl/RenderPipeProfile": "usual B3=HiDepthBottleneck C7=VfBottleneck C6=VsBottleneck B1=ClStall B5=HsBottleneck " +
		"C5=DsBottleneck B4=GsBottleneck C4=SoBottleneck C3=ClBottleneck C2=SfBottleneck C1=BcBottleneck " +
		"B2=HsStall C0=DsStall B7=SoStall B6=SfStall",
	"tgl/Sampler_1": "usual B5=Sampler00InputAvailable B4=Sampler01InputAvailable B3=Sampler02InputAvailable " +
		"B2=Sampler03InputAvailable B1=Sampler04InputAvailable B0=Sampler05InputAvailable",
	"tgl/Sampler_2": "usual B5=Sampler00OutputReady B4=Sampler01OutputReady B3=Sampler02OutputReady " +
		"B2=Sampler03OutputReady B1=Sampler04OutputReady B0=Sampler05OutputReady",
	"tgl/TDL_1": "usual B5=NonPSThread00ReadyForDispatch B4=NonPSThread01ReadyForDispatch " +
		"B3=NonPSThread02ReadyForDispatch B2=NonPSThread03ReadyForDispatch " +
		"B1=NonPSThread04ReadyForDispatch B0=NonPSThread05ReadyForDispatch C0=ThreadHeader00ReadyPort0 " +
		"C1=ThreadHeader00ReadyPort1 C2=ThreadHeader00ReadyPort2 C3=ThreadHeader00ReadyPort3 " +
		"C4=ThreadHeader01ReadyPort0 C5=ThreadHeader01ReadyPort1 C6=ThreadHeader01ReadyPort2 " +
		"C7=ThreadHeader01ReadyPort3 B6=ThreadHeader00Ready B7=ThreadHeader01Ready",
	"tgl/TDL_2": "usual B5=PSThread00ReadyForDispatch B4=PSThread01ReadyForDispatch B3=PSThread02ReadyForDispatch " +
		"B2=PSThread03ReadyForDispatch B1=PSThread04ReadyForDispatch B0=PSThread05ReadyForDispatch " +
		"B6=ThreadHeader05Ready C4=ThreadHeader05ReadyPort0 C5=ThreadHeader05ReadyPort1 " +
		"C6=ThreadHeader05ReadyPort2 C7=ThreadHeader05ReadyPort3",
	"tgl/TDL_3": "usual B0=ThreadHeader02Ready B1=ThreadHeader03Ready B2=ThreadHeader04Ready " +
		"C7=ThreadHeader02ReadyPort0 C6=ThreadHeader02ReadyPort1 C5=ThreadHeader02ReadyPort2 " +
		"C4=ThreadHeader02ReadyPort3 C3=ThreadHeader03ReadyPort0 C2=ThreadHeader03ReadyPort1 " +
		"C1=ThreadHeader03ReadyPort2 C0=ThreadHeader03ReadyPort3 B7=ThreadHeader04ReadyPort0 " +
		"B6=ThreadHeader04ReadyPort1 B5=ThreadHeader04ReadyPort2 B4=ThreadHeader04ReadyPort3",
}

const usual = "A7+A8+A9+A10=EuActive A11+A12+A13+A14=EuStall A15+A16+A17+A18=EuThreadOccupancy"

// routed is a set's counters with what they count together.
type routed struct {
	counters []string
	symbol   string
}

func routes(table string) (out []routed) {
	for _, word := range strings.Fields(strings.Replace(table, "usual", usual, 1)) {
		counters, symbol, _ := strings.Cut(word, "=")
		out = append(out, routed{strings.Split(counters, "+"), symbol})
	}
	return out
}

// fixed are the counters that count the same in every set.
var fixed = []struct {
	name  string
	tally int
}{
	{"A0", tBusy}, {"A1", tThreads + vs}, {"A2", tThreads + hs}, {"A3", tThreads + ds}, {"A4", tThreads + cs},
	{"A5", tThreads + gs}, {"A6", tThreads + ps}, {"A21", tQuads}, {"A22", tHZ}, {"A23", tEZ}, {"A24", tKilled},
	{"A25", tLate}, {"A26", tWritten}, {"A27", tBlended}, {"A28", tTexels}, {"A29", tMissed}, {"A30", tSlmRead},
	{"A31", tSlmWrite}, {"A32", tAccesses}, {"A33", tAccessMisses}, {"A34", tAtomics}, {"A35", tBarriers},
}

// symbols are what the routed counters count. Instances of a kind share a tally: see tallyOf.
var symbols = map[string]int{
	"EuActive": tActive, "XveActive": tActive, "EuStall": tStall, "XveStall": tStall,
	"EuThreadOccupancy": tSlots, "XveThreadOccupancy": tSlots, "XveFpuEmActive": tBoth, "EuFpuEmActive": tBoth,
	"FpuActive": tAllFpu, "EmActive": tAllEm, "EuSendActive": tAllSend,
	"VsFpuActive": tFpu + vs, "HsFpuActive": tFpu + hs, "DsFpuActive": tFpu + ds, "GsFpuActive": tFpu + gs,
	"PsFpuActive": tFpu + ps, "CsFpuActive": tFpu + cs, "VsEmActive": tEm + vs, "HsEmActive": tEm + hs, "DsEmActive": tEm + ds,
	"GsEmActive": tEm + gs, "PsEmActive": tEm + ps, "CsEmActive": tEm + cs, "VsSendActive": tSend + vs,
	"HsSendActive": tSend + hs, "DsSendActive": tSend + ds, "GsSendActive": tSend + gs, "PsSendActive": tSend + ps,
	"CsSendActive": tSend + cs, "GtiReadThroughput": tRead, "GtiWriteThroughput": tWrite,
	"Sampler#Busy": tSmpBusy, "Sampler#Bottleneck": tSmpFull, "Sampler#InputAvailable": tSmpIn, "Sampler#OutputReady": tSmpOut,
	"VfBottleneck": tVF, "VsBottleneck": tVS, "HsBottleneck": tHS, "DsBottleneck": tDS, "GsBottleneck": tGS,
	"SoBottleneck": tNone, "ClBottleneck": tCL, "SfBottleneck": tSF, "BcBottleneck": tBC, "HiDepthBottleneck": tHiZ,
	"HsStall": tHSStall, "DsStall": tDSStall, "SoStall": tNone, "SfStall": tSFStall, "ClStall": tCLStall,
	"Rasterizer0InputAvailable": tRasIn, "Rasterizer0OutputReady": tRasOut, "PolyDataReady": tPoly, "PixelData#Ready": tPixelData,
	"PSOutput#Available": tPSOut, "PixelValues#Ready": tPixelValues, "GTRequestQueue#Full": tGTQueue,
	"NonSamplerShader#AccessStalledOnL3": tHdcStall, "L30Bank#InputAvailable": tL3In, "L30Bank#OutputReady": tL3Out,
	"NonPSThread#ReadyForDispatch": tNonPSReady, "PSThread#ReadyForDispatch": tPSReady, "ThreadHeader#Ready": tHeader,
	"ThreadHeader#ReadyPort#": tPort, "RenderBusy": tRender, "ComputeBusy": tCompute, "BlitterBusy": tBlitter,
	"PoshEngineBusy": tNone, "VeboxBusy": tVebox, "Vdbox0Busy": tVdbox, "Vdbox1Busy": tNone, "RenderAndComputeBusy": tTwo,
	"AnyEngineBusy": tAny,
}

// tallyOf is the tally of a symbol and the number of the instance that it names, 0 of none.
func tallyOf(symbol string) (tally, instance int, ok bool) {
	if t, ok := symbols[symbol]; ok {
		return t, 0, true
	}
	pattern := ""
	for i := 0; i < len(symbol); i++ {
		c := symbol[i]
		if c < '0' || c > '9' || symbol[i-1] == 'L' || strings.HasPrefix(symbol, "L30") && i == 2 {
			pattern += string(c)
			continue
		}
		instance = int(c - '0')
		if !strings.HasSuffix(pattern, "#") {
			pattern += "#"
		}
	}
	t, ok := symbols[pattern]
	return t, instance, ok
}
