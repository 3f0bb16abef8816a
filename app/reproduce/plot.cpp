#include "reproduce/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "reproduce/plot_ticks.hpp"

namespace omvc::app {
namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 360;
constexpr double kLeft = 74;
constexpr double kTop = 46;
constexpr double kBottom = 54;
constexpr double kLegend = 132;         // room on the right
constexpr std::size_t kFewPoints = 24;  // more points than these get no markers of their own but some along the curve

struct Style {
  const char* colour;
  const char* dash;
};
// From dark to light and back, so that neighbours in the legend differ in grey too.
constexpr std::array<Style, 8> kStyles{{{"#000000", ""},
                                        {"#c0392b", "7 3"},
                                        {"#2471a3", "2 2.5"},
                                        {"#7d8a2e", "9 3 2 3"},
                                        {"#8e44ad", "5 2"},
                                        {"#d68910", "1 2"},
                                        {"#5d6d7e", "12 3"},
                                        {"#17a589", "4 2 1 2"}}};

// Five shapes, filled and open in turn: ten that differ.
std::string marker(std::size_t kind, double x, double y, const char* colour) {
  const bool open = kind % 2 == 1;
  const std::string paint =
      fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"1.2\"", open ? "#ffffff" : colour, colour);
  switch (kind % 5) {
    case 0:
      return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.2\" {}/>\n", x, y, paint);
    case 1:
      return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"6\" height=\"6\" {}/>\n", x - 3, y - 3, paint);
    case 2:
      return fmt::format("<path d=\"M{:.2f} {:.2f} l4 7 h-8 z\" {}/>\n", x, y - 4.2, paint);
    case 3:
      return fmt::format("<path d=\"M{:.2f} {:.2f} l4 4.4 l-4 4.4 l-4 -4.4 z\" {}/>\n", x, y - 4.4, paint);
    default:
      return fmt::format("<path d=\"M{:.2f} {:.2f} l4 -7 h-8 z\" {}/>\n", x, y + 4.2, paint);
  }
}

std::string superscript(int number) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : fmt::format("{}", number)) out += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  return out;
}

// An axis that knows its range and where a value lies between its two ends on the page.
class Scale {
 public:
  Scale(const Axis& axis, double begin, double end) : axis_(axis), begin_(begin), end_(end) {}

