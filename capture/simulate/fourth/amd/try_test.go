package amd
import ("testing";"fmt";"astrolabe/capture/simulate";"astrolabe/capture/simulate/simulatetest";"time";"os";"strconv")
func TestTry(t *testing.T){
 n := 40
 if v,_ := strconv.Atoi(os.Getenv("N")); v>0 {n=v}
 for _, name := range Names {
 if os.Getenv("F")!="" && os.Getenv("F")!=name {continue}
 for _, kind := range Kinds(name) {
  lim := map[string]int{}; clear, plantok := 0,0
  t0 := time.Now(); samples := 0
  gpu := map[string]int{}
  for seed := range uint64(n) {
   c,_ := New(name,kind,seed)
   tr := simulatetest.Judged(t,c)
   r := simulatetest.Recorded(t,c,simulate.Options{})
   samples += r.Len()
   l, ok := tr.Limiter()
   for _, p := range tr.Phases { if l,ok := p.Limiter(); ok {gpu[l.String()]++} }
   if ok {clear++; lim[l.String()]++}
   if c.Plant != "" && ok && l.String()==c.Plant {plantok++} else if c.Plant != "" { fmt.Println("  miss", seed, c.Plant, c.Text, ok, tr.Leaves[:3], tr.Held, tr.Healthy) }
   if name == liveName && tr.GPUBusy > 1 { fmt.Println("busy", tr.GPUBusy) }
   if kind=="healthy" && !tr.Healthy { fmt.Println("  unhealthy", seed, c.Text, tr.Leaves[:3], tr.Missed, tr.GPUBusy) }
   if kind=="healthy" && os.Getenv("V")!="" { fmt.Println("  ", seed, c.Text, tr.Leaves[:2], tr.Missed, tr.GPUBusy) }
  }
  fmt.Println(name, kind, "clear", clear, "plants", plantok, "of", n, lim, "phases", gpu, "time per", time.Since(t0)/time.Duration(n), "samples", samples/n)
 }}
}
