// Package boilerplate finds the lines, or blocks of lines, that many pages of one site have in
// common, such as menus, notices and footers, and says what to cut to remove them.
//
// It takes two passes. In the first a Sketcher makes a sketch of each page: a hash of its site, and
// the hashes of its different parts. A Counter counts, exactly and in bounded memory, how many
// pages of a site have each part. In the second a Spotter finds the pages that have one of the
// parts in the Table that was counted, and a Cutter says where.
//
// # Parts
//
// A part is a line, or a block of lines between blank ones. Two parts are equal if they have the
// same bytes, apart from white space around them. A part without a letter or a digit, such as }, is
// never counted: it would be on most pages of source code. It goes with what is cut on both sides
// of it, as blank lines do.
//
// Hashes are XXH3-64. Two different lines of a site with n lines are taken for one with a
// probability of n*n/2^65: 3e-8 for a million lines.
package boilerplate
