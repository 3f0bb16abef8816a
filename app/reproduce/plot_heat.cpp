#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "reproduce/plot.hpp"
#include "reproduce/plot_ticks.hpp"

namespace omvc::app {
namespace {

constexpr double kCellWidth = 62;
constexpr double kCellHeight = 40;
constexpr double kMapLeft = 88;
constexpr double kMapTop = 46;
constexpr double kMapBottom = 56;
constexpr double kRight = 104;  // the shade bar

struct Range {
  double low = 0;
  double high = 1;
  double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// From nearly white to nearly black, blue on a screen.
std::string shade(double share) {
  const auto mix = [&](double light, double dark) {
    return static_cast<int>(std::lround(light + (dark - light) * share));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(247, 8), mix(251, 48), mix(255, 90));
}

Range range_of(const HeatMap& map) {
  Range range{1, 0};
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      range =
          range.low > range.high ? Range{value, value} : Range{std::min(range.low, value), std::max(range.high, value)};
    }
  }
  return range.low > range.high ? Range{} : range;
}

std::string draw_bar(const HeatMap& map, const Range& range, double left, double bottom) {
  constexpr int kSteps = 48;
  constexpr double kBarWidth = 14;
  const double height = bottom - kMapTop;
  std::string out;
  for (int i = 0; i < kSteps; ++i) {
    out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
                       bottom - height * (i + 1) / kSteps, kBarWidth, height / kSteps + 0.4, shade((i + 0.5) / kSteps));
  }
  out += fmt::format("<rect x=\"{:.2f}\" y=\"{}\" width=\"{}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#000000\"/>\n",
                     left, kMapTop, kBarWidth, height);
  const std::vector<double> ticks = linear_ticks(range.low, range.high, 4);
  const std::vector<std::string> texts = tick_texts(ticks);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double y = bottom - height * range.share(ticks[i]);
    out +=
        fmt::format("<path d=\"M{:.2f} {:.2f} h4\" stroke=\"#000000\"/>\n<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n",
                    left + kBarWidth, y, left + kBarWidth + 7, y + 4, texts[i]);
  }
  return out +
         fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left, bottom + 17, escape_xml(map.value_name));
}

}  // namespace

std::string heat_map(const HeatMap& map) {
  const Range range = range_of(map);
  const double right = kMapLeft + kCellWidth * static_cast<double>(map.columns.size());
  const double bottom = kMapTop + kCellHeight * static_cast<double>(map.rows.size());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3}\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{3}\" y=\"36\" font-size=\"11\" fill=\"#444444\">{4}</text>\n",
      right + kRight, bottom + kMapBottom, escape_xml(map.title), kMapLeft, escape_xml(map.note));
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double top = bottom - kCellHeight * static_cast<double>(i + 1);
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kMapLeft - 7,
                       top + kCellHeight / 2 + 4, escape_xml(map.rows[i]));
    for (std::size_t j = 0; j < map.columns.size(); ++j) {
      const double left = kMapLeft + kCellWidth * static_cast<double>(j);
      const double value = map.values[i][j];
      const bool known = std::isfinite(value);
      const double share = known ? range.share(value) : 0;
      out +=
          fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#ffffff\"/>\n",
                      left, top, kCellWidth, kCellHeight, known ? shade(share) : "#ffffff");
      out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>\n",
                         left + kCellWidth / 2, top + kCellHeight / 2 + 4, share > 0.5 ? "#ffffff" : "#000000",
                         known ? fmt::format("{:.3f}", value) : "–");
    }
  }
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
                       kMapLeft + kCellWidth * (static_cast<double>(j) + 0.5), bottom + 17, escape_xml(map.columns[j]));
  }
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#000000\"/>\n",
                     kMapLeft, kMapTop, right - kMapLeft, bottom - kMapTop);
  out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", (kMapLeft + right) / 2,
                     bottom + 40, escape_xml(map.x_name));
  out += fmt::format("<text transform=\"translate(20 {:.2f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (kMapTop + bottom) / 2, escape_xml(map.y_name));
  return out + draw_bar(map, range, right + 20, bottom) + "</svg>\n";
}

}  // namespace omvc::app
