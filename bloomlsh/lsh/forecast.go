package lsh

// A Forecast is what is expected of a rule among the records of a profile, with filters that do not
// err. All are shares between 0 and 1.
type Forecast struct {
	Similar   float64 // records with an earlier one at the threshold or above
	Precision float64 // of the removed records, those that are similar
	Recall    float64 // of the similar records, those that are removed
	Different float64 // of the other records, those that are removed: similar in part, but different
}

// Forecast returns what is expected of the rule at a threshold.
func (b Banding) Forecast(threshold float64, p Profile) Forecast {
	f := b.forecasts(threshold, p.meetings(), p)[b.Votes]
	share := func(part, all float64) float64 {
		if all == 0 {
			return 0
		}
		return part / all
	}
	similar := f.removed + f.missed
	return Forecast{
		Similar: similar, Precision: share(f.removed, f.removed+f.removedBelow), Recall: share(f.removed, similar),
		Different: share(f.removedBelow, 1-similar),
	}
}
