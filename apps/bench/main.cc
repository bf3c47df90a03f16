// The program linchpin-bench, which `linchpin bench` runs.
#include "apps/bench/bench.h"
#include "apps/program.h"

int main(int count, char** words) {
  return linchpin::main_of_verb(linchpin::bench_program, linchpin::add_bench_options, count, words);
}
