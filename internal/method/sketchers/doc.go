// Package sketchers makes the sketchers of the methods: those of texts as a rule says (New), taken
// out of markup first (markup.go), with packed sets beside (packing.go), and confined to records
// that have a value in common (within.go). textmeasure.go measures texts that are not compared.
package sketchers
