package timestamp

import (
	"strings"
	"testing"
	"time"
)

// A line has the first time in its beginning, in the forms that logs have.
func TestStamps(t *testing.T) {
	for line, want := range map[string]string{
		// HDFS, Hadoop, Spark, OpenStack, two of BGL, Apache
		"081109 203615 148 INFO dfs.DataNode$PacketResponder: ":                          "2008-11-09T20:36:15Z",
		"2015-10-18 18:01:47,978 INFO [main] org.apache.hadoop":                          "2015-10-18T18:01:47Z",
		"17/06/09 20:10:40 INFO executor.CoarseGrainedExecutorBackend":                   "2017-06-09T20:10:40Z",
		"nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO nova":     "2017-05-16T00:00:00Z",
		"- 1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.675872 R02":     "2005-06-03T22:42:50Z",
		"R02-M1 KERNEL 2005-06-03-15.42.50.675872 R02-M1-N0-C:J12-U11 RAS KERNEL":        "2005-06-03T15:42:50Z",
		"[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok":                        "2005-12-04T04:47:44Z",
		"[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708]":                     "2011-09-09T10:42:29Z",
		"Thu Feb 29 13:37:00 UTC 2024: backup done":                                      "2024-02-29T13:37:00Z",
		"Thu Feb 29 13:37:00 CET 2024: backup done":                                      "2024-02-29T13:37:00Z",
		"2024-02-29T13:37:00Z hello":                                                     "2024-02-29T13:37:00Z",
		"2024-02-29T14:37:00.123456789+01:00 hello":                                      "2024-02-29T13:37:00Z",
		"2024-02-29T07:07:00-0630 hello":                                                 "2024-02-29T13:37:00Z",
		"2024-02-29 14:37:00.123+01 [312] LOG: checkpoint":                               "2024-02-29T13:37:00Z",
		"2024-02-29 14:37:00 +0100 [info]: starting fluentd":                             "2024-02-29T13:37:00Z",
		"2024-02-29 13:37:00.123 UTC [1] LOG: listening":                                 "2024-02-29T13:37:00Z",
		"2024-02-29 13:37:00 ERROR 5000 ms":                                              "2024-02-29T13:37:00Z",
		"2024-02-29 13:37:00 -1 is no exit code":                                         "2024-02-29T13:37:00Z",
		"2024-02-29T13:37 no seconds":                                                    "2024-02-29T13:37:00Z",
		"2016-12-31T23:59:60Z a leap second":                                             "2017-01-01T00:00:00Z",
		"20240229T133700Z hello":                                                         "2024-02-29T13:37:00Z",
		"20171223-22:15:29:606|Step_LSC|30002312|onStandStepChanged":                     "2017-12-23T22:15:29Z",
		"20240229133700 hello":                                                           "2024-02-29T13:37:00Z",
		"2024/02/29 13:37:00 [error] 31#31: *1 open() failed":                            "2024-02-29T13:37:00Z",
		"[GIN] 2024/02/29 - 13:37:00 | 200 | 1.2ms |":                                    "2024-02-29T13:37:00Z",
		"081109  2:36:15 [Note] mysqld: ready":                                           "2008-11-09T02:36:15Z",
		"29-Feb-2024 13:37:00.123 INFO [main] org.apache.catalina":                       "2024-02-29T13:37:00Z",
		"1234:M 29 Feb 2024 13:37:00.123 * Ready to accept connections":                  "2024-02-29T13:37:00Z",
		"Feb 29, 2024 1:37:00 PM com.example.Main run":                                   "2024-02-29T13:37:00Z",
		"Feb 29, 2024 12:37:00 AM com.example.Main run":                                  "2024-02-29T00:37:00Z",
		"Feb 29 2024 13:37:00: %ASA-6-302013: Built":                                     "2024-02-29T13:37:00Z",
		"Date: Thu, 29 Feb 2024 14:37:00 +0100":                                          "2024-02-29T13:37:00Z",
		"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200":          "2000-10-10T20:55:36Z",
		"2001:0db8:85a3:0000:0000:8a2e:0370:7334 - - [29/Feb/2024:13:37:00 +0000] \"GET": "2024-02-29T13:37:00Z",
		"<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47":                 "2003-10-11T22:14:15Z",
		"1709213820 hello":         "2024-02-29T13:37:00Z",
		"1709213820.123456 hello":  "2024-02-29T13:37:00Z",
		"1709213820123 hello":      "2024-02-29T13:37:00Z",
		"[1709213820123456] hello": "2024-02-29T13:37:00Z",
		"type=SYSCALL msg=audit(1709213820.243:24287): arch=c000003e":                 "2024-02-29T13:37:00Z",
		"ts=2024-02-29T13:37:00.001Z caller=main.go:1 level=info":                     "2024-02-29T13:37:00Z",
		`{"level":"info","time":"2024-02-29T13:37:00Z"}`:                              "2024-02-29T13:37:00Z",
		"web-1  | 2024-02-29 13:37:00 up":                                             "2024-02-29T13:37:00Z",
		"\x1b[2m2024-02-29T13:37:00.123456Z\x1b[0m \x1b[32m INFO\x1b[0m started":      "2024-02-29T13:37:00Z",
		"I20240229 13:37:00.123456 7 main.cc:1] up":                                   "2024-02-29T13:37:00Z",
		"  2024-02-29 13:37:00 behind spaces":                                         "2024-02-29T13:37:00Z",
		"level=info ratio=2024-02-29 of 2 then 2024-02-29 13:37:00":                   "2024-02-29T13:37:00Z",
		"Jun 14 15:16:01 combo sshd(pam_unix)[19939]: failure":                        "1972-06-14T15:16:01Z",
		"Jul  1 09:00:55 calvisitor-10-105-160-95 kernel[0]: IOThunder":               "1972-07-01T09:00:55Z",
		"<34>Oct 11 22:14:15 mymachine su: 'su root' failed at 2003-10-11":            "1972-10-11T22:14:15Z",
		"*Feb 29 18:46:11: %SYS-5-CONFIG_I: Configured":                               "1972-02-29T18:46:11Z",
		"Jun 14 15:16:01 2048 bytes are free":                                         "1972-06-14T15:16:01Z",
		"I0229 13:37:00.123456       1 server.go:71] up":                              "1972-02-29T13:37:00Z",
		"03-17 16:13:38.811  1702  2395 D WindowManager: printFreezing":               "1972-03-17T16:13:38Z",
		"[1234] 29 Feb 13:37:00.123 # Server started":                                 "1972-02-29T13:37:00Z",
		"\tat com.example.Main.run(Main.java:2024) and 12:30:00":                      "",
		"Caused by: java.io.IOException: 2024 of 29 files":                            "",
		"2024-02-30 13:37:00 no such day":                                             "",
		"2023-02-29 13:37:00 no such day":                                             "",
		"2024-02-29 a date alone":                                                     "",
		"2024-02-29 24:00:00 no such hour":                                            "",
		"2024-02-29 13:60:00 no such minute":                                          "",
		"Feb 30 13:37:00 no such day":                                                 "",
		"29.02.2024 13:37:00 may be of another order":                                 "",
		"02/29/2024 13:37:00 may be of another order":                                 "",
		"0001-01-01T00:00:00Z stands for no time":                                     "",
		"2100-01-01T00:00:00Z stands for no time":                                     "",
		"the job 1709213820 is a number":                                              "",
		"application_1445144423722_0020 is a name":                                    "",
		"9999999999 is a number":                                                      "",
		"170921382 is a number":                                                       "",
		"the next 081109 203615":                                                      "",
		"blk_2024-02-29T13:37:00Z":                                                    "",
		"v2024-02-29T13:37:00Z":                                                       "",
		"\x1b[":                                                                       "",
		"\x1b":                                                                        "",
		"":                                                                            "",
		strings.Repeat("x", stampReach-1) + " 2024-02-29T13:37:00Z":                   "",
		"Mayor 14 15:16:01":                                                           "",
		"[12345.678901] usb 1-1: new device, seconds since it was started":            "",
		strings.Repeat("x", stampReach-2) + " 2024-02-29T13:37:00Z at the last place": "2024-02-29T13:37:00Z",
	} {
		got := ""
		switch s := Find([]byte(line)); s.Kind {
		case WithYear:
			got = time.Unix(s.Second, 0).UTC().Format(time.RFC3339)
		case WithoutYear:
			got = time.Unix(s.In(LeapYear), 0).UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is of %q, want %q", line, got, want)
		}
	}
}

