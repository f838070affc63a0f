// A layer has no name of its own. Its number is short, but another image on the same base numbers it otherwise; its
// digest is what registries and `docker history` know it by; the line of the recipe is what can be changed. So the
// words have all three, the digest cut as these tools cut it.
#include "report/layer_words.h"

#include <string>

#include "report/tones.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostOfRecipe = 120;  // bytes: a RUN line may be a whole script

/// The text's beginning, cut between characters of UTF-8.
std::string first_of(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto is_inside = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  while (most > 0 && is_inside(text[most])) --most;
  return text.substr(0, most) + "…";
}

}  // namespace

Statement layer_title(std::size_t number, const ImageLayer& layer) {
  const std::string digest = layer.short_digest();
  const Statement in_brackets = digest.empty() ? Statement{} : say("in-brackets", {{"text", words_of_others(digest)}});
  const Statement by = layer.created_by.empty()
                           ? Statement{}
                           : say("layer-by", {{"by", words_of_others(first_of(layer.created_by, kMostOfRecipe))}});
  return say("layer-title", {{"number", number}, {"digest", in_brackets}, {"by", by}});
}

Statement layer_words(const LayerOfFile& layer) {
  return say(layer.is_removed ? "file-removed-by-layer" : "file-brought-by-layer",
             {{"file", layer.path}, {"layer", layer_title(layer.number, layer.layer)}});
}

Words LayerLegend::note(std::string_view path) {
  if (layers_ == nullptr) return {};
  const std::optional<LayerOfFile> layer = layer_of_file(*layers_, *files_, path);
  if (!layer || layer->is_removed) return {};
  named_.try_emplace(layer->number, layer->layer);
  return dim(say("of-layer", {{"number", layer->number}}));
}

void LayerLegend::add_to(Page& page, const Statement& side) const {
  if (named_.empty()) return;
  page.blank();
  for (const auto& [number, layer] : named_) page.line(dim(Words(side) + layer_title(number, layer)));
}

}  // namespace soresolve
