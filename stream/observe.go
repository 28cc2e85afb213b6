package stream

// An observe is the link that passes records, with what happened to them, to sinks.
type observe struct {
	passive
	sinks   []Sink
	fields  int // number of fields whose values sinks receive
	gate    *gate
	decided Decided // about the record that passes
}

func newObserve(p plan) link {
	if len(p.Sinks) == 0 {
		return nil
	}
	return &observe{sinks: p.Sinks, fields: len(p.Fields), gate: p.gate}
}

// process passes a judged record to all sinks when its first piece arrives.
func (o *observe) process(r *passing) error {
	if !r.decision.Fate.isJudged() || !r.isFirst() {
		return nil
	}
	r.describe(&o.decided, o.fields)
	for _, s := range o.sinks {
		if err := s.Observe(&o.decided); err != nil {
			return asWriteError(err)
		}
	}
	return nil
}

// flush flushes all sinks, before the records that they observed are written.
func (o *observe) flush() error {
	if o.gate.closed {
		return nil
	}
	for _, s := range o.sinks {
		if err := s.Flush(); err != nil {
			return asWriteError(err)
		}
	}
	return nil
}
