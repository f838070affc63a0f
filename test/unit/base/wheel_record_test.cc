// RECORD of a wheel, line by line: any bytes.
#include "base/wheel_record.h"

#include <doctest/doctest.h>

#include <string>

using namespace soresolve;

namespace {

/// "PATH|DIGEST|SIZE" of each line, one behind the other.
std::string lines_of(std::string_view text) {
  std::string lines;
  visit_wheel_record(text, [&](const WheelRecordLine& line) {
    lines += std::string(line.path) + "|" + std::string(line.digest) + "|" +
             (line.size_bytes ? std::to_string(*line.size_bytes) : "-") + "\n";
    return true;
  });
  return lines;
}

}  // namespace

TEST_CASE("a line of RECORD is a path, a digest and a size") {
  struct Case {
    const char* why;
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {"whole", "a/b.so,sha256=xyz,12\n", "a/b.so|sha256=xyz|12\n"},
      {"RECORD itself has neither", "a-1.dist-info/RECORD,,\n", "a-1.dist-info/RECORD||-\n"},
      {"line ends of Windows, and none at the end", "a,x,1\r\nb,y,2", "a|x|1\nb|y|2\n"},
      {"a comma in quotes, and quotes", "\"a,\"\"b\"\"\",x,3\n", "a,\"b\"|x|3\n"},
      {"quotes without an end", "\"a,x,3\nb,y,4\n", "a,x,3||-\nb|y|4\n"},
      {"only a path", "a\n", "a||-\n"},
      {"no path", ",x,1\n\n\"\",y,2\n", ""},
      {"a size that is no number", "a,x,1k\nb,x,-1\nc,x,99999999999999999999\n", "a|x|-\nb|x|-\nc|x|-\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(lines_of(c.text) == c.want);
  }
}

TEST_CASE("the visit ends where it is told to") {
  int count = 0;
  visit_wheel_record("a,,\nb,,\nc,,\n", [&](const WheelRecordLine& line) {
    ++count;
    return line.path != "b";
  });
  CHECK(count == 2);
}