// A time without a year is where it is nearest: over New Year both ways.
func TestNearestYear(t *testing.T) {
	for _, c := range []struct{ line, before, want string }{
		{"Jan  1 00:00:01 a", "2023-12-31T23:59:59Z", "2024-01-01T00:00:01Z"},
		{"Dec 31 23:59:59 a", "2024-01-01T00:00:01Z", "2023-12-31T23:59:59Z"},
		{"Feb 29 12:00:00 a", "2024-03-01T00:00:00Z", "2024-02-29T12:00:00Z"},
		{"Feb 29 12:00:00 a", "2023-03-01T00:00:00Z", "2023-03-01T12:00:00Z"}, // no such day
		{"Jun 14 15:16:01 a", "2024-06-14T15:16:01Z", "2024-06-14T15:16:01Z"},
		{"Jun 14 15:16:01 a", "2024-12-13T00:00:00Z", "2024-06-14T15:16:01Z"},
		{"Jun 14 15:16:01 a", "2024-12-15T00:00:00Z", "2025-06-14T15:16:01Z"},
	} {
		before, err := time.Parse(time.RFC3339, c.before)
		if err != nil {
			t.Fatal(err)
		}
		got := time.Unix(Find([]byte(c.line)).Nearest(before.Unix()), 0).UTC().Format(time.RFC3339)
		if got != c.want {
			t.Errorf("%q after %s is of %s, want %s", c.line, c.before, got, c.want)
		}
	}
}

