#include "apps/document.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <cstring>
#include <langinfo.h>
#include <sstream>

#include <fmt/format.h>

#include "apps/terminal_text.h"

namespace linchpin {
namespace {

// Words of text, put on lines of at most so many columns.
std::string wrapped(const std::string& text, int columns) {
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && static_cast<int>(line.size() + 1 + word.size()) > columns) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

bool locale_is_utf8() {
  static const bool answer = [] {
    std::setlocale(LC_CTYPE, "");
    const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    std::setlocale(LC_CTYPE, "C");
    return utf8;
  }();
  return answer;
}

}  // namespace

std::string to_text(const Table& raw) {
  Table table = raw;
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = printable(cell);
  const std::size_t n = table.columns.size();
  std::vector<std::size_t> width(n);
  for (std::size_t c = 0; c < n; ++c) {
    width[c] = table.columns[c].size();
    for (const auto& row : table.rows) width[c] = std::max(width[c], row[c].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "  ";
    for (std::size_t c = 0; c < n; ++c) {
      const bool left = c < table.align.size() && table.align[c] == 'l';
      text += left ? fmt::format("{:<{}}", cells[c], width[c]) : fmt::format("{:>{}}", cells[c], width[c]);
      if (c + 1 < n) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string out;
  if (!table.title.empty()) out += table.title + "\n";
  out += line(table.columns);
  std::vector<std::string> rule;
  for (const std::size_t w : width) rule.emplace_back(w, '-');
  out += line(rule);
  for (const auto& row : table.rows) out += line(row);
  return out;
}

std::string to_text(const std::vector<Item>& blocks, int columns) {
  struct Printer {
    int columns;
    std::string operator()(const Heading& h) const { return h.text + "\n" + std::string(h.text.size(), '-') + "\n"; }
    std::string operator()(const Paragraph& p) const { return wrapped(p.text, columns); }
    std::string operator()(const Table& t) const { return to_text(t); }
    std::string operator()(const Plot&) const { return ""; }
    std::string operator()(const Drawing&) const { return ""; }
  };
  std::string out;
  for (const Item& block : blocks) {
    const std::string text = std::visit(Printer{columns}, block);
    if (!text.empty()) out += text + "\n";
  }
  return out;
}

std::string strip(const std::vector<double>& values, int width) {
  if (values.empty() || width <= 0) return "";
  static constexpr std::array<const char*, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<const char*, 8> plain{"_", ".", "-", "~", "=", "+", "*", "#"};
  const auto& levels = locale_is_utf8() ? blocks : plain;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // Each character shows the mean of its stretch of values.
  std::string out;
  const std::size_t n = values.size(), columns = std::min(n, static_cast<std::size_t>(width));
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t begin = c * n / columns, end = std::max(begin + 1, (c + 1) * n / columns);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(end - begin), span = *high - *low;
    const double level = span > 0 && std::isfinite(span) ? 8 * (mean - *low) / span : 4;
    out += levels[static_cast<std::size_t>(std::clamp(static_cast<int>(std::isfinite(level) ? level : 0), 0, 7))];
  }
  return out;
}

// ---- web page -------------------------------------------------------------------------------------------------------

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// One axis of a plot: where values go, and which of them get a tick.
class Axis {
 public:
  Axis(bool logarithmic, double low, double high, double from, double to)
      : logarithmic_(logarithmic), from_(from), to_(to) {
    if (logarithmic_) {
      low_ = std::floor(std::log10(low) + 1e-9);
      high_ = std::ceil(std::log10(high) - 1e-9);
    } else {
      low_ = low;
      high_ = high;
    }
    if (!(high_ > low_)) {
      const double half = logarithmic_ ? 1 : std::max(0.5, std::abs(low_) / 10);
      low_ -= half;
      high_ += half;
    }
    if (!logarithmic_) {
      step_ = nice_step((high_ - low_) / 5);
      low_ = std::floor(low_ / step_) * step_;
      high_ = std::ceil(high_ / step_) * step_;
    } else {
      step_ = std::max(1.0, std::ceil((high_ - low_) / 8));
    }
  }
  double place(double value) const {
    const double t = logarithmic_ ? std::log10(value) : value;
    return from_ + (to_ - from_) * (t - low_) / (high_ - low_);
  }
  struct Tick {
    double place;
    std::string label;
  };
  std::vector<Tick> ticks() const {
    std::vector<Tick> all;
    for (double t = low_; t <= high_ + step_ / 1e6; t += step_) {
      const double at = from_ + (to_ - from_) * (t - low_) / (high_ - low_);
      all.push_back({at, logarithmic_ ? power_of_ten(static_cast<int>(std::lround(t)))
                                      : fmt::format("{:g}", std::abs(t) < step_ / 1e6 ? 0.0 : t)});
    }
    return all;
  }

 private:
  static double nice_step(double raw) {
    const double power = std::pow(10, std::floor(std::log10(raw))), part = raw / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
  }
  static std::string power_of_ten(int n) {
    if (n >= 0 && n <= 3) return fmt::format("{:g}", std::pow(10, n));
    return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}{}</tspan>", n < 0 ? "−" : "", std::abs(n));
  }
  bool logarithmic_;
  double from_, to_, low_ = 0, high_ = 1, step_ = 1;
};

// Different shapes, so that curves can be told apart without colour. The title is a tooltip.
std::string marker(std::size_t kind, double x, double y, const std::string& title) {
  std::string tag = "path", attributes;
  switch (kind % 6) {
    case 0:
      tag = "circle";
      attributes = fmt::format("cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\"", x, y);
      break;
    case 1:
      attributes = fmt::format("d=\"M{:.1f} {:.1f}h6v6h-6z\"", x - 3, y - 3);
      break;
    case 2:
      attributes = fmt::format("d=\"M{:.1f} {:.1f}l4 7h-8z\"", x, y - 4.4);
      break;
    case 3:
      attributes = fmt::format("d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\"", x, y - 4);
      break;
    case 4:
      attributes = fmt::format("d=\"M{:.1f} {:.1f}l4 -7h-8z\"", x, y + 4.4);
      break;
    default:
      attributes = fmt::format("d=\"M{:.1f} {:.1f}h8v3h-8z\"", x - 4, y - 1.5);
      break;
  }
  return fmt::format("<{0} {1}><title>{2}</title></{0}>", tag, attributes, escaped(title));
}

constexpr const char* page_style = R"(
:root{--paper:#fff;--ink:#1d2329;--faint:#5c6670;--rule:#d9dee3;--wash:#f4f6f8;--good:#186a3b;--bad:#a32015;
--c0:#0b5fa5;--c1:#b34700;--c2:#1a7f4b;--c3:#8a2f9e;--c4:#7a5c00;--c5:#444}
@media (prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e4e8ec;--faint:#9aa5af;--rule:#333b43;--wash:#1d2329;
--good:#6fd08c;--bad:#ff8a7a;--c0:#63b3ff;--c1:#ff9d5c;--c2:#5fd39a;--c3:#d79bea;--c4:#e0c35a;--c5:#c0c8d0}}
body{background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;
padding:0 1rem}
h1{font-size:1.6rem;margin:0 0 .5rem}h2{font-size:1.2rem;margin:2.5rem 0 .5rem;border-top:1px solid var(--rule);
padding-top:1rem}
p{max-width:46rem}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--rule);text-align:right;vertical-align:top}
td:not(.l){white-space:nowrap}
th{color:var(--faint);font-weight:600}th.l,td.l{text-align:left}
tbody tr:hover{background:var(--wash)}
td.yes{color:var(--good);font-weight:600}td.no{color:var(--bad);font-weight:600}
figure{margin:1.5rem 0}figcaption{color:var(--faint);font-size:.9rem;max-width:46rem}
svg{width:100%;height:auto;max-width:46rem;font:12px system-ui,sans-serif}
svg text{fill:var(--ink)}svg .grid{stroke:var(--rule);stroke-width:1}svg .axis{stroke:var(--faint)}
)";

}  // namespace

