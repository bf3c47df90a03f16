#!/usr/bin/env bash
# command_test.sh LINCHPIN JSON_AT HELD_RECORDING WRONG_RECORDING: the command as a user meets it. Prints each
# expectation that fails; status 1 then.
set -uo pipefail

linchpin=$(readlink -f "$1")
json_at=$(readlink -f "$2")
held_recording=$(readlink -f "$3")
wrong_recording=$(readlink -f "$4")
problems=$(readlink -f "$(dirname "$0")/../models/problems")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
checks=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect STATUS ARGUMENTS...: runs the command; its output is in ./out and ./err afterwards.
expect() {
  local wanted=$1 status=0
  shift
  checks=$((checks + 1))
  "$linchpin" "$@" >out 2>err </dev/null || status=$?
  if ((status != wanted)); then
    fail "linchpin $* gave status $status, not $wanted"
    head -n 5 err
  fi
}

# says FILE TEXT: the file contains the text.
says() {
  checks=$((checks + 1))
  grep -qF -- "$2" "$1" || fail "$1 does not say '$2' but: $(head -c 300 "$1")"
}

# refuses TEXT ARGUMENTS...: status 2, nothing on standard output, one line on standard error that contains TEXT.
refuses() {
  local text=$1
  shift
  expect 2 "$@"
  says err "$text"
  checks=$((checks + 1))
  [[ ! -s out ]] || fail "linchpin $*: refused, but wrote to standard output"
  (($(wc -l <err) == 1)) || fail "linchpin $*: the error is not one line: $(cat err)"
}

