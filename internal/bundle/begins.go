package bundle

import "bytes"

// HeadBytes is the number of bytes that identify a file.
const HeadBytes = tarBlock

// others are files that contain other files or tables in formats that are not supported, or that
// name other files. Records never begin like these.
var others = []struct{ magic, what, todo string }{
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", "extract it, and name the directory"},
	{"Rar!\x1a\x07", "a RAR archive", "extract it, and name the directory"},
	{"!<arch>\n", "an ar archive", "extract it, and name the directory"},
	{"Obj\x01", "an Avro file", "convert it to Parquet or JSON Lines"},
	{"SQLite format 3\x00", "an SQLite database", "select its rows as JSON Lines"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", "convert it to Parquet or JSON Lines"},
	{"\x04\x22\x4d\x18", "an lz4 stream", "pipe it through lz4 -dc"},
	{"\xff\x06\x00\x00sNaPpY", "a snappy stream", "decompress it first"},
	{"LZIP\x01", "an lzip stream", "pipe it through lzip -dc"},
	{"version https://git-lfs.github.com/spec/", "a git-lfs pointer", "get the file itself with git lfs pull"},
	// A stream is decompressed before it is looked at here.
	{"\x1f\x8b\x08", "compressed twice, the second time by gzip", "decompress it once more, as with zcat"},
	{"\x28\xb5\x2f\xfd", "compressed twice, the second time by zstd", "decompress it once more, as with zstdcat"},
	{"\xfd7zXZ\x00", "compressed twice, the second time by xz", "decompress it once more, as with xzcat"},
}

// Describe describes a file that begins with head, with an article, if it is a container of
// records and not records itself; else it returns "". HeadBytes suffice.
func Describe(head []byte) string { what, _ := describe(head); return what }

// Advice says what to do with a file that Describe knows, and that is not an archive by its name.
func Advice(head []byte) string { _, todo := describe(head); return todo }

func describe(head []byte) (what, todo string) {
	switch {
	case IsTar(head):
		return "a tar archive", "name it as a file, called .tar, .tar.gz or .tar.zst, or pipe what is in it, as " +
			"tar -xOf - does"
	case IsZip(head):
		for _, d := range zipped {
			if bytes.HasPrefix(firstName(head), []byte(d.name)) {
				return d.what, d.todo
			}
		}
		return "a zip archive", "name it as a file, called .zip, or extract it"
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.magic)) {
			return o.what, o.todo
		}
	}
	return "", ""
}

// zipped are zip archives of one purpose, by how the name of their first file begins.
var zipped = []struct{ name, what, todo string }{
	{"[Content_Types].xml", "an office document", "export its table as CSV, or its text"},
	{"xl/", "a spreadsheet", "export its table as CSV"},
	{"word/", "an office document", "take its text out first"},
	{"mimetype", "an office document or a book", "export its table as CSV, or its text"},
	{"META-INF/", "a Java archive", "extract it, and name the directory"},
	{"archive/", "a web archive collection (WACZ)", wacz},
	{"datapackage", "a web archive collection (WACZ)", wacz},
	{"pages/", "a web archive collection (WACZ)", wacz},
	{"indexes/", "a web archive collection (WACZ)", wacz},
}

const wacz = "extract it, and name the .warc.gz files in its folder archive"

// firstName is the name of the first file of a zip archive, as far as head has it (APPNOTE 4.3.7).
func firstName(head []byte) []byte {
	if len(head) < 30 {
		return nil
	}
	length := int(head[26]) | int(head[27])<<8
	return head[30:min(len(head), 30+length)]
}
