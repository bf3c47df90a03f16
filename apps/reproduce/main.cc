// The program linchpin-reproduce, which `linchpin reproduce` runs.
#include "apps/program.h"
#include "apps/reproduce/reproduce.h"

int main(int count, char** words) {
  return linchpin::main_of_verb(linchpin::reproduce_program, linchpin::add_reproduce_options, count, words);
}