std::string to_svg(const Plot& plot) {
  constexpr double width = 720, left = 64, right = 704, top = 34, bottom = 344;
  double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;
  const auto shown = [&](const std::pair<double, double>& p) {
    return std::isfinite(p.first) && std::isfinite(p.second) && !(plot.log_x && p.first <= 0) &&
           !(plot.log_y && p.second <= 0);
  };
  for (const Series& s : plot.series)
    for (const auto& p : s.points) {
      if (!shown(p)) continue;
      x_low = std::min(x_low, p.first);
      x_high = std::max(x_high, p.first);
      y_low = std::min(y_low, p.second);
      y_high = std::max(y_high, p.second);
    }
  if (!(x_high >= x_low)) x_low = y_low = x_high = y_high = 1;
  const Axis x(plot.log_x, x_low, x_high, left, right), y(plot.log_y, y_low, y_high, bottom, top);

  constexpr double legend = 400;
  const double height = legend + 20 * std::ceil(static_cast<double>(plot.series.size()) / 3.0);
  std::string out =
      fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">", width, height, escaped(plot.title));
  out += fmt::format("<text x=\"{:g}\" y=\"18\" font-size=\"14\" font-weight=\"600\">{}</text>", left,
                     escaped(plot.title));
  for (const Axis::Tick& t : x.ticks())
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:g}\" y2=\"{2:g}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">{4}</text>",
        t.place, top, bottom, bottom + 17, t.label);
  for (const Axis::Tick& t : y.ticks())
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:g}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
        left, right, t.place, left - 8, t.place + 4, t.label);
  out += fmt::format("<path class=\"axis\" fill=\"none\" d=\"M{0:g} {1:g}V{2:g}H{3:g}\"/>", left, top, bottom, right);
  out += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>", (left + right) / 2, bottom + 36,
                     escaped(plot.x_label));
  out += fmt::format("<text transform=\"translate(14 {:g}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                     (top + bottom) / 2, escaped(plot.y_label));
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& s = plot.series[i];
    const std::string colour = fmt::format("var(--c{})", i % 6);
    std::string line, marks;
    bool gap = true;
    for (const auto& p : s.points) {
      if (!shown(p)) {
        gap = true;
        continue;
      }
      line += fmt::format("{}{:.1f} {:.1f}", gap ? "M" : "L", x.place(p.first), y.place(p.second));
      gap = false;
      if (!s.marks) continue;
      marks +=
          marker(i, x.place(p.first), y.place(p.second), fmt::format("{}: {:.3g}, {:.3g}", s.name, p.first, p.second));
    }
    if (s.line) out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>", line, colour);
    out += fmt::format("<g fill=\"{}\">{}</g>", colour, marks);
    const double lx = left + static_cast<double>(i % 3) * 215, ly = legend + 20 * static_cast<double>(i / 3);
    const std::string dash =
        s.line ? fmt::format(
                     "<line x1=\"{0:g}\" x2=\"{1:g}\" y1=\"{2:g}\" y2=\"{2:g}\" stroke=\"{3}\" stroke-width=\"1.6\"/>",
                     lx, lx + 22, ly, colour)
               : "";
    out += fmt::format("<g fill=\"{}\">{}{}</g><text x=\"{:g}\" y=\"{:g}\">{}</text>", colour, dash,
                       s.marks ? marker(i, lx + 11, ly, s.name) : "", lx + 28, ly + 4, escaped(s.name));
  }
  return out + "</svg>";
}

