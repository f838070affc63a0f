// Lets a CHECK that fails print lists of strings.
#pragma once
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace doctest {

template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& list) {
    std::string text = "{";
    for (const std::string& element : list) text += (text.size() > 1 ? ", \"" : "\"") + element + '"';
    return (text + "}").c_str();
  }
};

}  // namespace doctest
