package offheap

import "testing"

// Numbers are freed as they were mapped: memory of more than a huge page is mapped in whole ones.
func TestNumbersAreReleased(t *testing.T) {
	t.Run("uint8", testNumbers[uint8])
	t.Run("uint16", testNumbers[uint16])
	t.Run("uint32", testNumbers[uint32])
	t.Run("int64", testNumbers[int64])
}

func testNumbers[T Number](t *testing.T) {
	for _, count := range []int{1, 1000, 600_000, 1 << 20, 2<<20 + 1, 5 << 20} {
		numbers, err := AllocateNumbers[T](count)
		if err != nil || len(numbers) != count {
			t.Fatal(len(numbers), err)
		}
		for i, n := range numbers {
			if n != 0 {
				t.Fatalf("number %d of %d is %d", i, count, n)
			}
		}
		numbers[0], numbers[count-1] = 1, 2
		if err := ReleaseNumbers(numbers[:count/2]); err != nil {
			t.Errorf("%d numbers: %v", count, err)
		}
	}
}
