// Of an import of Python: what it opens, where it ends, what was left out of its sources.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kImportSentences[] = {
    {"head-import", {"import", "导入"}},
    {"head-raises", {"raises", "抛出异常"}},
    {"import-asks-for-wheel",
     {"{wheel} has what the exception of the import names", "导入时的异常所指的内容在 {wheel} 中"}},
    {"import-fails", {"import {module} fails: {exception}", "import {module} 失败：{exception}"}},
    {"import-of",
     {"{module} by {interpreter} (Python 3.{minor}): opens {count} {count|library|libraries}{caught}",
      "{interpreter}（Python 3.{minor}）导入 {module}：打开 {count} {count|个|个}库{caught}"}},
    {"import-caught", {"; {count} {count|failure is|failures are} caught", "；其中 {count} {count|个|个}失败被捕获"}},
    {"import-step", {"{file}  by {source}", "{file}  由 {source} 打开"}},
    {"import-step-guess",
     {"{file}  by {source} (guess: a condition there was not decided)",
      "{file}  由 {source} 打开（guess：那里的条件无法判断）"}},
    {"import-step-fails", {"{file}  by {source}: caught: {reason}", "{file}  由 {source} 打开：失败被捕获：{reason}"}},
    {"import-raised-by", {"by {source}", "由 {source} 抛出"}},
    {"import-text-unknown",
     {"the package catches it ({source}) and raises its own exception, with a text that is put together at run time",
      "该包捕获它（{source}）并抛出自己的异常，其文本在运行时才生成"}},
    {"import-bytecode", {"modules without sources (.pyc only) were not read", "没有源码（只有 .pyc）的模块未读取"}},
    {"import-cut-steps", {"only the first {count} libraries were followed", "只跟踪了前 {count} 个库"}},
    {"import-cut-depth",
     {"imports nested more than {count} deep were not followed", "嵌套超过 {count} 层的导入未跟踪"}},
    {"import-cut-sources", {"only the first {count} sources were read", "只读取了前 {count} 个源文件"}},
    {"import-cut-bytes",
     {"sources of more than {count} bytes, or that cannot be read, were left out",
      "超过 {count} 字节或无法读取的源文件未读取"}},
};

constexpr auto kImportSentencesByName = places_by_name(kImportSentences);

}  // namespace

SentenceTable import_sentences() { return {kImportSentences, kImportSentencesByName}; }

}  // namespace soresolve
