// Package sa builds suffix arrays and finds what a text repeats verbatim. It is the reference that
// package sa/substr is tested against, which finds the same passages by windows, in a third of the
// time and in bounded memory, and which the program uses.
//
// A suffix array is the list of a text's suffixes in lexicographic order, each named by where it
// begins. Suffixes that share a prefix stand next to each other in it, so every repeated passage of
// a text is a run of neighbours whose longest common prefix (LCP) is long.
//
//	text ─ Sort ─> suffix array ─ LCP ─> common prefixes ─ Repeats ─> passages
//
// Everything runs in time linear in the text. Memory, in bytes for each byte of text, the text
// itself not counted; indexes are int32 for texts of up to 2 GiB and int64 above:
//
//	           int32    int64
//	Sort       4.3      8.6      the array, and tables: 0.3 for prose, 8 (16) at the very most
//	LCP        8        16       with what is returned, without the suffix array
//	Repeats    8.3      16.3     all of it
//
// The functions share nothing and may run concurrently on different arrays.
package sa
