package config

// A Command is what the user asked for: a pointer to one of the types below. It does not change
// after it is returned.
type Command interface {
	// Reads says how the command reads records from files. It returns nil if it reads none.
	Reads() *Filter
}

func (c *Audit) Reads() *Filter       { return &c.Filter }
func (c *Apply) Reads() *Filter       { return &c.Filter }
func (c *Eval) Reads() *Filter        { return &c.Filter }
func (c *Groups) Reads() *Filter      { return &c.Filter }
func (c *IDF) Reads() *Filter         { return &c.Filter }
func (c *Near) Reads() *Filter        { return &c.Filter }
func (c *Templates) Reads() *Filter   { return &c.Filter }
func (c *Pairs) Reads() *Filter       { return &c.Filter }
func (c *Sign) Reads() *Filter        { return &c.Filter }
func (c *Substr) Reads() *Filter      { return &c.Filter }
func (f *Filter) Reads() *Filter      { return f }
func (c *Boilerplate) Reads() *Filter { return &c.Filter }
func (p *Plan) Reads() *Filter {
	if len(p.Sample) == 0 {
		return nil
	}
	return &p.Filtering
}
func (*Version) Reads() *Filter { return nil }
func (*Judge) Reads() *Filter   { return nil }
func (*Kafka) Reads() *Filter   { return nil }
func (*Inspect) Reads() *Filter { return nil }
func (*Verify) Reads() *Filter  { return nil }
func (*Compact) Reads() *Filter { return nil }
func (*Delete) Reads() *Filter  { return nil }
func (*Undo) Reads() *Filter    { return nil }
func (*Merge) Reads() *Filter   { return nil }
func (*Unlock) Reads() *Filter  { return nil }
func (*Settle) Reads() *Filter  { return nil }
