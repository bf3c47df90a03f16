// The output of a run while it runs: rows, contacts, and a few curves for the terminal.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/json_output.h"
#include "apps/output_file.h"
#include "linchpin/sim/certificate.h"
#include "linchpin/sim/simulation.h"

namespace linchpin {

// A field of a CSV file, in quotation marks where it needs them.
std::string csv_field(const std::string& text);

// Rows of a run: to a CSV file as they come, and kept for JSON.
class RowWriter {
 public:
  RowWriter(const Model& model, OutputFile& csv, bool keep);
  ~RowWriter();
  bool wanted() const { return csv_ || keep_; }
  void add(const State& state, std::span<const double> reactions, const Energy& e, const EnergyBalance& balance);
  Json& rows() { return *rows_; }

 private:
  OutputFile& csv_;
  bool keep_;
  std::unique_ptr<Json> rows_;
};

// Contacts of the steps that are written, a line each.
class ContactWriter {
 public:
  ContactWriter(const Model& model, OutputFile& file);
  bool wanted() const { return bool(file_); }
  void add(double time, std::span<const ContactReport> contacts);

 private:
  const Model& model_;
  OutputFile& file_;
};

// A few curves for the terminal: energies and the joints that move most.
class Strips {
 public:
  Strips(const Model& model, long long steps);
  bool due(long long step) const { return step % every_ == 0; }
  void add(const State& state, const Energy& e);
  std::string text() const;

 private:
  struct Curve {
    std::string name, unit;
    int q = 0;
    std::vector<double> values;
    double range() const;
  };
  const Model& model_;
  long long every_;
  Curve kinetic_{"kinetic", "J", 0, {}}, potential_{"potential", "J", 0, {}};
  std::vector<Curve> joints_;
};

}  // namespace linchpin
