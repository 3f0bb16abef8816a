#!/usr/bin/env bash
# Several processes of the command give what one gives, to the bit; one that fails or is killed ends all of them, and the
# checkpoint goes on with another number. Skipped (77) where there is no mpirun or the command was built without MPI.
#
#     tests/mpi_test.sh OMVC
set -euo pipefail
omvc=$1
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun here"; exit 77; }
ldd "$omvc" | grep libmpi >/dev/null || { echo "skipped: the command was built without MPI"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
options=()
if mpirun --version | grep -q "Open MPI"; then
  options=(--oversubscribe)
  [ "$(id -u)" -ne 0 ] || options+=(--allow-run-as-root)
fi
ranks() { timeout 120 mpirun "${options[@]}" -n "$@"; }
fail() { echo "failed: $*" >&2; exit 1; }

"$omvc" generate data.h5mu --rows 50000 --features 12,60 --density 1,0.1 -k 4 --missing 0.3 --seed 1 >/dev/null 2>&1
fit=("$omvc" fit data.h5mu -k 4 --memory 1 --quiet --passes 2)
"${fit[@]}" --labels one.csv --embedding one.npy --model one.omvc >/dev/null
same() { for kind in csv npy omvc; do cmp "one.$kind" "all.$kind" || fail "$1: other bits in $kind"; done; rm -f all.*; }

for n in 2 3; do
  ranks $n "${fit[@]}" --labels all.csv --embedding all.npy --model all.omvc >/dev/null
  same "$n processes"
done
ranks 2 "${fit[@]}" --threads 3 --labels all.csv --embedding all.npy >/dev/null
cmp one.csv all.csv || fail "threads change labels"
# A table of text has the ids of its rows.
awk 'BEGIN { OFS = ","; print "id", "a", "b"; for (i = 0; i < 30000; ++i) print "s" i * 7, i % 3 * 5 + i * 37 % 11 / 11, i % 3 - i * 17 % 7 / 7 }' >table.csv
table=("$omvc" fit table.csv -k 3 --memory 0.2 --quiet)
"${table[@]}" --labels one.tsv --embedding rows.csv >/dev/null
ranks 3 "${table[@]}" --labels all.tsv --embedding all.csv >/dev/null
cmp one.tsv all.tsv && cmp rows.csv all.csv || fail "processes change the rows of a table"
rm -f all.*

# What the first one refuses, the others, which it ends, say nothing of.
if ranks 3 "${fit[@]}" --labels nowhere/l.csv >/dev/null 2>message; then fail "a folder that is not there was taken"; fi
grep -q "cannot write nowhere/l.csv" message || fail "the message is: $(cat message)"
[ "$(grep -c "^omvc:" message)" = 1 ] || fail "more than one message: $(cat message)"

if ranks 3 "$omvc" fit data.h5mu -k six >/dev/null 2>message; then fail "six clusters in letters were taken"; fi
[ "$(grep -c "^omvc:" message)" = 1 ] || fail "more than one message: $(cat message)"
cat >lost.sh <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || export TMPDIR=/nowhere
exec "$@"
END
chmod +x lost.sh
if ranks 3 ./lost.sh "${fit[@]}" --labels wrong.csv >/dev/null 2>message; then fail "a lost TMPDIR was taken"; fi
grep -q "^omvc: rank 1 of 3: cannot write .*set TMPDIR" message || fail "the message is: $(cat message)"

# One process sees other data: all refuse, with one message.
"$omvc" generate other.h5mu --rows 50001 --features 12,60 --density 1,0.1 -k 4 --missing 0.3 --seed 1 >/dev/null 2>&1
cat >differ.sh <<'END'
#!/bin/sh
data=data.h5mu
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || data=other.h5mu
exec "$1" fit $data -k 4 --labels wrong.csv --quiet
END
chmod +x differ.sh
if ranks 3 ./differ.sh "$omvc" >/dev/null 2>message; then fail "other data were taken"; fi
grep -q "rank 1 has another command or other files" message || fail "the message is: $(cat message)"
[ ! -e wrong.csv ] || fail "a run that was refused wrote labels"
# The same command, and a file of the same name and size in the folder of each.
for rank in 0 1; do
  mkdir at$rank
  "$omvc" generate at$rank/same.h5mu --rows 9000 --features 12 -k 4 --missing 0 --seed $rank >/dev/null 2>&1
done
cat >apart.sh <<'END'
#!/bin/sh
cd at${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
exec "$1" fit same.h5mu -k 4 --labels wrong.csv --quiet
END
chmod +x apart.sh
if ranks 2 ./apart.sh "$omvc" >/dev/null 2>message; then fail "other data of the same size were taken"; fi
grep -q "rank 1 has other data or options" message || fail "the message is: $(cat message)"
[ ! -e at0/wrong.csv ] || fail "a run that was refused wrote labels"
if echo "1,2" | ranks 2 "$omvc" fit - -k 4 --labels wrong.csv >/dev/null 2>message; then fail "standard input was taken"; fi
grep -q "standard input is one process's alone" message || fail "the message is: $(cat message)"

# Started several times over without an MPI that brings them together: refused, rather than all of them writing one file.
if SLURM_STEP_NUM_TASKS=2 "${fit[@]}" --labels wrong.csv >/dev/null 2>message; then fail "a lost process ran alone"; fi
grep -q "none of them sees the others" message || fail "the message is: $(cat message)"
[ ! -e wrong.csv ] || fail "a lost process wrote labels"

# A process is killed: nobody waits for it, and the run goes on with one process and with three.
for resumed in 1 3; do
  ranks 2 "${fit[@]}" --labels all.csv --embedding all.npy --model all.omvc --checkpoint run --resume >/dev/null 2>&1 &
  run=$!
  for _ in $(seq 200); do [ ! -e run ] || break; sleep 0.05; done
  pkill -KILL -n -f "^$omvc fit data.h5mu" || true
  wait $run && [ -e all.csv ] || true
  rm -f all.*
  if [ "$resumed" = 1 ]; then
    "${fit[@]}" --labels all.csv --embedding all.npy --model all.omvc --checkpoint run --resume >/dev/null
  else
    ranks "$resumed" "${fit[@]}" --labels all.csv --embedding all.npy --model all.omvc --checkpoint run --resume >/dev/null
  fi
  same "resumed by $resumed"
done
echo "several processes give the bits of one"