  void include(double value) {
    if (!shows(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool shows(double value) const { return std::isfinite(value) && (!axis_.log || value > 0); }

  // Room around the values, and something to show where there are none or one.
  void settle(double margin) {
    if (!(low_ <= high_)) low_ = axis_.log ? 0.1 : 0, high_ = 1;
    if (axis_.log) {
      const double room = std::max(std::pow(high_ / low_, margin), low_ == high_ ? 1.5 : 1.0);
      low_ /= room, high_ *= room;
      return;
    }
    const double room = low_ == high_ ? std::max(0.5, 0.05 * std::abs(low_)) : margin * (high_ - low_);
    low_ -= room, high_ += room;
  }

  double at(double value) const {
    const double share = axis_.log ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return begin_ + (end_ - begin_) * std::clamp(share, 0.0, 1.0);
  }

  // The power of ten that is taken out of the numbers at the ticks, so that they stay short: 0 for none.
  int exponent() const {
    const double largest = std::max(std::abs(low_), std::abs(high_));
    if (axis_.log || (largest < 1e5 && high_ - low_ >= 5e-3)) return 0;
    return static_cast<int>(std::floor(std::log10(largest)));
  }
  std::string name() const {
    return escape_xml(axis_.name) + (exponent() == 0 ? "" : fmt::format(" (× 10{})", superscript(exponent())));
  }
  std::vector<std::string> texts() const {
    std::vector<double> shown = ticks();
    if (exponent() == 0) return tick_texts(shown);
    for (double& tick : shown) tick /= std::pow(10, exponent());
    return tick_texts(shown);
  }

  std::vector<double> ticks() const {
    int wanted = std::abs(end_ - begin_) > 300 ? 7 : 5;
    if (axis_.whole && high_ - low_ <= 12) wanted = static_cast<int>(high_ - low_) + 1;
    std::vector<double> found = axis_.log ? log_ticks(low_, high_, wanted) : linear_ticks(low_, high_, wanted);
    if (axis_.whole) std::erase_if(found, [](double tick) { return tick != std::round(tick); });
    return found;
  }

 private:
  Axis axis_;
  double begin_;
  double end_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

std::string draw_axes(const Scale& x, const Scale& y) {
  const double right = kWidth - kLegend;
  const double bottom = kHeight - kBottom;
  std::string grid;
  std::string out;
  const std::vector<double> x_ticks = x.ticks();
  const std::vector<std::string> x_texts = x.texts();
  for (std::size_t i = 0; i < x_ticks.size(); ++i) {
    const double at = x.at(x_ticks[i]);
    out += fmt::format("<path d=\"M{0:.2f} {1:.2f} v-5 M{0:.2f} {2:.2f} v5\" stroke=\"#000000\"/>\n", at, bottom, kTop);
    out +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", at, bottom + 17, x_texts[i]);
  }
  const std::vector<double> y_ticks = y.ticks();
  const std::vector<std::string> y_texts = y.texts();
  double longest = 0;
  for (std::size_t i = 0; i < y_ticks.size(); ++i) {
    longest = std::max(longest, static_cast<double>(y_texts[i].size()));
    const double at = y.at(y_ticks[i]);
    grid +=
        fmt::format("<path d=\"M{:.2f} {:.2f} H{:.2f}\" stroke=\"#dddddd\" stroke-width=\"0.7\"/>\n", kLeft, at, right);
    out += fmt::format("<path d=\"M{1:.2f} {0:.2f} h5 M{2:.2f} {0:.2f} h-5\" stroke=\"#000000\"/>\n", at, kLeft, right);
    out +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 7, at + 4, y_texts[i]);
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#000000\"/>\n", kLeft,
                     kTop, right - kLeft, bottom - kTop);
  out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", (kLeft + right) / 2,
                     kHeight - 14, x.name());
  out += fmt::format("<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     std::max(14.0, kLeft - 22 - 7.2 * longest), (kTop + bottom) / 2, y.name());
  return grid + out;
}

std::string draw_curve(const Curve& curve, std::size_t number, const Scale& x, const Scale& y) {
  const Style style = kStyles[number % kStyles.size()];
  if (curve.level) {
    if (curve.y.empty() || !y.shows(curve.y[0])) return {};
    return fmt::format(
        "<path d=\"M{:.2f} {:.2f} H{:.2f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" "
        "stroke-dasharray=\"{}\"/>\n",
        kLeft, y.at(curve.y[0]), kWidth - kLegend, style.colour, style.dash);
  }
  std::string path;
  std::string bars;
  std::string marks;
  bool pen_up = true;
  const std::size_t step = curve.y.size() <= kFewPoints ? 1 : curve.y.size() / 8;
  // Curves with many points have their markers at different places, so that curves that lie together can be told apart.
  const std::size_t first = step == 1 ? 0 : (number * step / kStyles.size() + step / 2) % step;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    if (!x.shows(curve.x[i]) || !y.shows(curve.y[i])) {
      pen_up = true;
      continue;
    }
    const double px = x.at(curve.x[i]);
    const double py = y.at(curve.y[i]);
    path += fmt::format("{}{:.2f} {:.2f}", pen_up ? "M" : "L", px, py);
    pen_up = false;
    if (i % step == first) marks += marker(number, px, py, style.colour);
    if (i < curve.spread.size() && curve.spread[i] > 0) {
      const double low = curve.y[i] - curve.spread[i];
      bars += fmt::format(
          "<path d=\"M{0:.2f} {1:.2f} V{2:.2f} M{3:.2f} {1:.2f} h5 M{3:.2f} {2:.2f} h5\" stroke=\"{4}\" "
          "stroke-width=\"0.7\" stroke-opacity=\"0.6\"/>\n",
          px, y.at(y.shows(low) ? low : curve.y[i]), y.at(curve.y[i] + curve.spread[i]), px - 2.5, style.colour);
    }
  }
  return bars +
         fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>\n",
                     path, style.colour, style.dash) +
         marks;
}

std::string draw_legend(const LinePlot& plot) {
  std::string out;
  const double left = kWidth - kLegend + 14;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const Style style = kStyles[i % kStyles.size()];
    const double y = kTop + 12 + 20 * static_cast<double>(i);
    out += fmt::format("<path d=\"M{:.2f} {:.2f} h30\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>\n",
                       left, y, style.colour, style.dash);
    if (!plot.curves[i].level) out += marker(i, left + 15, y, style.colour);
    out +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left + 37, y + 4, escape_xml(plot.curves[i].name));
  }
  return out;
}

}  // namespace

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string line_plot(const LinePlot& plot) {
  Scale x(plot.x, kLeft, kWidth - kLegend);
  Scale y(plot.y, kHeight - kBottom, kTop);
  for (const Curve& curve : plot.curves) {
    for (std::size_t i = 0; i < curve.y.size(); ++i) {
      if (!curve.level && i < curve.x.size()) x.include(curve.x[i]);
      y.include(curve.y[i]);
      if (i >= curve.spread.size()) continue;
      y.include(curve.y[i] - curve.spread[i]);
      y.include(curve.y[i] + curve.spread[i]);
    }
  }
  x.settle(0.03);
  y.settle(0.06);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{3}\" y=\"36\" font-size=\"11\" fill=\"#444444\">{4}</text>\n",
      kWidth, kHeight, escape_xml(plot.title), kLeft, escape_xml(plot.note));
  out += draw_axes(x, y);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) out += draw_curve(plot.curves[i], i, x, y);
  return out + draw_legend(plot) + "</svg>\n";
}

}  // namespace omvc::app
