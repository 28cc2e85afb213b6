package timestamp

import "testing"

func TestParse(t *testing.T) {
	const second = 1709213820 // 2024-02-29 13:37:00 UTC
	for _, s := range []string{
		"2024-02-29T13:37:00Z", "2024-02-29T14:37:00+01:00", "2024-02-29T14:37:00+0100", "2024-02-29T13:37:00.999Z",
		"2024-02-29 13:37:00", "2024-02-29 15:37:00+02:00", "2024-02-29T13:37:00", "20240229133700",
		"Thu, 29 Feb 2024 13:37:00 GMT", "Thu, 29 Feb 2024 13:37:00 +0000", " 1709213820 ", "1709213820.9",
		"1709213820000", "1709213820000000", "1709213820000000123",
		"29/Feb/2024:13:37:00 +0000", "Thu Feb 29 13:37:00 2024", "2024-02-29 13:37:00,999", "24/02/29 13:37:00",
	} {
		if got, ok := Parse([]byte(s)); !ok || got != second {
			t.Errorf("%q is %d, %v", s, got, ok)
		}
	}
	for s, want := range map[string]int64{"2024-02-29": 1709164800, "0": 0, "-1.5": -2, "1969-12-31T23:59:59Z": -1} {
		if got, ok := Parse([]byte(s)); !ok || got != want {
			t.Errorf("%q is %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "2024-02-30", "29.02.2024", "NaN", "Inf", "1e300", "true", "null",
		"Feb 29 13:37:00", "2024-02-29T13:37:00Z and more"} {
		if got, ok := Parse([]byte(s)); ok {
			t.Errorf("%q is %d", s, got)
		}
	}
}
