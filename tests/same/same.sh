#!/bin/sh
# same.sh OLD NEW has two programs do the same with indexes of every kind, and says where their
# outputs differ: after a change that is to change none, such as one of a format on disk. Each
# sequence is one line of commands; P is the program.
set -u
old=$(realpath "$1"); new=$(realpath "$2")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
awk 'BEGIN { srand(7); for (i = 0; i < 900; i++) { n = int(rand() * 400); t = "";
  for (w = 0; w < 30; w++) t = t " w" (n * 7 + w * (1 + n % 3)) % 500; if (rand() < .3) t = t " x" i;
  printf "{\"id\":\"d%d\",\"at\":%d,\"lang\":\"%s\",\"text\":\"%s\"}\n", i, 1700000000 + i * 3000, i % 2 ? "en" : "de", t } }' > all
split -l 300 all day; seq -f d%g 0 299 > ids
sequences() {
for memory in "" "--filter paged" "--memory exact" "--memory exact --verify text" "--memory exact --id id" \
  "--memory exact --counts=/dev/null --id id" "--sketch simhash --memory exact" "--sketch tlsh --memory exact" \
  "--sketch fracminhash" "--memory auto --max-memory 40KiB" "--keep-generations 3 --capacity 100" \
  "--memory exact --keep-generations 3 --capacity 100 --id id" "--memory exact --forget-after 10d --time at --id id" \
  "--forget-after 10d --time at" "--within lang" "--method ccnet" "--equal --memory exact" "--preset passages" "--preset passages --id id"; do
  run="P -q $memory --index i"
  echo "$run dayaa && $run dayab && $run dayac"
  echo "$run dayaa -o 1 && $run dayab -o 2 && P index undo i && $run dayac && cat 1 2"
  echo "$run dayaa -o 1 && $run dayaa -o 1 && cat 1 && P index compact i && $run dayab && P index verify i >/dev/null && echo whole"
  echo "$run dayaa -o 1 && P index compact i && P index undo i && $run dayab"
  echo "$run dayaa -o 1 && cp -r i j && P -q $memory --read-only --index j dayab && $run dayab -o 2 && P -q $memory --against i dayac"
  echo "$run --checkpoint 40 dayaa -o 1 && cat 1 && $run dayab -o 2 --flags /dev/stdout"
done
for memory in "--memory exact --id id" "--memory exact --keep-generations 3 --capacity 100 --id id"; do
  run="P -q $memory --index i"
  echo "$run dayaa -o 1 && grep -E 'd(3|7|297|299)$' ids | P index delete --ids - i && $run dayab && P index undo i && $run dayac"
  echo "$run dayaa -o 1 && grep -E 'd(3|7|297|299)$' ids | P index delete --ids - i && P index compact i && $run dayab"
done
for memory in "" "--memory exact" "--memory exact --verify text"; do
  echo "P -q $memory --index i dayaa -o 1 && P -q $memory --index j dayab -o 2 && P index merge -o k i j && P -q $memory --index k dayac"
done
echo "P groups -q dayaa --index i && P groups -q dayab --index i && P index undo i && P groups -q dayac --index i"
}
sequences > list; failed=0; number=0
while IFS= read -r line; do
  number=$((number + 1))
  for which in old new; do
    rm -rf run; mkdir run; cp day* ids run/; eval "program=\$$which"
    (cd run && P() { "$program" "$@"; } && eval "$line") > "$which.out" 2> "$which.err"; echo "exit $?" >> "$which.out"
  done
  if ! cmp -s old.out new.out; then
    failed=$((failed + 1)); echo "differ: $line"; diff old.out new.out | head -3; head -2 new.err
  elif ! grep -q 'exit 0' new.out; then echo "both fail: $line: $(head -1 new.err)"; fi
done < list
echo "$number sequences, $failed differ"; [ "$failed" -eq 0 ]
