// The tables, figures and the page of a study, from the results that there are. What is not done yet is left empty.
#pragma once

#include "reproduce/page.hpp"
#include "reproduce/study.hpp"

namespace omvc::app {

// Each writes its CSV files (and figures) into the study's folder and adds its part to the page.
void write_table4(const Study& study, const ResultFile& results, Page& page);
// Table V for WebKB, Table VI for Digit.
void write_nmi_table(const Study& study, const ResultFile& results, const DataSet& set, Page& page);
// How OMVC stands to the others at 40 %.
void write_ordering(const Study& study, const ResultFile& results, Page& page);

// The figures return whether every one of them has a PNG as well.
bool write_quality_figures(const Study& study, const ResultFile& results, Page& page);
bool write_loss_figures(const Study& study, const ResultFile& results, Page& page);
bool write_sensitivity_figures(const Study& study, const ResultFile& results, Page& page);

// All that was asked for, and OUT/README.md and OUT/index.html. Returns remarks for the user.
std::vector<std::string> write_outputs(const Study& study, const ResultFile& results);

// Mean and spread as they are printed; a dash where there is nothing.
std::string mean_text(const CellResult& cell, const MeanAndSpread& value);

}  // namespace omvc::app
