// The meaning of a message, and of the codes of problems: documents.
#pragma once
#include <string>
#include <vector>

#include "catalogue/problem_rows.h"
#include "report/page.h"
#include "soresolve/catalogue.h"
#include "soresolve/command_text.h"
#include "soresolve/document.h"

namespace soresolve {

/// The question that a message leads to, asked of the files here.
struct LookupAnswer {
  CommandText command;             ///< what answers the same: "soresolve why FILE LIBRARY"
  Page page;                       ///< what it says; empty for an error
  std::string data;                ///< the same as a JSON document, where that is wanted
  std::string error;               ///< why it could not be asked
  bool is_good = false;            ///< nothing is wrong
  bool is_needer_unknown = false;  ///< the message does not tell who needs the library
  std::string library;             ///< which library that is
  Statement assumed = {};          ///< which file is taken to be the needer, and why; empty: the message names it
  std::vector<const Recognised*> about = {};  ///< the messages that it answers
};

struct ExplainReport {
  const std::vector<Recognised>& messages;
  const std::vector<LookupAnswer>& answers;
  bool is_fixed = false;                  ///< the files here tell of every cause, and nothing is wrong any more
  Language language = Language::English;  ///< of the data; a page has all of them
  Detail detail = Detail::Folded;
  std::vector<std::string> variables = {};  ///< those that rows name, as they are set here: "PERL5LIB=/home/u/perl5"
};
/// Each message with cause, proof and remedy; then the answers. Where nothing is known: what can be. Data: "explain".
Document document_of(const ExplainReport& report);

/// A process that failed of a file that its program would not take from here: it had another LD_LIBRARY_PATH.
struct OtherPathReport {
  std::string program;
  std::string word;       ///< the version or symbol
  std::string there;      ///< the file that failed
  std::string here;       ///< what is taken here instead
  std::string directory;  ///< that LD_LIBRARY_PATH had
  std::string script;     ///< that sets it; empty: none is known
  std::string package;    ///< of a Python environment, that `there` lies in: its import loaded that; empty: none
  std::string importer;   ///< the package of `program` there
};
/// A page alone: its data is that of `why` in that environment.
Document document_of(OtherPathReport report);

/// A function that dlsym(3) did not find in a library that loads.
struct MissingFunctionReport {
  std::string file;  ///< as the message has it
  std::string path;  ///< what was read
  std::string symbol;
  std::string in_cxx;                 ///< the mangled name by which the file has it all the same; empty: it has not
  std::vector<std::string> definers;  ///< libraries beside it that define the symbol
};
/// A page alone: its data is that of `why`.
Document document_of(MissingFunctionReport report);

/// `help CODE`: what the code means.
Page problem_help_page(const ProblemRow& row);
/// `help codes`: all codes, a line each.
Page problem_list_page();

}  // namespace soresolve
