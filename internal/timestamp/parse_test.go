package timestamp

import "testing"

func TestParse(t *testing.T) {
	const second = 1709213820 // 2024-02-29 13:37:00 UTC
	for _, s := range []string{
		"2024-02-29T13:37:00Z", "2024-02-29T14:37:00+01:00", "2024-02-29T14:37:00+0100", "2024-02-29T13:37:00.999Z",
		"2024-02-29 13:37:00", "2024-02-29 15:37:00+02:00", "2024-02-29T13:37:00", "20240229133700",
		"Thu, 29 Feb 2024 13:37:00 GMT", "Thu, 29 Feb 2024 13:37:00 +0000", " 1709213820 ", "1709213820.9",
		"1709213820000", "1709213820000000", "1709213820000000123",
		"202402291337", "20240229133700123", "Thu, 29 Feb 2024 08:37:00 EST", "29 Feb 24 06:37 PDT",
		"29/Feb/2024:13:37:00 +0000", "Thu Feb 29 13:37:00 2024", "2024-02-29 13:37:00,999", "24/02/29 13:37:00",
	} {
		if got, ok := Parse([]byte(s)); !ok || got != second {
			t.Errorf("%q is %d, %v", s, got, ok)
		}
	}
	for s, want := range map[string]int64{"2024-02-29": 1709164800, "20240229": 1709164800, "2024": 1704067200,
		"19782":    1709164800,
		"63072000": 63072000, "100000000": 100000000, "-100000000.5": -100000001, "1969-12-31T23:59:59Z": -1,
		"19691231": -86400} {
		if got, ok := Parse([]byte(s)); !ok || got != want {
			t.Errorf("%q is %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "2024-02-30", "29.02.2024", "NaN", "Inf", "1e300", "true", "null",
		"0", "1.5", "-1", "98765", "45000", "202405", "20240230", "99991231", "1899", "2100", "2024.0", "1234567",
		"12345678", "63071999", "-63071999.5",
		"Feb 29 13:37:00", "2024-02-29T13:37:00Z and more"} {
		if got, ok := Parse([]byte(s)); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
}

// Dates are compared to the nanosecond. Numbers are none.
func TestParseDate(t *testing.T) {
	for s, want := range map[string]int{
		"2024-02-29T13:37:00Z": 0, "2024-02-29T14:37:00.5+01:00": 500_000_000, "2024-02-29 13:37:00,000000001": 1,
		"Thu, 29 Feb 2024 13:37:00 GMT": 0, "2024-02-29T13:37:00.1234567891Z": 123_456_789,
	} {
		if second, nano, ok := ParseDate([]byte(s)); !ok || second != 1709213820 || nano != want {
			t.Errorf("%q is %d and %d ns, %v", s, second, nano, ok)
		}
	}
	for _, s := range []string{"", "20240229133700", "1709213820", "soon"} {
		if _, _, ok := ParseDate([]byte(s)); ok {
			t.Errorf("%q is a date", s)
		}
	}
}
