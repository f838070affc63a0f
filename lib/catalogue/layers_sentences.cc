// What `check --layers` says of a file and of each layer of an image.
#include "catalogue/sentences.h"

namespace soresolve {
namespace {

constexpr Sentence kLayersSentences[] = {
    {"layers-broken-by", {"{file}: fails since layer {number}: {by}", "{file}：从第 {number} 层起失败：{by}"}},
    {"layers-never-worked",
     {"{file}: fails since layer {number}, which brings it: {by}", "{file}：从带来它的第 {number} 层起就失败：{by}"}},
    {"layers-absent", {"{file}: is not in the image", "{file}：不在镜像中"}},
    {"layers-work", {"{file}: works in the image", "{file}：在镜像中可以工作"}},
    {"layers-depend", {"{file}: leaves symbols to the process that loads it", "{file}：把一些符号留给加载它的进程"}},
    {"layer-number", {"{number}. ", "{number}. "}},
    {"layer-absent", {"not there", "还没有"}},
    {"layer-works", {"works", "可以工作"}},
    {"layer-depends", {"depends on its process", "取决于进程"}},
    {"layer-fails", {"fails", "失败"}},
    {"layer-is-foreign", {"(its blob is not in the image)", "（镜像中没有它的内容）"}},
};

constexpr auto kLayersSentencesByName = places_by_name(kLayersSentences);

}  // namespace

SentenceTable layers_sentences() { return {kLayersSentences, kLayersSentencesByName}; }

}  // namespace soresolve
