package config

// A Command is what the user asked for: a pointer to one of the types below. It does not change any
// more.
type Command interface{ isCommand() }

func (*Filter) isCommand()    {}
func (*Audit) isCommand()     {}
func (*Swap) isCommand()      {}
func (*Eval) isCommand()      {}
func (*Groups) isCommand()    {}
func (*IDF) isCommand()       {}
func (*Near) isCommand()      {}
func (*Templates) isCommand() {}
func (*Pairs) isCommand()     {}
func (*Sign) isCommand()      {}
func (*Judge) isCommand()     {}
func (*Kafka) isCommand()     {}
func (*Substr) isCommand()    {}
func (*Plan) isCommand()      {}
func (*Inspect) isCommand()   {}
func (*Verify) isCommand()    {}
func (*Compact) isCommand()   {}
func (*Delete) isCommand()    {}
func (*Undo) isCommand()      {}
func (*Merge) isCommand()     {}
func (*Unlock) isCommand()    {}
func (*Settle) isCommand()    {}
