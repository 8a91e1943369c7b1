package cpu

import (
	"testing"

	"astrolabe/capture/simulate/simulatetest"
)

func TestPlantsLimit(t *testing.T) {
	simulatetest.Make(New).PlantsLimit(t, Names[0], simulatetest.Number(t, 110, 22))
}

func TestKinds(t *testing.T) {
	simulatetest.Make(New).KindsHold(t, Names[0], Kinds(Names[0]), simulatetest.Number(t, 12, 4))
}
