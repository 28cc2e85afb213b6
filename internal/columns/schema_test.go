package columns

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseSchema(t *testing.T) {
	list, err := ParseSchema("id:int64, a:b:string,flag:bool,x:double,more:json")
	if got := fmt.Sprint(list); err != nil || got != "[{id 2} {a:b 4} {flag 1} {x 3} {more 5}]" {
		t.Errorf("%v, %v", got, err)
	}
	for schema, want := range map[string]string{
		"": "is not NAME:TYPE", "id": "is not NAME:TYPE", "id:int32": `"int32" is not a type`, "a:bool,a:json": "named twice",
		"id:int64,": "is not NAME:TYPE",
	} {
		if _, err := ParseSchema(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", schema, err)
		}
	}
}

func TestWhatFitsASchema(t *testing.T) {
	const schema = "flag:bool,id:int64,x:double,text:string,more:json"
	for _, c := range []struct {
		fromText bool
		object   string
		row      string // or part of the error
	}{
		{false, `{"id":9007199254740993,"x":1,"more":[1],"text":"a"}`, `[ 9007199254740993 1 "a" [1]]`},
		{false, `{"flag":true,"text":null,"more":"b"}`, `[true   null "b"]`},
		{false, `{"id":1.5}`, `column "id" is int64, and its value is 1.5`},
		{false, `{"id":"5"}`, `column "id" is int64, and its value is "5"`},
		{false, `{"x":9007199254740993}`, `column "x" is double`}, {false, `{"text":1}`, `column "text" is string`},
		{false, `{"flag":0}`, `column "flag" is bool`}, {false, `{"other":0}`, `there is no column for the member "other"`},
		{true, `{"flag":"true","id":"-5","x":"1e3","text":"7","more":"{\"a\": 1}"}`, `[true -5 1e3 "7" {"a": 1}]`},
		{true, `{"flag":"","id":"","x":"","text":"","more":""}`, `[   "" ]`},
		{true, `{"more":"x"}`, `column "more" is json, and its value is x`}, {true, `{"more":"null"}`, `[    null]`},
		{true, `{"id":"5 "}`, `column "id" is int64, and its value is 5 `},
		{true, `{"id":"+5"}`, `is int64`}, {true, `{"x":"NaN"}`, `is double`}, {true, `{"x":"0x1p3"}`, `is double`},
		{true, `{"flag":"yes"}`, `is bool`}, {true, `{"flag":"1"}`, `is bool`},
	} {
		list, err := ParseSchema(schema)
		if err != nil {
			t.Fatal(err)
		}
		table := NewTable(list, c.fromText)
		if err := table.Add([]byte(c.object)); err != nil {
			if !strings.Contains(err.Error(), c.row) {
				t.Errorf("%s: %v", c.object, err)
			}
			continue
		}
		if got := fmt.Sprintf("%s", table.Row([]byte(c.object))); got != c.row {
			t.Errorf("%s: %s, want %s", c.object, got, c.row)
		}
	}
}
