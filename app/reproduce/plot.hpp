// Figures as SVG, in the manner that papers print them: a framed plot with ticks, axis names and a legend. Curves
// differ in marker and dash as well as in colour, and the colours differ in lightness, so a print in grey can be read.
//
//     LinePlot plot{.title = "NMI on Digit", .x = {"pass"}, .y = {"NMI"}};
//     plot.curves.push_back({"OMVC", {1, 2, 3}, {0.50, 0.52, 0.53}});
//     write_figure("out/fig3", line_plot(plot));
#pragma once

#include <string>
#include <vector>

namespace omvc::app {

struct Axis {
  std::string name;    // with its unit
  bool log = false;    // values that are not positive are left out
  bool whole = false;  // ticks at whole numbers only
};

struct Curve {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;       // NaN leaves a gap
  std::vector<double> spread;  // an error bar of this length up and down; none: no bars
  bool level = false;          // one value that does not depend on x: drawn as a line across the plot
};

struct LinePlot {
  std::string title;
  std::string note;  // a second line under the title
  Axis x;
  Axis y;
  std::vector<Curve> curves;
};

// A table of numbers as shaded cells with the numbers in them.
struct HeatMap {
  std::string title;
  std::string note;
  std::string x_name;
  std::string y_name;
  std::string value_name;
  std::vector<std::string> columns;
  std::vector<std::string> rows;            // from the bottom to the top
  std::vector<std::vector<double>> values;  // rows x columns; NaN is an empty cell
};

// A whole SVG document. Nothing to draw gives an empty frame.
std::string line_plot(const LinePlot& plot);
std::string heat_map(const HeatMap& map);

// Text as it may stand between tags.
std::string escape_xml(const std::string& text);

// Writes STEM.svg and, where the program rsvg-convert is installed, STEM.png. Returns whether there is a PNG.
// Throws ErrorKind::io if the SVG cannot be written.
bool write_figure(const std::string& stem, const std::string& svg);

}  // namespace omvc::app