std::string to_html(const std::string& title, const std::vector<Item>& blocks) {
  struct Printer {
    std::string operator()(const Heading& h) const { return "<h2>" + escaped(h.text) + "</h2>\n"; }
    std::string operator()(const Paragraph& p) const { return "<p>" + escaped(p.text) + "</p>\n"; }
    std::string operator()(const Table& t) const {
      std::string out = "<div class=\"wide\"><table>";
      if (!t.title.empty()) out += "<caption>" + escaped(t.title) + "</caption>";
      out += "<thead><tr>";
      const auto side = [&](std::size_t c) { return c < t.align.size() && t.align[c] == 'l' ? " class=\"l\"" : ""; };
      for (std::size_t c = 0; c < t.columns.size(); ++c)
        out += fmt::format("<th{}>{}</th>", side(c), escaped(t.columns[c]));
      out += "</tr></thead><tbody>";
      for (const auto& row : t.rows) {
        out += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c) {
          const std::string verdict = row[c] == "yes"  ? " class=\"l yes\""
                                      : row[c] == "no" ? " class=\"l no\""
                                                       : side(c);
          out += fmt::format("<td{}>{}</td>", verdict, escaped(row[c]));
        }
        out += "</tr>";
      }
      return out + "</tbody></table></div>\n";
    }
    static std::string figure(const std::string& svg, const std::string& note) {
      return "<figure>" + svg + (note.empty() ? "" : "<figcaption>" + escaped(note) + "</figcaption>") + "</figure>\n";
    }
    std::string operator()(const Plot& p) const { return figure(to_svg(p), p.note); }
    std::string operator()(const Drawing& d) const { return figure(d.svg, d.note); }
  };
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>{0}</title>"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      escaped(title), page_style);
  for (const Item& block : blocks) out += std::visit(Printer{}, block);
  return out + "</body></html>\n";
}

}  // namespace linchpin