# at FILE POINTER [VALUE]: the JSON file has a value there, and it is VALUE.
at() {
  local found
  checks=$((checks + 1))
  found=$("$json_at" "$1" "$2") || { fail "no $2 in $1"; return; }
  [[ $# -lt 3 || $found == "$3" ]] || fail "$1 has $found at $2, not $3"
}

# only FILES...: the folder has these files and no others (beside out and err), in particular no half-written ones.
only() {
  local found wanted
  checks=$((checks + 1))
  found=$(find . -mindepth 1 -maxdepth 1 ! -name out ! -name err -printf '%f\n' | sort | tr '\n' ' ')
  wanted=$( (($#)) && printf '%s\n' "$@" | sort | tr '\n' ' ')
  [[ $found == "$wanted" ]] || fail "the folder holds '$found', not '$wanted'"
  (($#)) && rm -rf "$@"
}

# --- help and version
expect 0 --help
says out "Exit status: 0"
cp out all
expect 0 help
cmp -s out all || fail "help and --help differ"
rm all
for verb in simulate view inspect reproduce bench solve; do
  expect 0 help "$verb"
  says out "Examples:"
  expect 0 "$verb" -h
done
expect 0 --version
says out "linchpin 0."

# --- was this program built with the viewer's page?
page=1
"$linchpin" view @top --time 0.01 --export page.html >/dev/null 2>err || page=0
rm -f page.html
if ((!page)); then
  says err "built without the viewer's page: install nodejs and npm"
  echo "without the viewer's page: view is not checked any further"
fi

# --- without arguments: the first run and its files; twice, since the second run replaces them
for _ in once twice; do
  expect 0
  says out "certificate: PASSED"
  says out "Try next"
  says out "linchpin view linchpin-first-run.h5"
  if ((page)); then
    says out "open ./linchpin-first-run.html in a browser"
    says linchpin-first-run.html 'id="linchpin-recording">TFBSM'  # LPR1
  fi
  ((page)) || break
done
if ((page)); then only linchpin-first-run.h5 linchpin-first-run.html; else only linchpin-first-run.h5; fi

# --- simulate
expect 0 simulate @pendulum:links=3 --time 0.5 --position hinge_1=-0.5 --velocity hinge_1=1,hinge_2=-1 --csv a.csv \
  --json a.json
says out "certificate: PASSED"
at a.json /certificate/passed true
at a.json /certificate/steps 500
at a.json /rows/# 501
at a.json /rows/0/q '[-0.5,0.0,0.0]'
at a.json /rows/0/v '[1.0,-1.0,0.0]'
says a.csv "time,q:hinge_1,q:hinge_2,q:hinge_3,v:hinge_1,v:hinge_2,v:hinge_3,kinetic,gravity,springs,energy,defect"
(($(wc -l <a.csv) == 502)) || fail "a.csv has $(wc -l <a.csv) lines, not 502"
only a.csv a.json
expect 0 simulate @pendulum:links=3 --time 0.5 --every 100 --csv a.csv
(($(wc -l <a.csv) == 7)) || fail "--every 100 gave $(wc -l <a.csv) lines, not 7"
only a.csv
expect 0 simulate @top --time 0.0105 --dt 0.002 --json - --position pivot.1=0.1
cp out a.json
at a.json /certificate/steps 6
at a.json /rows/6/time
says err "certificate: PASSED"
rm a.json
expect 0 simulate @humanoid --seed 4 --time 0.02 --stepper dormand_prince --dt 0.01 --quiet
[[ ! -s out && ! -s err ]] || fail "--quiet is not quiet"
says <("$linchpin" simulate @humanoid --time 0.01 --stepper rk4) "position limits"
expect 0 simulate @double_pendulum --position hinge_1=1 --time 1 --energy-tolerance 1e-9
expect 1 simulate @double_pendulum --position hinge_1=1 --time 1 --stepper explicit_euler --energy-tolerance 1e-9
says out "certificate: FAILED"
# Energy is judged without being asked: the explicit method makes 744 kJ out of the 45 kJ of a fast spin.
spin="@free_body --velocity free.0=300,free.1=1,free.2=1 --time 0.4"
expect 1 simulate $spin --stepper explicit_euler --json a.json
says out "certificate: FAILED  energy defect 6.99e+05 J, 9.40e-01 of the energy exchanged, above the limit 1.00e-01"
says out "take a smaller dt or another stepper"
at a.json /certificate/passed false
at a.json /certificate/verdict failed
at a.json /certificate/status done
at a.json /certificate/energy/tolerance 0.1
expect 0 simulate $spin --stepper rk4
expect 0 simulate $spin --stepper explicit_euler --energy-tolerance 0.95
expect 0 simulate $spin --stepper explicit_euler --energy-tolerance inf --record a.h5
says out "energy reported, not judged"
expect 0 inspect a.h5
says out "certificate   PASSED"
refuses "--energy-tolerance" simulate @top --energy-tolerance none
refuses "--energy-tolerance" simulate @top --energy-tolerance nan
# A box that settles from some micrometres lands within a step, which is split there.
expect 0 simulate @stack:boxes=1 --position box_1_joint.6=1e-6 --time 0.05 --energy-tolerance 1e-6
expect 0 simulate @stack:boxes=1 --position box_1_joint.6=2e-5 --time 0.05 --energy-tolerance 1e-9
# A mass swings on a stiff spring with a strong damper, which gives energy in many steps: that is no loss below zero.
cat >damper.json <<'END'
{"format": "linchpin model", "version": 1, "name": "damper", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "mass", "inertia": {"mass": 1, "centre": [0, 0, 0],
   "moments": {"xx": 0.1, "yy": 0.1, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}}}],
 "joints": [{"name": "free", "type": "free", "parent": "world", "child": "mass", "start_v": [0, 0, 0, 3, 0, 0]}],
 "springs": [{"name": "tie", "a": {"body": "world", "X_BF": {"p": [0, 0, 1]}}, "b": {"body": "mass"},
   "stiffness": 1e8, "damping": 1e8, "length": 1}]}
END
expect 1 simulate damper.json --stepper time_stepping --time 2 --energy-tolerance 0.05 --json a.json
says out "by damping, contacts or impacts, which can only take energy"
says out "certificate: FAILED  energy defect"
! grep -F "dissipated        -" out || fail "a loss below zero is shown"
rm -f a.json a.h5 damper.json
for stepper in semi_implicit_euler explicit_euler rk4 dormand_prince implicit_midpoint; do
  expect 0 simulate @cart_pole --time 0.1 --stepper $stepper
done
only

expect 0 simulate @double_pendulum --position hinge_1=1 --time 1 --picture a.svg
says a.svg "</svg>"
only a.svg

# the same twice, bit for bit
expect 0 simulate @quadruped --seed 7 --time 0.2 --csv a.csv
expect 0 simulate @quadruped --seed 7 --time 0.2 --csv b.csv
cmp -s a.csv b.csv || fail "two runs of the same differ"
only a.csv b.csv

# a run that diverges ends with status 1, and its output up to then is kept
expect 1 simulate @pendulum:links=12 --seed 1 --stepper explicit_euler --dt 0.5 --time 1000 --every 1 --csv a.csv \
  --json a.json
says out "certificate: FAILED"
says out "stopped at t ="
at a.json /certificate/passed false
at a.json /certificate/finite false
(($(wc -l <a.csv) > 3)) || fail "nothing is left of a run that went to infinity"
awk -F, 'NF != 30 { exit 1 }' a.csv || fail "a line of a.csv is not whole"
only a.csv a.json

# SIGTERM: the output so far is kept complete, and the program ends as the signal would end it
"$linchpin" simulate @chain:links=30 --time 1e6 --every 100 --csv a.csv --quiet >out 2>err &
pid=$!
for _ in {1..100}; do
  [[ -n $(find . -name 'a.csv.part*' -size +0) ]] && break
  sleep 0.05
done
kill -TERM $pid
status=0
wait $pid 2>/dev/null || status=$?
((status == 143)) || fail "after SIGTERM the status is $status, not 143"
awk -F, 'NF != 66 { exit 1 }' a.csv || fail "after SIGTERM a line of a.csv is not whole"
only a.csv

# --- view
refuses "MODEL is required" view
((page)) && refuses "run.h5: there is no such file" view run.h5
refuses "'run.txt' is not a model" view run.txt
expect 0 simulate @top --time 0.01 --record run.h5 --quiet
refuses "--dt cannot be given with it" view run.h5 --dt 0.1
refuses "--time requires --export" view @top --time 1
refuses "there is no joint 'knee'" view @top --position knee=1
refuses "there is no scene" view @nothing --export a.html
if ((page)); then
  refuses "--port: 65536 must be between 0 and 65535" view @top --port 65536
  refuses "--port: 'http' is not a whole number" view @top --port http
  refuses "'somewhere' is not an IP address" view @top --host somewhere
  refuses "--export: cannot write 'nowhere/a.html'" view @top --export nowhere/a.html
  expect 0 view @stack:boxes=2 --time 0.1 --export a.html
  says out "certificate: PASSED"
  says out "written to a.html"
  says a.html 'id="linchpin-recording">TFBSM'
  expect 1 view @pendulum:links=12 --seed 1 --stepper explicit_euler --dt 0.5 --time 1000 --export b.html --quiet
  says err "stopped at t ="
  says b.html 'id="linchpin-recording">TFBSM'
  expect 0 view run.h5 --export c.html
  says c.html 'id="linchpin-recording">TFBSM'
  expect 0 view @top --time 0.1 --export -
  [[ $(head -c 15 out) == "<!doctype html>" ]] || fail "a page on standard output begins with $(head -c 60 out)"
  [[ $(tail -c 8 out) == "</html>" ]] || fail "a page on standard output ends with $(tail -c 60 out)"
  says err "certificate: PASSED"
  rm a.html b.html c.html
  "$linchpin" view @stack --port 0 >where 2>&1 &
  pid=$!
  for _ in {1..200}; do
    [[ -s where ]] && break
    sleep 0.05
  done
  port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' where)
  checks=$((checks + 1))
  [[ -n $port ]] || fail "view does not say where: $(cat where)"
  refuses "port $port of 127.0.0.1 is in use by another program (--port N for another one" view @top --port "$port"
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /session HTTP/1.1\r\nHost: localhost\r\n\r\n' >&3
  says <(cat <&3) '{"mode": "live"}'
  exec 3>&-
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n' >&3
  says <(cat <&3) "403 Forbidden"
  exec 3>&-
  kill -TERM $pid
  status=0
  wait $pid 2>/dev/null || status=$?
  ((status == 143)) || fail "after SIGTERM view gives status $status, not 143: $(cat where)"
  rm where
  # --host: another loopback address, without a token; every address, with one
  for host in 127.0.0.2 0.0.0.0; do
    "$linchpin" view run.h5 --port 0 --host $host >where 2>&1 &
    pid=$!
    for _ in {1..200}; do
      [[ -s where ]] && break
      sleep 0.05
    done
    if [[ $host == 0.0.0.0 ]]; then
      says where "?token="  # with the name of the machine
    else
      says where "http://$host:"
      says where "/ in a browser"
    fi
    kill -TERM $pid
    wait $pid 2>/dev/null
    rm where
  done
  refuses "256.0.0.1' is not an IP address" view @top --host 256.0.0.1
  refuses "192.0.2.1" view @top --host 192.0.2.1 --port 0  # of no machine (RFC 5737)
fi
only run.h5

# --- inspect
expect 0 inspect @quadruped --json a.json
says out "12 revolute in 4 runs of 3"
at a.json /rows/# 13
at a.json /degrees_of_freedom 18
at a.json /rows/0/body trunk
only a.json
expect 0 inspect --scenes
says out "@pendulum"
expect 0 inspect --scenes --json -
cp out a.json
at a.json /rows/0/scene @pendulum
rm a.json
expect 0 inspect @chain:links=1000
says out "940 more"
expect 0 inspect @random_tree:bodies=30
says out "merged by welds"

expect 0 inspect @four_bar:loops=2 --json a.json
says out "2 with 10 rows, 4 independent at zero: 1 degree of freedom left"
at a.json /constraints/# 2
at a.json /constraints/0/kind pin
at a.json /constraint_rank_at_zero 4
only a.json

expect 0 simulate @stack:boxes=2 --time 0.1 --json a.json
says out "certificate: PASSED"
says out "contacts          at most 8"
at a.json /certificate/passed true
at a.json /certificate/contact/most_contacts 8
at a.json /certificate/contact/loose 0
at a.json /certificate/verdict passed
at a.json /method os
at a.json /stepper time_stepping
# Problems cannot be solved to 1e-17: the run passes loosely and says so; with --strict it ends with status 1.
expect 0 simulate @stack:boxes=2 --time 0.05 --tolerance 1e-17 --record loose.h5 --json a.json
says out "certificate: PASSED LOOSELY"
says out "50 of 50 contact problems were not solved to the tolerance; the largest residual is"
at a.json /certificate/passed true
at a.json /certificate/verdict passed_loosely
expect 0 inspect loose.h5 --json a.json
says out "certificate   PASSED LOOSELY"
at a.json /certificate/verdict passed_loosely
expect 1 simulate --resume loose.h5 --time 0.06 --strict --quiet --json a.json
says err "linchpin: --strict: 60 of 60 contact problems were not solved to the tolerance"
at a.json /certificate/passed true
expect 0 simulate --verify loose.h5 --quiet
expect 1 simulate @stack:boxes=2 --time 0.05 --tolerance 1e-17 --strict
says err "--strict: 50 of 50 contact problems"
expect 0 simulate @stack:boxes=2 --time 0.05 --strict
rm loose.h5
for method in rmc mc nmc_os nmc multipliers; do expect 0 simulate @slope --method $method --time 0.05; done
expect 0 simulate @slope --directions 8 --solver lemke --time 0.05
expect 0 simulate @bounce --restitution newton --time 1
says out "lost in impacts"
expect 0 simulate @stack:boxes=2 --sleep 0.01 --time 0.1
expect 0 simulate @stack:boxes=2 --contacts a.csv --time 0.01
says a.csv "time,body_a,body_b,x,y,z"
says a.csv "sticking"
only a.csv a.json
refuses "--contacts is for steppers with contact, but this run uses rk4" simulate @top --contacts a.csv

expect 0 inspect @swing:links=3 --contacts 5 --json a.json
says out "shapes nearer than 5 m at zero coordinates"
at a.json /contacts/0/points
only a.json
expect 0 inspect @chain:links=3 --contacts
says out "no two shapes that may touch are nearer than 0.001 m"

# a tetrahedron of 1/6 m^3, and files that are not meshes
tetrahedron() {
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 %s\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' "$1"
}
tetrahedron 1 >a.obj
expect 0 inspect a.obj --json a.json
says out "4 vertices, 4 triangles, closed"
says out "0.166667 m^3, centre (0.25, 0.25, 0.25) m"
at a.json /hull/faces 4
at a.json /convex_pieces/count 1
refuses "--contacts needs a model" inspect a.obj --contacts
tetrahedron 0 >flat.obj
tetrahedron nan >nan.obj
{ tetrahedron 1; echo 'f 1 2 3'; } >three.obj
: >empty.stl
refuses "flat.obj" inspect flat.obj
refuses "nan.obj" inspect nan.obj
refuses "three.obj" inspect three.obj
refuses "empty.stl" inspect empty.stl
refuses "gone.stl" inspect gone.stl
only a.obj a.json flat.obj nan.obj three.obj empty.stl

# --- closed loops: the start is assembled with the given values held, and the loops stay closed
expect 0 simulate @four_bar --velocity pivot_0=1 --time 0.5 --energy-tolerance 1e-9 --json a.json
says out "1 degree of freedom left"
says out "constraints kept to"
at a.json /certificate/passed true
at a.json /certificate/constraints/rows 5
at a.json /certificate/constraints/rank_at_start 2
at a.json /reaction_names/# 5
at a.json /reaction_names/0 loop_1.0
at a.json /rows/0/reactions/# 5
at a.json /ignored/# 0
only a.json
expect 0 simulate @stack:boxes=1 --stepper rk4 --time 0.01 --json a.json
says out "contact: shapes that may touch pass through each other"
at a.json /ignored/0 "contact: shapes that may touch pass through each other"
only a.json
refuses "with the values of --position and --velocity held: " simulate @four_bar --position pivot_0=0,pivot_1=1
refuses "velocities contradict each other" simulate @four_bar --velocity pivot_0=1,pivot_1=-1

# --- reproduce
expect 0 reproduce
says out "smooth/stiffness"
expect 0 reproduce list --json a.json
at a.json /rows/0/id smooth/stiffness
only a.json
# One of the paper's claims does not hold here, and the status says so.
expect 1 reproduce smooth/stiffness --quick --json a.json --report report/deep
says out "no gain found"
at a.json /rows/# 8
for field in id claim paper ours holds kind; do at a.json "/rows/0/$field"; done
for row in 0 1 2 4 5 6 7; do at a.json "/rows/$row/holds" true; done
at a.json /rows/3/holds false
says report/deep/index.html "<svg"
says report/deep/index.html "</html>"
! grep -qE '(src|href)=' report/deep/index.html || fail "the report refers to other files"
only a.json report

expect 0 reproduce osim/timing --quick --json a.json
at a.json /rows/# 4
at a.json /rows/0/holds true
at a.json /rows/1/kind timing
only a.json

# Every claim of kind result holds; figures and the tracking error come along.
expect 0 reproduce osim/box --quick --json a.json --report report
at a.json /rows/# 10
for row in 0 1 2 3 4 5 6 7; do
  at a.json "/rows/$row/kind" result
  at a.json "/rows/$row/holds" true
done
at a.json /rows/8/kind timing
at a.json /tables/osim~1box/0/columns/5 "error, mm"
says report/index.html "Figure 6"
says report/index.html "<polygon"
only a.json report

expect 0 reproduce os-lcp/table1 --json a.json
at a.json /rows/# 9
for row in 0 1 2 3 4 5 6 7 8; do at a.json "/rows/$row/holds" true; done
only a.json

# Hands take the wheel off and pass the driver on, by contact; some seconds of work.
expect 0 reproduce os-lcp/dual-arm --quick --json a.json --report report
at a.json /rows/# 10
for row in 0 1 2 3 4 5 6 7 8 9; do at a.json "/rows/$row/holds" true; done
says report/index.html "From above."
only a.json report

# Timing claims (5 and 6) are not judged.
expect 0 reproduce os-lcp/table2 --quick --json a.json
at a.json /rows/# 7
for row in 0 1 2 3 4; do
  at a.json "/rows/$row/kind" result
  at a.json "/rows/$row/holds" true
done
for row in 5 6; do at a.json "/rows/$row/kind" timing; done
at a.json /tables/os-lcp~1table2/0/rows/# 3
only a.json

expect 0 reproduce os-lcp/figure5 os-lcp/figure6 --quick --json a.json --report report
at a.json /rows/# 7
for row in 0 1 2 3 4 5 6; do at a.json "/rows/$row/holds" true; done
at a.json /tables/os-lcp~1figure6/0/columns/1 "height, m"
says report/index.html "t = 2.00 s"
says report/index.html "<circle"
says report/index.html "NMC/OS"
only a.json report

# Paper 002: every claim holds.
expect 0 reproduce hybrid/figure7 hybrid/figure8 hybrid/dissipation --quick --json a.json --report report
at a.json /rows/# 20
for row in {0..19}; do
  at a.json "/rows/$row/kind" result
  at a.json "/rows/$row/holds" true
done
says report/index.html "Figure 7"
says report/index.html "Figure 8"
only a.json report

# Figures 5 and 6: the first two and the first three claims are about results; all others are times.
expect 0 reproduce hybrid/figure5 hybrid/figure6 --quick --json a.json --report report
at a.json /rows/# 21
for row in 0 1 7 8 9; do
  at a.json "/rows/$row/kind" result
  at a.json "/rows/$row/holds" true
done
for row in {2..6} {10..20}; do at a.json "/rows/$row/kind" timing; done
at a.json /tables/hybrid~1figure5/0/columns/0 bodies
at a.json /tables/hybrid~1figure6/# 7
at a.json /tables/hybrid~1figure6/6/rows/0/1 lemke
says report/index.html "Figure 5"
says report/index.html "Figure 6(d)"
only a.json report

# Five claims are about results; all others are times.
expect 0 reproduce multipliers/section9 --quick --json a.json --report report
at a.json /rows/# 13
for row in 0 1 2 3 4; do
  at a.json "/rows/$row/kind" result
  at a.json "/rows/$row/holds" true
done
for row in 5 6 7 8 9 10 11 12; do at a.json "/rows/$row/kind" timing; done
at a.json /tables/multipliers~1section9/0/rows/# 4
at a.json /tables/multipliers~1section9/0/rows/3/1 381
says report/index.html "star"
says report/index.html "<circle"
only a.json report

# --- bench
expect 0 bench compliance --quick --json a.json
at a.json /rows/0/suite compliance
only a.json
expect 0 bench dynamics --quick --no-peers --json a.json
says out "Targets"
at a.json /rows/0/suite dynamics
at a.json /rows/0/case @chain:links=7
for field in size metric unit value who ratio; do at a.json "/rows/0/$field"; done
at a.json /rows/0/who linchpin
only a.json
expect 0 bench multipliers --quick --json a.json
says out "over aba"
says out "star"
at a.json /rows/0/suite multipliers
at a.json /targets/# 3
only a.json

for suite in solvers loops hybrid geometry contact steppers; do
  expect 0 bench $suite --quick --no-peers --json a.json
  says out "$suite: "
  at a.json /rows/0/suite $suite
  only a.json
done
expect 0 bench steppers --quick --no-peers --report report
says report/index.html "Work and precision: rolling"
only report
expect 0 bench loops geometry --quick --no-peers --json -
cp out a.json
at a.json /rows/0/suite loops
says err "geometry: "
only a.json
refuses "--fast" bench loops --fast
refuses "there is no suite 'loop'" bench loop --quick

# --- solve
# near FILE LINE VALUE: the number on that line of a solution is VALUE, within 1e-9.
near() {
  checks=$((checks + 1))
  awk -v n="$2" -v v="$3" 'NR == n { found = 1; bad = ($1 - v)^2 > 1e-18 } END { exit !found || bad }' "$1" ||
    fail "line $2 of $1 is $(sed -n "$2p" "$1"), not $3"
}
expect 0 solve "$problems/sliding_block.fc3d.txt" "$problems/pendulum_limit.lcp.txt" "$problems/diode_bridge.mlcp.txt" \
  --tolerance 1e-12 --json a.json --solution deep/solutions
says out "3 problems: 3 solved to 1e-12"
says out "auto ("
at a.json /rows/# 3
at a.json /tolerance 1e-12
for field in problem solver size status iterations seconds residual_abs residual_rel residual_scaled_abs \
  residual_scaled_rel contacts file stop used; do at a.json "/rows/0/$field"; done
at a.json /rows/0/problem sliding_block.fc3d
at a.json /rows/0/size 3
at a.json /rows/0/contacts 1
for row in 0 1 2; do at a.json "/rows/$row/status" solved; done
(($(wc -l <deep/solutions/sliding_block.fc3d.sol.txt) == 3)) || fail "a solution does not have one value per row"
near deep/solutions/sliding_block.fc3d.sol.txt 1 0.1962
near deep/solutions/sliding_block.fc3d.sol.txt 2 -0.047088
near deep/solutions/pendulum_limit.lcp.sol.txt 2 1.5
near deep/solutions/diode_bridge.mlcp.sol.txt 4 8
(($(find deep/solutions -type f | wc -l) == 3)) || fail "--solution left other files: $(ls deep/solutions)"
only a.json deep
# four friction directions instead of the cone: the problem has other rows, the impulses are in the rows of the file;
# mu 0.3 times 0.1962 along x
expect 0 solve "$problems/sliding_block.fc3d.txt" "$problems/pendulum_limit.lcp.txt" --directions 4 --json a.json \
  --solution deep
at a.json /rows/0/size 6
at a.json /rows/0/directions 4
near deep/sliding_block.fc3d.sol.txt 2 -0.05886
near deep/sliding_block.fc3d.sol.txt 3 0
only a.json deep
refuses "--directions: 5 is odd" solve "$problems/sliding_block.fc3d.txt" --directions 5
# a problem without a solution is an answer, and has no solution file
expect 0 solve "$problems/no_solution.lcp.txt" --json a.json --solution deep
at a.json /rows/0/status unsolvable
at a.json /rows/0/proof ray
says out "unsolvable: ray"
says out "1 proved to have no solution"
[[ -z $(ls deep) ]] || fail "there is a solution of no_solution: $(ls deep)"
only a.json deep
# z >= 0 and w >= 0 are possible, but not z w = 0: every choice is refuted
printf 'n 3\nq\n-1\n0\n-1\nM 3 3 3\n0 1 1\n1 1 1\n2 2 1\n' >refuted.lcp.txt
expect 0 solve refuted.lcp.txt --json a.json
at a.json /rows/0/status unsolvable
at a.json /rows/0/proof enumeration
at a.json /rows/0/stop exhausted
says out "unsolvable: enumeration"
if grep -q "iteration limit" out; then fail "a refuted problem is said to be at an iteration limit"; fi
# one contact has a closed form
expect 0 solve "$problems/sliding_block.fc3d.txt" --json a.json
at a.json /rows/0/used closed_form
# singular but for the last bit: there is a solution, beyond 1e15
printf 'n 2\nq\n-1\n0\nM 2 2 4\n0 0 1\n0 1 -1\n1 0 -1\n1 1 1.0000000000000002220446049250313\n' >nearly.lcp.txt
expect 1 solve nearly.lcp.txt --solver lemke --json a.json
at a.json /rows/0/status not_solved
at a.json /rows/0/proof null
says out "no solution with |z| up to 4.5e+15"
# numbers at the end of the range: z would be 1e318
printf 'n 1\nq\n-1e308\nM 1 1 1\n0 0 1e-10\n' >far.lcp.txt
expect 1 solve far.lcp.txt --json a.json
at a.json /rows/0/stop out_of_range
says out "not solved: out of range"
rm refuted.lcp.txt nearly.lcp.txt far.lcp.txt
only a.json
# all: solvers that cannot take the problem refuse it, which is not a failure
expect 0 solve "$problems/box_on_slope.fc3d.txt" --solver all --json - --solution deep
says err "refused: "
says err "1 problem: 1 solved to 1e-10"
cp out a.json
at a.json /rows/0/solver lemke
at a.json /rows/0/status refused
at a.json /rows/0/reason
at a.json /rows/0/residual_rel null
(($(wc -l <deep/box_on_slope.fc3d.sol.txt) == 12)) || fail "--solver all did not write the best solution"
only a.json deep
# not enough iterations: status 1, and the unfinished solution is written
expect 1 solve "$problems/box_on_slope.fc3d.txt" --solver gauss_seidel --max-iterations 1 --solution deep --json a.json
says out "not solved: iteration limit"
says out "1 NOT solved"
at a.json /rows/0/status not_solved
(($(wc -l <deep/box_on_slope.fc3d.sol.txt) == 12)) || fail "the unfinished solution was not written"
only a.json deep
# the format without its ending; the same twice
cp "$problems/pendulum_limit.lcp.txt" plain
expect 0 solve plain --solution deep
cp deep/plain.sol.txt once
expect 0 solve plain --solution deep
cmp -s deep/plain.sol.txt once || fail "two solves of the same differ"
only plain once deep
# bad files: each with its line, and nothing is solved
printf 'nc 1\nmu\n-0.5\nq\n1\n2\n3\nW 3 3 0\n' >negative.fc3d.txt
printf 'n 2\nq\n1\nnan\nM 2 2 0\n' >nan.lcp.txt
printf 'n 2\nq\n1\n1\nM 2 2 1\n0 2 1\n' >index.lcp.txt
printf 'n 1\nm 1\nrows 2\niscomp\n0\n0\nq\n1\n1\nM 2 2 0\n' >count.mlcp.txt
printf 'n 700000000\nq\n' >huge.lcp.txt
: >empty.lcp.txt
refuses "negative.fc3d.txt:3: '-0.5' is negative, expected mu of contact 0" solve negative.fc3d.txt
refuses "nan.lcp.txt:4: 'nan' is not finite, expected q of row 1" solve "$problems/pendulum_limit.lcp.txt" nan.lcp.txt
refuses "index.lcp.txt:6: '2' is out of range, expected a column from 0 to 1" solve index.lcp.txt
refuses "count.mlcp.txt:4: iscomp is 1 for 0 rows, expected m = 1" solve count.mlcp.txt
refuses "huge.lcp.txt:1: 'n 700000000' is more than a file of 14 bytes can hold" solve huge.lcp.txt
refuses "empty.lcp.txt: the file is empty" solve empty.lcp.txt
refuses "nowhere.txt: cannot read it: No such file" solve nowhere.txt
refuses ".: it is a folder" solve .
only negative.fc3d.txt nan.lcp.txt index.lcp.txt count.mlcp.txt huge.lcp.txt empty.lcp.txt

# --- nonsense
refuses "there is no verb 'frobnicate'; there are: simulate" frobnicate
refuses "--bogus" --bogus
refuses "there is no scene 'nope'" simulate @nope
refuses "links=0 is not between 1 and 100000" simulate @pendulum:links=0
refuses "this build reads built-in scenes" simulate robot.urdf
refuses "this build reads built-in scenes" inspect scene.xml
refuses "is not a model" simulate pendulum
refuses "--contacts" inspect @top --contacts -1
refuses "--contacts" inspect @top --contacts nan
refuses "MODEL is required" simulate
refuses "--dt: -1 must be above 0" simulate @top --dt -1
refuses "--dt: 'nan' is not a number" simulate @top --dt nan
refuses "--dt: 0 must be above 0" simulate @top --dt 0
refuses "--time: 'soon' is not a number" simulate @top --time soon
refuses "must be above 0 and finite" simulate @top --time inf
refuses "steps; at most 1e12" simulate @top --time 1e9 --dt 1e-9
refuses "--stepper: there is no 'rk5'; there are: semi_implicit_euler" simulate @top --stepper rk5
refuses "there is no joint 'knee'; there are: pivot" simulate @top --position knee=1
refuses "has 4 coordinates, say which" simulate @top --position pivot=1
refuses "4 must be between 0 and 3" simulate @top --position pivot.4=1
refuses "cannot be normalised" simulate @top --position pivot.0=0
refuses "expected JOINT=VALUE" simulate @top --velocity pivot
refuses "'fast' is not a number" simulate @top --velocity pivot.0=fast
refuses "--seed: '1.5' is not a whole number" simulate @top --seed 1.5
refuses "--every: 0 must be between" simulate @top --every 0 --csv a.csv
refuses "can be the standard output" simulate @top --csv - --json -
refuses "--method is for steppers with contact, such as time_stepping, but this run uses rk4" \
  simulate @top --stepper rk4 --method os
expect 0 simulate @chain --method multipliers --time 0.05
refuses "there are: auto, os, rmc, mc, nmc_os, nmc, multipliers, hybrid_dense, hybrid_aba, hybrid_dca" \
  simulate @stack --method soft
expect 0 simulate @stack --method auto --time 0.05 --json a.json
at a.json /method os
only a.json
for method in hybrid_dense hybrid_aba hybrid_dca; do
  expect 0 simulate @stack --method $method --time 0.05 --json a.json
  at a.json /method $method
  only a.json
done
# Threads change no bit.
expect 0 simulate @chain:links=600 --method hybrid_dca --time 0.005 --csv a.csv
expect 0 simulate @chain:links=600 --method hybrid_dca --time 0.005 --threads 2 --csv b.csv
checks=$((checks + 1))
[[ -s a.csv ]] && cmp -s a.csv b.csv || fail "a run on two threads differs from that on one"
only a.csv b.csv
refuses "--threads: 0 must be between 1 and 1024" simulate @stack --method hybrid_dca --threads 0
refuses "--threads is for --method hybrid_dca, but this run uses os" simulate @stack --threads 2
refuses "--method nmc: body 'link_1' has mass 1 kg" simulate @planar_chain --stepper time_stepping --method nmc
refuses "--directions 2: this is for models that move in one plane" simulate @stack --directions 2
refuses "--method multipliers: body 'link_1' has mass 1 kg" simulate @planar_chain --stepper time_stepping \
  --method multipliers
refuses "--solver: there is no 'magic'" simulate @stack --solver magic
refuses "--directions 5: friction takes an even number" simulate @stack --directions 5
refuses "--restitution: there is no 'hooke'" simulate @stack --restitution hooke
refuses "--tolerance" simulate @stack --tolerance -1
refuses "not expected: again" simulate @top again
refuses "there is nothing to reproduce called 'table9'" reproduce table9
refuses "there is no suite 'speed'; there are: dynamics, solvers" bench speed
sample=$problems/sliding_block.fc3d.txt
refuses "FILE is required" solve
refuses "--solver: there is no 'simplex'; there are: auto, lemke" solve "$sample" --solver simplex
refuses "--solver lemke: $sample: " solve "$sample" --solver lemke
refuses "--tolerance: 0 must be above 0" solve "$sample" --tolerance 0
refuses "--tolerance: 'small' is not a number" solve "$sample" --tolerance small
refuses "--max-iterations: 0 must be between" solve "$sample" --max-iterations 0
refuses "would both be sliding_block.fc3d.sol.txt" solve "$sample" "$sample" --solution deep
only

# --- places that cannot be written are refused before any work
refuses "--json: cannot write 'nowhere/a.json'" simulate @top --time 1e9 --json nowhere/a.json
refuses "it is a folder" simulate @top --time 1e9 --csv .
refuses "--report: cannot make the folder" reproduce all --report /dev/null/report
refuses "--json: cannot write" bench --json nowhere/a.json
refuses "--json: cannot write" solve "$sample" --json nowhere/a.json
refuses "--solution: cannot make the folder" solve "$sample" --solution /dev/null/deep
only
expect 0 inspect @top --json /dev/null
[[ -c /dev/null ]] || fail "/dev/null was replaced by a file"
echo old >a.json
ln -s a.json link.json
expect 0 inspect @top --json link.json
[[ -L link.json ]] || fail "a symbolic link was replaced by a file"
at a.json /rows/0/body
only a.json link.json

# ---- recordings ------------------------------------------------------------------------------------------------------

rm -rf ./*
expect 0 simulate @swing --time 1 --record run.h5 --quiet
expect 0 inspect run.h5 --json run.json
says out "@swing: 12 degrees of freedom"
says out "from 0 to 1 s, every 17 steps"
says out "PASSED"
at run.json /frames 60
at run.json /end done
at run.json /certificate/passed true
expect 0 simulate --verify run.h5
says out "the same bits"

# One second, resumed for another, equals a run of two seconds: in the same file, and in a copy that leaves the first
# unchanged.
expect 0 simulate @swing --time 2 --every 10 --record whole.h5 --quiet
expect 0 simulate @swing --time 1 --every 10 --record half.h5 --quiet
cp half.h5 kept.h5
expect 0 simulate --resume half.h5 --time 2 --record copy.h5 --quiet
cmp -s half.h5 kept.h5 || fail "--resume with --record changed the first recording"
expect 0 simulate --resume half.h5 --time 2 --quiet
for file in whole half copy; do expect 0 inspect $file.h5 --csv $file.csv; done
cmp -s whole.csv half.csv || fail "a resumed run is not the run without a break"
cmp -s whole.csv copy.csv || fail "a run resumed in a copy is not the run without a break"
expect 0 simulate --verify half.h5
refuses "has reached 2 s already" simulate --resume half.h5
refuses "--dt cannot be given with it" simulate --resume half.h5 --dt 1e-4
refuses "MODEL cannot be given with it" simulate @top --resume half.h5
refuses "cannot be given with it" simulate --verify half.h5 --time 3

# Forces that a program held during its run act in the resumed part too.
"$held_recording" held.h5 0.2 && "$held_recording" held_whole.h5 0.4 || fail "held_recording"
expect 0 simulate --verify held.h5 --quiet
expect 0 simulate --resume held.h5 --time 0.4 --quiet --csv rest.csv --every 10
for file in held held_whole; do expect 0 inspect $file.h5 --csv $file.csv; done
cmp -s held.csv held_whole.csv || fail "a resumed run does not have the forces of its recording"
says held_whole.csv "$(tail -n 1 rest.csv | cut -d, -f1-5)"
expect 0 simulate --verify held.h5 --quiet

# A shorter last step, and a resumed run after it.
expect 0 simulate @bounce --time 0.10005 --record short.h5 --quiet
expect 0 simulate --resume short.h5 --time 0.2 --quiet
expect 0 simulate --verify short.h5 --quiet

# Signals of the recording are those of the run itself.
expect 0 simulate @four_bar --velocity pivot_0=1 --time 0.5 --every 5 --record bar.h5 --csv run.csv --quiet
expect 0 inspect bar.h5 --csv bar.csv --signals 'q:*,v:*,r:*,kinetic,gravity,springs,energy,defect'
cmp -s run.csv bar.csv || fail "the recording's signals are not those of simulate --csv"
expect 0 inspect bar.h5 --csv - --signals energy
says out "time,energy"
checks=$((checks + 1))
(($(wc -l <out) == 102)) || fail "--csv - wrote $(wc -l <out) lines to standard output, not a head and 101 frames"
refuses "nearest are: energy" inspect bar.h5 --csv x.csv --signals enrgy
refuses "there is no --csv" inspect bar.h5 --signals energy
refuses "--csv is for recordings" inspect @top --csv x.csv

# A run that fails is in the file up to its failure.
expect 1 simulate @pendulum:links=5 --stepper explicit_euler --dt 1 --time 500 --record bad.h5 --quiet
expect 0 inspect bad.h5
says out "failed: stopped at"
says out "certificate   FAILED"
expect 0 simulate --verify bad.h5
refuses "there is nothing to resume" simulate --resume bad.h5

# A killed run is readable up to its last block, and resumes as if it had not been interrupted.
# While it runs, it has no verdict, and nobody else may write to its file.
"$linchpin" simulate @stack --time 1000 --record killed.h5 --quiet &
for ((i = 0; i < 200; ++i)); do "$linchpin" inspect killed.h5 >/dev/null 2>&1 && break || sleep 0.1; done
sleep 2
expect 0 inspect killed.h5 --json running.json
says out "s of 1000 s: still running"
says out "certificate   UNFINISHED"
at running.json /certificate/passed false
at running.json /certificate/status unfinished
refuses "--record killed.h5: is being written by another run" simulate @top --record killed.h5
refuses "--resume killed.h5: is being written by another run" simulate --resume killed.h5
refuses "--resume killed.h5: is being written by another run" simulate --resume killed.h5 --record new.h5
[[ ! -e new.h5 ]] || fail "a refused --record left a file behind"
kill -9 $!
wait $! 2>/dev/null
expect 0 inspect killed.h5 --json killed.json
says out "s of 1000 s: killed, or ended by an error"
says out "certificate   UNFINISHED"
at killed.json /end unfinished
at killed.json /certificate/passed false
at killed.json /certificate/status unfinished
expect 0 simulate --verify killed.h5
steps=$("$json_at" killed.json /certificate/steps)
expect 0 simulate --resume killed.h5 --time "$(awk -v n="$steps" 'BEGIN { print (n + 200) / 1000 }')" --quiet
expect 0 simulate --verify killed.h5

# A file that is not a recording is neither replaced nor read.
echo precious >text.h5
refuses "exists and is not a recording" simulate @top --record text.h5
[[ $(cat text.h5) == precious ]] || fail "--record replaced a file that is not a recording"
refuses "is not an HDF5 file" inspect text.h5
refuses "is not an HDF5 file" simulate --resume text.h5
refuses "there is no such file" simulate --verify nowhere.h5
head -c 3000 run.h5 >cut.h5
refuses "cut.h5: is damaged (HDF5: truncated file" inspect cut.h5
refuses "cannot be the standard output" simulate @top --record -
refuses "nowhere/run.h5: " simulate @top --record nowhere/run.h5
checks=$((checks + 1))
compgen -G '*.new-*' >/dev/null && fail "a half-made recording was left behind"

# A full disk: the error is one line, and the recording is readable up to its last block.
checks=$((checks + 1))
(ulimit -f 200; trap '' XFSZ
 "$linchpin" simulate @stack --time 50 --every 1 --record full.h5 --quiet >out 2>err; echo $? >status)
[[ $(cat status) == 2 && $(wc -l <err) == 1 ]] || fail "a full disk gave status $(cat status) and $(head -c 500 err)"
says err "--record full.h5: cannot be written (HDF5: File too large)"
expect 0 inspect full.h5
says out "certificate   UNFINISHED"

# Models as JSON.
rm -rf ./*
expect 0 inspect @humanoid --write-model humanoid.json
expect 0 simulate @humanoid --time 0.05 --csv a.csv --quiet
expect 0 simulate humanoid.json --time 0.05 --csv b.csv --quiet
cmp -s a.csv b.csv || fail "a model through JSON does not move as before"
sed 's/"mass":[0-9.]*/"mass":-1/' humanoid.json >broken.json
refuses "broken.json: bodies[0].inertia: mass is -1 kg" simulate broken.json
refuses "nowhere.json: cannot be read" inspect nowhere.json
rm -rf ./*

# ---- damaged and hostile files ---------------------------------------------------------------------------------------

# Meshes: the first two ended in a signal, the third ran for ever.
printf 'OFF\n4 4 ' >x.off
points='element vertex 3\nproperty float x\nproperty float y\nproperty float z\n'
printf "ply\nformat ascii 1.0\n${points}element face 1\nproperty list uchar int vertex_indices\nend_header\n" >zero.ply
printf '0 0 0\n1 0 0\n0 1 0\n0\n' >>zero.ply
printf "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x" >h.ply
refuses "x.off: cannot be read as a mesh: " inspect x.off
refuses "zero.ply: the mesh is empty: 3 vertices and no triangle" inspect zero.ply
refuses "h.ply: the file is truncated: there is no end_header" inspect h.ply
only x.off zero.ply h.ply

# Models.
expect 0 inspect @top --write-model m.json
head -c 70000 /dev/zero | tr '\0' '[' >deep.json
refuses "deep.json: line 1, column 4097: lists and objects are nested more than 4096 deep" inspect deep.json
{ cat m.json; printf '\0{}'; } >nul.json
refuses ": a NUL byte" simulate nul.json
sed 's/"version": 1,/"version": 1, "version": 1,/' m.json >twice.json
refuses "twice.json: line 3, column 25: the key 'version' occurs twice in one object" inspect twice.json
ln -s /dev/zero endless.json
refuses "endless.json: cannot be read: it is not a file, but a device or a socket" simulate endless.json
truncate -s 300M long.json
refuses "long.json: the file is too long: at most 268435456 bytes are read" inspect long.json
mkfifo pipe.json
cat m.json >pipe.json &
expect 0 simulate pipe.json --time 0.01
cat m.json >pipe.json &
expect 0 inspect pipe.json
wait
only m.json deep.json nul.json twice.json endless.json long.json pipe.json

# ends STATUS: the last command, without its output, ended with this status; 134 is SIGABRT.
ends() {
  local status=$?
  checks=$((checks + 1))
  ((status == $1)) || fail "with a closed or full standard output or error: status $status, not $1"
}
"$linchpin" inspect nowhere.json >out 2>&-; ends 2
"$linchpin" inspect nowhere.json >out 2>/dev/full; ends 2
"$linchpin" inspect @top >&- 2>err; ends 2
says err "linchpin: could not write to the standard output"
"$linchpin" inspect @top >/dev/full 2>err; ends 2
says err "linchpin: could not write to the standard output"
"$linchpin" simulate @top --time 0.01 >&- 2>&-; ends 2
"$linchpin" simulate @top --time 0.01 --quiet >&- 2>&-; ends 0
"$linchpin" simulate @top --time 0.01 --csv - >out 2>&-; ends 2
"$linchpin" simulate @top --time 0.01 --csv - >/dev/full 2>err; ends 2
(($(wc -l <err) == 1)) || fail "a full standard output is not told in one line: $(cat err)"
# A file does not get the number of a closed standard output, so that the summary goes into it.
"$linchpin" simulate @top --time 0.01 --csv a.csv --every 1 >&- 2>err; ends 2
(($(wc -l <a.csv) == 12)) || fail "with a closed standard output a.csv has $(wc -l <a.csv) lines, not 12"
only a.csv

# Names with control characters: escaped on the terminal, exact in files.
cat >m.json <<'END'
{"format": "linchpin model", "version": 1, "bodies": [{"name": "a\u001b[31mb\nc\u202ed\u009b", "inertia": {"mass": 1,
 "centre": [0, 0, -1], "moments": {"xx": 1, "yy": 1, "zz": 1, "xy": 0, "xz": 0, "yz": 0}}}],
 "joints": [{"name": "j\u0007\u001b]0;title\u0007", "type": "revolute", "parent": "world",
 "child": "a\u001b[31mb\nc\u202ed\u009b", "axis": [0, 1, 0], "dofs": [{"damping": 0.1, "lower": -1, "upper": 1}]}],
 "frames": [{"name": "f\u001bc", "body": "world"}]}
END
# plain FILE: no control characters but the ends of lines.
plain() {
  checks=$((checks + 1))
  ! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' "$1" ||
    fail "raw control characters: $(cat -v "$1")"
}
expect 0 inspect m.json --json a.json --all
plain out
says out 'a\x1b[31mb\nc\u{202e}d\u{9b}'
says out 'f\x1bc on world'
at a.json /rows/0/body $'a\e[31mb\nc\u202ed\u009b'
expect 0 simulate m.json --time 0.1 --csv a.csv --position $'j\a\e]0;title\a=0.5'
plain out
says out 'j\x07\x1b]0;title\x07'
says a.csv $'q:j\a\e]0;title\a'
expect 0 simulate m.json --time 0.1 --stepper rk4
plain out
says out "j\\x07\\x1b]0;title\\x07"
refuses 'there are: j\x07\x1b]0;title\x07' simulate m.json --position knee=1
plain err
refuses "there is no verb 'a\\x1b[31m'" $'a\e[31m'
expect 0 simulate m.json --time 0.1 --record r.h5 --quiet
expect 0 inspect r.h5 --all
plain out
cp m.json $'m\e[31m.json'
expect 0 simulate $'m\e[31m.json' --time 0.01
plain out
only m.json a.json a.csv r.h5 $'m\e[31m.json'

# ---- output over input -----------------------------------------------------------------------------------------------

# keeps FILE...: these files are as they were when copied to FILE.kept.
keeps() {
  local file
  for file in "$@"; do
    checks=$((checks + 1))
    cmp -s "$file" "$file.kept" || fail "$file was overwritten"
  done
}
expect 0 inspect @top --write-model m.json
expect 0 simulate @top --time 0.01 --record r.h5 --quiet
cp "$problems/pendulum_limit.lcp.txt" p.lcp.txt
for file in m.json r.h5 p.lcp.txt; do cp $file $file.kept; done
ln -s m.json link.json
ln m.json hard.json
ln -s nothing.csv dangling.csv
mkdir deep
is_read="is the file that MODEL reads; it would be overwritten"
refuses "--csv: 'm.json' $is_read" simulate m.json --time 0.01 --csv m.json
refuses "--json: './deep/../m.json' $is_read" simulate m.json --time 0.01 --json ./deep/../m.json
refuses "--picture: 'link.json' $is_read" simulate m.json --time 0.01 --picture link.json
refuses "--csv: 'hard.json' $is_read" simulate link.json --time 0.01 --csv hard.json
refuses "--record: 'm.json' $is_read" simulate m.json --time 0.01 --record m.json
refuses "--csv and --json name the same file 'x'" simulate @top --time 0.01 --csv x --json x
refuses "--csv and --json name the same file '$PWD/x'" simulate @top --time 0.01 --csv deep/../x --json "$PWD/x"
refuses "--csv and --json name the same file 'nothing.csv'" simulate @top --csv dangling.csv --json nothing.csv
refuses "--picture and --record name the same file 'x.h5'" simulate @top --picture x.h5 --record x.h5
refuses "--csv: 'r.h5' is the file that --resume reads" simulate --resume r.h5 --time 0.02 --csv r.h5
refuses "--record: 'r.h5' is the file that --resume reads" simulate --resume r.h5 --time 0.02 --record r.h5
refuses "--json: 'm.json' $is_read" inspect m.json --json m.json
refuses "--write-model: 'm.json' $is_read" inspect m.json --write-model m.json
refuses "--csv: 'r.h5' $is_read" inspect r.h5 --csv r.h5
refuses "--write-model: 'r.h5' $is_read" inspect r.h5 --write-model r.h5
refuses "--json: 'p.lcp.txt' is the file that FILE reads" solve p.lcp.txt --json p.lcp.txt
refuses "--json and --solution name the same file" solve p.lcp.txt --solution deep --json deep/p.lcp.sol.txt
refuses "--json and --report name the same file" reproduce smooth/stiffness --report deep --json deep/index.html
if ((page)); then
  refuses "--export: 'r.h5' $is_read" view r.h5 --export r.h5
  refuses "--export: 'm.json' $is_read" view m.json --time 0.01 --export m.json
fi
keeps m.json r.h5 p.lcp.txt
expect 0 simulate m.json --time 0.01 --csv /dev/null --json /dev/null
expect 0 simulate m.json --time 0.01 --csv x.csv --json x.json
only m.json m.json.kept r.h5 r.h5.kept p.lcp.txt p.lcp.txt.kept link.json hard.json dangling.csv deep x.csv x.json

# A killed run leaves its temporary file; the next one with the same output removes it, but not one that is in use.
"$linchpin" simulate @chain:links=30 --time 1e6 --every 100 --csv a.csv --quiet &
pid=$!
for _ in {1..100}; do
  [[ -n $(find . -name 'a.csv.part-*') ]] && break
  sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
[[ -n $(find . -name 'a.csv.part-*') ]] || fail "a killed run left no temporary file: the test tests nothing"
touch a.csv.part-of-it
"$linchpin" simulate @chain:links=30 --time 1e6 --every 100 --csv a.csv --quiet 2>/dev/null &
pid=$!
for _ in {1..100}; do
  [[ -n $(find . -name "a.csv.part-$pid-*") ]] && break
  sleep 0.05
done
expect 0 simulate @top --time 0.01 --csv a.csv
(($(find . -name "a.csv.part-$pid-*" | wc -l) == 1)) || fail "the temporary file of a run that goes on was removed"
kill -TERM $pid
wait $pid 2>/dev/null
only a.csv a.csv.part-of-it

# ---- runs that leave the range of numbers ----------------------------------------------------------------------------

# A ball of 1e160 m is pushed out of a wall: the run ends with its reason, and its outputs are kept.
expect 0 inspect @thin_wall --write-model m.json
sed -i 's/"radius":[0-9.e+-]*/"radius":1e160/' m.json
expect 1 simulate m.json --time 0.01 --csv a.csv --json a.json --record r.h5
says out "beyond the range of numbers"
says out "(body 'ball')"
at a.json /certificate/finite false
(($(wc -l <a.csv) >= 2)) || fail "nothing is left of a run that left the range of numbers"
expect 0 inspect r.h5
says out "failed: stopped at"
only m.json a.csv a.json r.h5
refuses "would be 1.0e+21 steps; at most 1e12" simulate @top --time 1e18
refuses "would be 9.0e+18 steps; at most 1e12" simulate @top --time 9e18 --dt 1
refuses "would be inf steps; at most 1e12" simulate @top --time 1e300 --dt 1e-300
only

# ---- options that other tests leave out ------------------------------------------------------------------------------

# --verify of a recording that another stepper made: status 1, and the first frame that differs.
"$wrong_recording" wrong.h5 || fail "wrong_recording gave status $?"
expect 1 simulate --verify wrong.h5
says err "wrong.h5: differs from frame 1 on, at 0.001 s: "
[[ ! -s out ]] || fail "--verify of a recording that differs prints: $(cat out)"
expect 1 simulate --verify wrong.h5 --quiet
says err "differs from frame 1 on"
only wrong.h5

# --tolerance: a looser one stops earlier, one that no solver reaches ends the run.
expect 0 simulate @stack:boxes=3 --time 0.05 --solver gauss_seidel --tolerance 1e-4 --json loose.json
expect 0 simulate @stack:boxes=3 --time 0.05 --solver gauss_seidel --tolerance 1e-8 --json tight.json
loose=$("$json_at" loose.json /certificate/contact/iterations)
tight=$("$json_at" tight.json /certificate/contact/iterations)
checks=$((checks + 1))
((loose < tight)) || fail "--tolerance 1e-4 takes $loose iterations, 1e-8 takes $tight"
refuses "--tolerance: 0 must be above 0 and at most 1" simulate @stack --tolerance 0
refuses "--tolerance: 2 must be above 0 and at most 1" simulate @stack --tolerance 2
refuses "--tolerance: 'tight' is not a number" simulate @stack --tolerance tight
refuses "--tolerance is for steppers with contact" simulate @stack --stepper rk4 --tolerance 1e-6
only loose.json tight.json

# --sleep: a stack at rest sleeps and is solved no more.
expect 0 simulate @stack:boxes=3 --time 0.5 --json awake.json
expect 0 simulate @stack:boxes=3 --time 0.5 --sleep 0.05 --json asleep.json
awake=$("$json_at" awake.json /certificate/contact/problems)
asleep=$("$json_at" asleep.json /certificate/contact/problems)
checks=$((checks + 1))
((2 * asleep < awake)) || fail "--sleep 0.05 solves $asleep problems, without it $awake"
refuses "--sleep: -1 must be at least 0" simulate @stack --sleep -1
refuses "--sleep: 'soon' is not a number" simulate @stack --sleep soon
refuses "--sleep is for --stepper time_stepping" simulate @stack --stepper rk4 --sleep 1
only awake.json asleep.json

# --solver: each that takes contacts with friction gives the same motion.
expect 0 simulate @slope:angle=35,mu=0.5 --time 0.1 --csv auto.csv --quiet
last() { tail -n 1 "$1" | cut -d, -f 6; }
for solver in gauss_seidel interior_point; do
  expect 0 simulate @slope:angle=35,mu=0.5 --time 0.1 --solver $solver --csv a.csv --quiet
  checks=$((checks + 1))
  awk -v a="$(last auto.csv)" -v b="$(last a.csv)" 'BEGIN { exit !((a - b)^2 < 1e-14) }' ||
    fail "--solver $solver slides to $(last a.csv), auto to $(last auto.csv)"
done
refuses "--solver is for steppers with contact" simulate @stack --stepper rk4 --solver lemke
# --directions: four hold less than the cone between them.
expect 0 simulate @slope:angle=35,mu=0.5,heading=45 --directions 4 --time 0.1 --csv a.csv --quiet
checks=$((checks + 1))
! cmp -s auto.csv a.csv || fail "--directions 4 changes nothing"
refuses "--directions: 1001 must be between 0 and 1000" simulate @stack --directions 1001
refuses "--directions: -2 must be between 0 and 1000" simulate @stack --directions -2
refuses "--directions: 'many' is not a whole number" simulate @stack --directions many
refuses "--directions is for steppers with contact" simulate @stack --stepper rk4 --directions 4
only auto.csv a.csv

# --restitution: poisson is the default. They differ where contacts are coupled, and agree for one ball.
expect 0 simulate @bounce --time 0.6 --csv default.csv --quiet
expect 0 simulate @bounce --time 0.6 --restitution poisson --csv poisson.csv --quiet
expect 0 simulate @bounce --time 0.6 --restitution newton --csv newton.csv --quiet
cmp -s default.csv poisson.csv || fail "--restitution poisson is not the default"
checks=$((checks + 1))
awk -v a="$(tail -n 1 poisson.csv | cut -d, -f 8)" -v b="$(tail -n 1 newton.csv | cut -d, -f 8)" \
  'BEGIN { exit !((a - b)^2 < 1e-16) }' || fail "one ball bounces differently with --restitution newton"
refuses "--restitution is for steppers with contact" simulate @stack --stepper rk4 --restitution newton

# position_level and higher_order, with their options, and event_driven.
expect 0 simulate @bounce:height=0.1 --stepper position_level --restitution newton \
  --tangential-restitution 0.5 --time 0.3
says out "given back"
expect 0 simulate @roll --stepper higher_order --order 2 --gap-floor -1e-6 --time 0.2 --json a.json
says out "higher_order (order 2)"
at a.json /certificate/contact/friction_gain 0.0
rm a.json
expect 0 simulate @bounce:restitution=0.5 --stepper event_driven --dt 0.05 --time 2
says out "event_driven (order 5)"
# Where no contact mode is consistent, the contacts are named: a ball that is driven into the floor.
cat >press.json <<'END'
{"format": "linchpin model", "version": 1,
 "world_geometry": [{"name": "floor", "shape": {"kind": "half_space"}}],
 "bodies": [{"name": "ball", "inertia": {"mass": 1, "centre": [0, 0, 0],
   "moments": {"xx": 1, "yy": 1, "zz": 1, "xy": 0, "xz": 0, "yz": 0}},
   "geometry": [{"name": "skin", "shape": {"kind": "sphere", "radius": 0.1}}]}],
 "joints": [{"name": "down", "type": "prismatic", "parent": "world", "child": "ball", "axis": [0, 0, 1],
   "X_PF": {"p": [0, 0, 0.1]}}],
 "constraints": [{"name": "drive", "kind": "coupling", "terms": [{"joint": "down"}],
   "value": {"polynomial": [0, 0, -0.5]}}]}
END
expect 1 simulate press.json --stepper event_driven --time 0.01 --json a.json
says out "no contact mode is consistent with the state (body 'ball'; in touch: world/floor and ball/skin)"
at a.json /certificate/status no_mode
at a.json /certificate/contact/without_mode/0/a world/floor
at a.json /certificate/contact/without_mode/0/b ball/skin
at a.json /certificate/steps 0
rm a.json press.json
# trapezoidal, with its option; a mass between two taut strings, which time_stepping cannot take at this dt.
cat >strings.json <<'JSON'
{"format": "linchpin model", "version": 1, "name": "strings",
 "bodies": [{"name": "mass", "inertia": {"mass": 0.01, "centre": [0, 0, 0],
   "moments": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3, "xy": 0, "xz": 0, "yz": 0}}}],
 "joints": [{"name": "free", "type": "free", "parent": "world", "child": "mass",
   "start_q": [1, 0, 0, 0, 0, 0.001, 0]}],
 "springs": [
   {"name": "left", "a": {"body": "world", "X_BF": {"p": [-0.5, 0, 0]}}, "b": {"body": "mass"},
    "stiffness": 8e5, "length": 1e-9},
   {"name": "right", "a": {"body": "world", "X_BF": {"p": [0.5, 0, 0]}}, "b": {"body": "mass"},
    "stiffness": 8e5, "length": 1e-9}]}
JSON
# What has all of the energy here is an oscillation that dt does not resolve, and that is damped.
expect 0 simulate strings.json --stepper trapezoidal --time 0.2 --energy-tolerance inf
says out "trapezoidal (order 2)"
expect 1 simulate strings.json --stepper time_stepping --time 0.2 --energy-tolerance inf
expect 0 simulate @stack:boxes=2 --stepper trapezoidal --numerical-damping 0.5 --sleep 0.05 --time 0.1
refuses "--numerical-damping is for --stepper time_stepping or trapezoidal, but this run uses rk4" \
  simulate @stack --stepper rk4 --numerical-damping 0.5
refuses "--numerical-damping: 2 must be at least 0 and at most 1" simulate @stack --numerical-damping 2
rm strings.json
refuses "--gap-floor: 1e-5 must be at most 0" simulate @bounce --stepper higher_order --gap-floor 1e-5
refuses "--gap-floor is for --stepper position_level or higher_order, but this run uses time_stepping" \
  simulate @bounce --gap-floor -1e-5
refuses "--order 3: higher_order has the orders 1, 2, 4 and 5" simulate @bounce --stepper higher_order --order 3
refuses "--order is for --stepper higher_order, but this run uses rk4, of order 4" simulate @top --order 4 --stepper rk4
refuses "--tangential-restitution is for --stepper position_level, but this run uses higher_order" \
  simulate @bounce --stepper higher_order --tangential-restitution 0.5
# Tolerances of the adaptive steppers: the looser run takes fewer substeps.
swing="@double_pendulum --position hinge_1=1.5 --stepper dormand_prince --time 1 --dt 0.1"
expect 0 simulate $swing --json tight.json
expect 0 simulate $swing --json loose.json --relative-tolerance 1e-4 --absolute-tolerance 1e-6
loose=$("$json_at" loose.json /certificate/evaluations)
tight=$("$json_at" tight.json /certificate/evaluations)
((loose < tight)) || fail "a looser tolerance takes $loose evaluations, the default $tight"
rm tight.json loose.json
expect 0 simulate @bounce --stepper event_driven --time 1 --dt 0.1 --relative-tolerance 1e-6
refuses "--relative-tolerance: 0 must be at least 1e-14 and at most 1" \
  simulate @bounce --stepper event_driven --relative-tolerance 0
refuses "--absolute-tolerance: 0 must be above 0" simulate @top --stepper dormand_prince --absolute-tolerance 0
refuses "--relative-tolerance is for --stepper dormand_prince or event_driven, but this run uses rk4" \
  simulate @top --relative-tolerance 1e-6
refuses "--tangential-restitution: 2" simulate @bounce --stepper position_level --tangential-restitution 2
# A dt that would do.
expect 1 simulate @double_pendulum --position hinge_1=1 --time 1 --stepper time_stepping --dt 0.02 \
  --energy-tolerance 1e-5
says out "By the order of time_stepping, --dt"
only default.csv poisson.csv newton.csv

# inspect --all: every body, and every shape that is near.
expect 0 inspect @chain:links=100
says out "... and 40 more; --all shows them"
expect 0 inspect @chain:links=100 --all
! grep -q "more; --all" out || fail "inspect --all leaves bodies out"
says out "link_100"
expect 0 simulate @chain:links=100 --time 0.01 --record r.h5 --quiet
expect 0 inspect r.h5
says out "..."
expect 0 inspect r.h5 --all
says out "hinge_100"
only r.h5

# - as output: the data on the standard output, everything else on the standard error.
for option in --csv --json --picture --contacts; do
  expect 0 simulate @stack:boxes=2 --time 0.01 $option -
  says err "certificate: PASSED"
  ! grep -q "certificate: PASSED" out || fail "$option - mixes the summary into the data"
  checks=$((checks + 1))
  [[ -s out ]] || fail "$option - wrote nothing"
done
expect 0 inspect @top --write-model -
cp out m.json
says err "degrees of freedom"
expect 0 inspect m.json --json -
cp out a.json
at a.json /rows/0/body
expect 0 solve "$sample" --json -
cp out a.json
at a.json /rows/0/status solved
refuses "only one of --json, --csv and --write-model can be the standard output" inspect @top --json - --write-model -
refuses "can be the standard output" simulate @top --picture - --contacts -
only m.json a.json

echo "$checks checks, $failures failed"
((failures == 0))
