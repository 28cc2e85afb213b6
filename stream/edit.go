package stream

// Editing has records of Output replaced.
type Editing struct {
	// Edit is asked what is to be written to Output in the place of a record that is unseen, in the
	// form that it leaves in. It appends that to dst, with the terminator of the record; changed is
	// false if the record stays as it is, and what is changed to nothing is left out. It does not
	// go with Annotate. It may be nil.
	Edit func(dst []byte, r Editable) (edited []byte, changed bool, err error)
	// EditedOnly leaves the records out of Output that Edit is not asked about; what it returns
	// need be no records.
	EditedOnly bool
}