// oldLayouts are forms of fields that time.Parse reads.
var oldLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", time.DateOnly,
	time.RFC1123, time.RFC1123Z, "2006-01-02T15:04:05Z0700",
}

// FuzzStamp: no line has anything panic; what time.Parse reads in a layout is the same time as a
// field and, in the years of lines, as a line; and a time that was found in a line, written out, is
// the time of that line.
func FuzzStamp(f *testing.F) {
	for _, s := range []string{
		"2024-02-29T13:37:00.5+01:00", "2024-02-29 3:37:00", "Thu, 29 Feb 2024 13:37:00 GMT", "20240229133700",
		"Thu, 29 Feb 2024 13:37:00 CET", "Thu Feb 29 2024 13:37:00 GMT+0100 (CET)", "Jun 14 15:16:01 a",
		"<1>1 1709213820 a", "[Sun Dec 04 04:47:44 2005] a", "2005-06-03-15.42.50.6", "081109 203615",
		"\x1b[2m1709213820.1", "I0229 1:02:03", "Thu,  29  Feb 2024  3:37:00  GMT",
		"10/Oct/2000:13:55:36 -0700", "2024-02-29T13:37:00,123-00:30",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, layout := range oldLayouts {
			want, err := time.Parse(layout, s)
			if err != nil || strings.Contains(s, "GMT+") || strings.Contains(s, "GMT-") {
				continue // time.Parse does not reckon with what follows GMT
			}
			got, ok := Parse([]byte(s))
			if !ok || got != want.Unix() {
				t.Fatalf("%q is %d, %v, as a field, want %d of %q", s, got, ok, want.Unix(), layout)
			}
		}
		line := []byte(s)
		found := Find(line)
		second := found.Second
		switch found.Kind {
		case None:
			return
		case WithoutYear:
			second = found.In(LeapYear)
		}
		again := time.Unix(second, 0).UTC().Format(time.RFC3339)
		if got := Find([]byte(again + " " + s)); got.Kind != WithYear || got.Second != second {
			t.Fatalf("%q is %v, and written out as %s %v", s, found, again, got)
		}
	})
}
