// M y = F + J' l, J y = r by blocks: what linchpin's forest and the general solvers are given alike, and cases of any
// size.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace linchpin {

// Bodies of any size, rows between any of them. Blocks stand one after the other, each row by row.
struct BlockSystem {
  struct Part {
    int body;
    std::size_t J;  // first number of the block: rows x the body's size
  };
  struct Constraint {
    int rows = 0, first = 0;  // row
    std::vector<Part> parts;
  };

  std::vector<int> size, first;  // of bodies: numbers, and the first of them in y
  std::vector<std::size_t> mass_at;
  std::vector<double> mass, J;
  std::vector<Constraint> constraints;
  std::vector<double> F, r;
  // Bodies (by number) and constraints (by number + bodies) in an order of elimination that fills nothing in. May be
  // empty.
  std::vector<int> order;

  int bodies() const { return int(size.size()); }
  int total_size() const { return first.empty() ? 0 : first.back() + size.back(); }
  int total_rows() const { return constraints.empty() ? 0 : constraints.back().first + constraints.back().rows; }

  void add_body(int numbers, std::span<const double> M);
  // on: bodies, each with its block.
  struct Block {
    int body;
    std::span<const double> J;
  };
  void add_constraint(int rows, std::span<const Block> on);

  // Numbers below the diagonal of the matrix [M -J'; -J 0], with the blocks on the diagonal taken to be full: what
  // factors have that do not fill in.
  long numbers_below_diagonal() const;
  // By how much y and l miss the equations: the largest error as a part of the largest term that it is made of.
  double residual(std::span<const double> y, std::span<const double> l) const;
};

class ConstraintForest;
class ForestFactors;

enum class ForestShape { chain, star, random };
std::string to_string(ForestShape shape);
// Rigid bodies in space, each hung by a hinge (5 rows) on another one, the first on the world; numbers as hinges in
// random places make them.
BlockSystem hinged_bodies(ForestShape shape, int bodies);

// Of a system without loops, whose constraints are on one or two bodies.
ConstraintForest forest_of(const BlockSystem& system);
void load(const BlockSystem& system, ForestFactors& factors);
void set_order(const ConstraintForest& forest, BlockSystem& system);

}  // namespace linchpin
