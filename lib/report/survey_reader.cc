// A survey from the JSON Lines of `scan` (schema soresolve/1): the files and their edges, which is what questions about
// needs stand on. Problems, verdicts of groups and counts stay behind. Bad lines are refused with their number; numbers
// that name no file lead nowhere.
#include <string>
#include <vector>

#include "base/enum_names.h"
#include "base/json_members.h"
#include "base/pieces.h"
#include "report/data.h"
#include "report/survey_reader.h"

namespace soresolve {
namespace {

class SurveyReader {
 public:
  explicit SurveyReader(std::string_view path) : path_(path) {}

  Result<ReadSurvey> read(std::string_view text) {
    bool has_header = false, is_complete = false;
    for (const std::string_view line : lines_in(text)) {
      ++line_;
      const Json json = Json::parse(line, nullptr, false);
      if (!json.is_object()) return refuse("is no JSON object");
      const std::string type = text_at(json, "type");
      if (type == "progress" && !has_header) continue;  // of --progress
      if (!has_header && (type != "scan" || text_at(json, "schema") != "soresolve/1")) {
        return refuse("does not begin as the JSON Lines of scan");
      }
      has_header = true;
      if (type == "scan") read_header(json);
      if ((type == "file" && !read_file(json)) || (type == "outside" && !read_outside(json))) {
        return refuse("is not the next file");
      }
      if (type == "summary") {
        is_complete = true;
        found_.survey.is_interrupted = is_true(member(json, "interrupted"));
      }
    }
    if (line_ == 0) return refuse("is empty");
    if (!is_complete) return refuse("is cut off: the line of the counts is missing");
    drop_unknown();
    return std::move(found_);
  }

 private:
  Unexpected<Error> refuse(std::string reason) const {
    if (line_ != 0) reason = "line " + std::to_string(line_) + " " + reason;
    return Unexpected{Error{ErrorCode::Malformed, std::string(path_), {}, std::move(reason)}};
  }

  static std::string text_at(const Json& json, const char* name) { return text_of(member(json, name)); }
  static SurveyIndex index_of(const Json& json) {
    return json.is_number_unsigned() && json.get<std::uint64_t>() < kNoFile ? json.get<SurveyIndex>() : kNoFile;
  }
  static SurveyIndex index_at(const Json& json, const char* name) {
    const auto at = json.find(name);
    return at == json.end() ? kNoFile : index_of(*at);
  }
  template <class Visit>
  static void for_each(const Json& json, const char* name, Visit visit) {
    const auto at = json.find(name);
    if (at == json.end() || !at->is_array()) return;
    for (const Json& element : *at) visit(element);
  }
  /// By its number in the header's list.
  [[nodiscard]] std::string name_of(SurveyIndex number) const {
    return number < names_.size() ? names_[number] : std::string();
  }

  void read_header(const Json& json) {
    found_.root = text_at(json, "root");
    for_each(json, "names", [&](const Json& name) { names_.push_back(name.is_string() ? name : Json("")); });
  }

  template <class File>
  void read_edges(const Json& json, File& file) {
    file.path = text_at(json, "path");
    file.soname = name_of(index_at(json, "soname"));
    for_each(json, "needs", [&](const Json& need) { file.needs.push_back(name_of(index_of(need))); });
    for_each(json, "targets", [&](const Json& target) { file.targets.push_back(index_of(target)); });
    if (file.targets.size() != file.needs.size()) file.targets.clear();
    for_each(json, "exceptions", [&](const Json& other) {
      const SurveyException exception{index_at(other, "root"), index_at(other, "need"), index_at(other, "target")};
      if (exception.need < file.targets.size()) file.exceptions.push_back(exception);
    });
    for_each(json, "links", [&](const Json& link) {
      if (const auto kind = find_named<SurveyLinkKind>(text_at(link, "kind"))) {
        file.links.push_back({*kind, name_of(index_at(link, "name")), index_at(link, "target")});
      }
    });
  }

  bool read_file(const Json& json) {
    if (index_at(json, "file") != found_.survey.files.size() || !found_.survey.outside.empty()) return false;
    SurveyedFile file;
    read_edges(json, file);
    if (const auto as = find_named<SurveyedAs>(text_at(json, "judged_as"))) file.as = *as;
    for_each(json, "loads", [&](const Json& loaded) { file.loads.push_back(index_of(loaded)); });
    for_each(json, "loads_others", [&](const Json& loaded) { file.loads_others.push_back(name_of(index_of(loaded))); });
    found_.survey.files.push_back(std::move(file));
    return true;
  }

  bool read_outside(const Json& json) {
    if (index_at(json, "file") != found_.survey.files.size() + found_.survey.outside.size()) return false;
    OutsideFile file;
    read_edges(json, file);
    found_.survey.outside.push_back(std::move(file));
    return true;
  }

  /// Numbers beyond the last file.
  void drop_unknown() {
    const std::size_t inside = found_.survey.files.size();
    const std::size_t all = inside + found_.survey.outside.size();
    const auto drop = [&](auto& file) {
      for (SurveyIndex& target : file.targets) target = target < all ? target : SurveyIndex{kNoFile};
      for (SurveyLink& link : file.links) link.target = link.target < all ? link.target : SurveyIndex{kNoFile};
      for (SurveyException& other : file.exceptions) {
        other.target = other.target < all ? other.target : SurveyIndex{kNoFile};
        other.root = other.root < inside ? other.root : SurveyIndex{kNoFile};
      }
    };
    for (SurveyedFile& file : found_.survey.files) {
      drop(file);
      std::erase_if(file.loads, [&](SurveyIndex loaded) { return loaded >= inside; });
    }
    for (OutsideFile& file : found_.survey.outside) drop(file);
  }

  std::string_view path_;
  std::size_t line_ = 0;
  std::vector<std::string> names_;
  ReadSurvey found_;
};

}  // namespace

Result<ReadSurvey> read_survey(std::string_view json_lines, std::string_view path) {
  return SurveyReader(path).read(json_lines);
}

}  // namespace soresolve
