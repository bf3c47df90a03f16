// The report of a verb, in parts that can be printed to a terminal or to a web page.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace linchpin {

struct Heading {
  std::string text;
};

struct Paragraph {
  std::string text;
};

struct Table {
  std::string title;
  std::string align;  // one letter per column: l or r
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows = {};
};

// A curve; a point whose y is not finite is a gap. In logarithmic plots y <= 0 is one too.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points = {};
  bool line = true, marks = true;  // from point to point, at each point
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series = {};
  std::string note = {};
};

struct Drawing {
  std::string svg;  // as it is
  std::string note;
};

using Item = std::variant<Heading, Paragraph, Table, Plot, Drawing>;

// For a terminal of so many columns; plots and drawings are left out.
std::string to_text(const Table& table);
std::string to_text(const std::vector<Item>& blocks, int columns = 100);

// One page with everything in it: no scripts, no other files. Light or dark by the reader's system setting.
std::string to_html(const std::string& title, const std::vector<Item>& blocks);
std::string to_svg(const Plot& plot);

// A curve in one line of characters, lowest to highest value. Block characters if the locale is UTF-8.
std::string strip(const std::vector<double>& values, int width);

}  // namespace linchpin
