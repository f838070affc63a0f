// Source: see the header. Which manifest counts, where several are there: manifest.json of docker save, unless a
// platform is asked for.
#include "place/image.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/json_members.h"
#include "base/nesting.h"
#include "base/parallel.h"
#include "place/archive_tree.h"
#include "place/image_layers.h"
#include "place/layer_cache.h"

namespace soresolve {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostJsonBytes = 16 << 20;
constexpr std::size_t kMostNesting = 64;
constexpr int kMostIndexes = 8;  ///< within each other
constexpr std::size_t kMostLayers = 4096;

Unexpected<Error> refuse(ErrorCode code, const std::string& name, std::string message) {
  return Unexpected{Error{code, name, {}, std::move(message)}};
}

/// The hexadecimal digits of "sha256:…"; empty for anything else.
std::string sha256_of(std::string_view digest) {
  constexpr std::string_view kPrefix = "sha256:";
  if (!digest.starts_with(kPrefix) || digest.size() != kPrefix.size() + 64) return {};
  const std::string_view hex = digest.substr(kPrefix.size());
  const bool is_hex = hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_hex ? std::string(hex) : std::string();
}

/// Of a path whose last part is 64 digits, with or without an ending.
std::string sha256_in_path(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return sha256_of("sha256:" + std::string(path.substr(0, path.find('.'))));
}

struct LayerBlob {
  std::string path;
  std::string sha256;  ///< of the blob; empty: not said
  std::optional<std::uint64_t> size_bytes;
  bool may_be_absent = false;
  bool is_chunked = false;  ///< zstd:chunked: without the zeros behind its tar it is not what diff_id says
};

/// What is to be read.
struct Plan {
  std::string format;
  json config;
  std::vector<LayerBlob> layers;
  std::vector<std::string> notes;
};

struct Platform {
  std::string os;
  std::string architecture;
  std::string variant;
  [[nodiscard]] std::string text() const { return os + '/' + architecture + (variant.empty() ? "" : '/' + variant); }
};

Platform platform_of(const json& from) {
  return {text_of(member(from, "os")), text_of(member(from, "architecture")), text_of(member(from, "variant"))};
}

/// GOARCH of this machine.
std::string architecture_here() {
  utsname names{};
  if (::uname(&names) != 0) return "amd64";
  const std::string machine = names.machine;
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  if (machine.starts_with("arm")) return "arm";
  if (machine.size() == 4 && machine.front() == 'i' && machine.ends_with("86")) return "386";
  return machine;
}

/// "linux/arm64/v8", "linux/arm64", "arm64"; an empty part of either is any.
bool is_wanted(const Platform& platform, const std::string& wanted) {
  std::vector<std::string> parts(1);
  for (const char c : wanted) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() == 1) parts.insert(parts.begin(), "linux");
  parts.resize(3);
  const auto fits = [](const std::string& has, const std::string& wants) {
    return has.empty() || wants.empty() || has == wants;
  };
  return fits(platform.os, parts[0]) && fits(platform.architecture, parts[1]) && fits(platform.variant, parts[2]);
}

class ImageReading {
 public:
  ImageReading(const FileSystem& files, std::string name, const PlaceOptions& options)
      : files_(files), name_(std::move(name)), options_(options) {}

  /// nullopt: no image.
  Result<std::optional<Plan>> plan();

 private:
  [[nodiscard]] bool has(const std::string& path) const { return static_cast<bool>(files_.status(path)); }
  Result<json> read_json(const std::string& path, const std::string& sha256) const;
  Result<std::optional<Plan>> plan_of_docker(const json& manifest);
  Result<Plan> plan_of_oci();
  Result<Plan> plan_of_manifest(const json& manifest, const char* format);
  Result<json> choose_manifest();
  [[nodiscard]] bool is_tar_by_its_bytes(const std::string& path) const;
  std::optional<Error> collect(const json& index, int depth);
  [[nodiscard]] std::string blob_path(const std::string& digest) const;

  struct Candidate {
    json manifest;
    Platform platform;
    std::string ref;
  };
  const FileSystem& files_;
  std::string name_;
  const PlaceOptions& options_;
  bool is_flat_ = false;  ///< blobs lie beside the manifest, as in `dir:`
  std::set<std::string> seen_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> notes_;
};

Result<json> ImageReading::read_json(const std::string& path, const std::string& sha256) const {
  const Result<ByteRange> range = range_of_file(files_, path);
  if (!range) return refuse(range.error().code, name_, path + ": " + range.error().message);
  if (range->size_bytes > kMostJsonBytes) {
    return refuse(ErrorCode::LimitReached, name_,
                  path + " has more than " + std::to_string(kMostJsonBytes >> 20) + " MiB");
  }
  const std::vector<std::byte> bytes = first_bytes(*range, static_cast<std::size_t>(range->size_bytes));
  if (bytes.size() != range->size_bytes) return refuse(ErrorCode::Unreadable, name_, path + " cannot be read");
  if (!sha256.empty()) {
    Digest digest(DigestKind::Sha256);
    digest.add(bytes);
    const std::string found = digest.finish();
    if (found != sha256) {
      return refuse(ErrorCode::Malformed, name_,
                    path + ": its SHA-256 is " + found + ", not " + sha256 + " as the image says: it is damaged");
    }
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  json value =
      is_nested_deeper(text, kMostNesting) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
  if (value.is_discarded()) return refuse(ErrorCode::Malformed, name_, path + " is no JSON");
  return value;
}

std::string ImageReading::blob_path(const std::string& digest) const {
  const std::string hex = sha256_of(digest);
  if (hex.empty()) return {};
  return is_flat_ ? '/' + hex : "/blobs/sha256/" + hex;
}

/// manifest.json of `docker save`: an array, one for each image.
Result<std::optional<Plan>> ImageReading::plan_of_docker(const json& manifest) {
  std::vector<const json*> images;
  for (const json& image : manifest) {
    if (member(image, "Layers").is_array() && member(image, "Config").is_string()) images.push_back(&image);
  }
  if (images.empty()) return std::optional<Plan>();
  Plan plan;
  plan.format = "docker save";
  // The first one, or the first for the platform that is asked for.
  const json* chosen = nullptr;
  for (const json* const one : images) {
    const std::string config = text_of(member(*one, "Config"));
    Result<json> read = read_json('/' + config, sha256_in_path(config));
    if (!read) return Unexpected{read.error()};
    const bool fits = options_.platform.empty() || is_wanted(platform_of(*read), options_.platform);
    if (chosen != nullptr && !fits) continue;
    chosen = one;
    plan.config = std::move(*read);
    if (fits) break;
  }
  const json& image = *chosen;
  for (const std::string& path : texts_of(member(image, "Layers"))) {
    const bool is_blob = path.starts_with("blobs/sha256/");
    plan.layers.push_back({'/' + path, is_blob ? sha256_in_path(path) : std::string(), std::nullopt, false});
  }
  if (images.size() > 1) {
    const std::vector<std::string> tags = texts_of(member(image, "RepoTags"));
    plan.notes.push_back("it holds " + std::to_string(images.size()) +
                         " images: " + (&image == images.front() ? "the first one" : "one of them") +
                         (tags.empty() ? "" : ", " + tags.front() + ",") + " is taken");
  }
  return std::optional<Plan>(std::move(plan));
}

/// Collects the images of an index and of those that it names.
std::optional<Error> ImageReading::collect(const json& index, int depth) {
  if (depth > kMostIndexes) return Error{ErrorCode::LimitReached, name_, {}, "has indexes within indexes without end"};
  const json& manifests = member(index, "manifests");
  if (!manifests.is_array()) return std::nullopt;
  for (const json& descriptor : manifests) {
    const std::string digest = text_of(member(descriptor, "digest"));
    const std::string path = blob_path(digest);
    const bool is_attestation =
        text_of(member(member(descriptor, "annotations"), "vnd.docker.reference.type")) == "attestation-manifest";
    if (path.empty() || is_attestation || !seen_.insert(digest).second || !has(path)) continue;
    Result<json> read = read_json(path, sha256_of(digest));
    if (!read) return std::move(read).error();
    if (member(*read, "manifests").is_array()) {
      if (auto failed = collect(*read, depth + 1)) return failed;
      continue;
    }
    const std::string config_type = text_of(member(member(*read, "config"), "mediaType"));
    const bool is_image = config_type.empty() || config_type == "application/vnd.oci.image.config.v1+json" ||
                          config_type == "application/vnd.docker.container.image.v1+json";
    if (!member(*read, "layers").is_array() || !is_image) continue;
    const std::string ref = text_of(member(member(descriptor, "annotations"), "org.opencontainers.image.ref.name"));
    candidates_.push_back({std::move(*read), platform_of(member(descriptor, "platform")), ref});
  }
  return std::nullopt;
}

/// That of the platform that is asked for.
Result<json> ImageReading::choose_manifest() {
  // Where the index does not say, the image's own configuration does.
  for (Candidate& candidate : candidates_) {
    if (!candidate.platform.architecture.empty()) continue;
    const std::string digest = text_of(member(member(candidate.manifest, "config"), "digest"));
    const Result<json> config = read_json(blob_path(digest), sha256_of(digest));
    if (config) candidate.platform = platform_of(*config);
  }
  std::string others;
  std::vector<Candidate*> fitting;
  const std::string wanted = options_.platform.empty() ? architecture_here() : options_.platform;
  for (Candidate& candidate : candidates_) {
    if (is_wanted(candidate.platform, wanted)) fitting.push_back(&candidate);
    others += (others.empty() ? "" : ", ") + candidate.platform.text();
  }
  const bool is_only_one = candidates_.size() == 1 && options_.platform.empty();
  if (is_only_one) fitting = {&candidates_.front()};
  if (fitting.empty()) {
    return refuse(ErrorCode::NotFound, name_,
                  "has no image for " + wanted + " (--platform takes one of: " + others + ")");
  }
  if (fitting.size() > 1) {
    const std::string& ref = fitting.front()->ref;
    notes_.push_back("it holds " + std::to_string(fitting.size()) + " images for " + wanted + ": the first one" +
                     (ref.empty() ? "" : ", " + ref + ",") + " is taken");
  }
  return std::move(fitting.front()->manifest);
}

Result<Plan> ImageReading::plan_of_oci() {
  const Result<json> index = read_json("/index.json", {});
  if (!index) return Unexpected{index.error()};
  if (auto failed = collect(*index, 0)) return Unexpected{std::move(*failed)};
  if (candidates_.empty()) return refuse(ErrorCode::NotFound, name_, "its index names no image whose manifest is here");
  const Result<json> manifest = choose_manifest();
  if (!manifest) return Unexpected{manifest.error()};
  return plan_of_manifest(*manifest, "OCI layout");
}

/// Does a media type say that it is a tar, as it is or compressed? "…rootfs.diff.tar.gzip", "…layer.v1.tar+zstd".
bool is_of_tar(std::string_view type) {
  constexpr std::string_view kTar = ".tar";
  const std::size_t tar = type.rfind(kTar);
  if (tar == std::string_view::npos) return type.empty();
  const std::string_view end = type.substr(tar + kTar.size());
  const bool is_read = end.empty() || end.substr(1) == "gzip" || end.substr(1) == "zstd";
  const bool is_layer = type.find("layer") != std::string_view::npos || type.find("rootfs") != std::string_view::npos;
  return is_layer && is_read && (end.empty() || end.front() == '.' || end.front() == '+');
}

/// Whatever its media type is.
bool ImageReading::is_tar_by_its_bytes(const std::string& path) const {
  const Result<ByteRange> range = range_of_file(files_, path);
  if (!range) return false;
  const ArchiveKind kind = sniff_archive(first_bytes(*range));
  return kind.format == ArchiveFormat::Tar || kind.compression != Compression::None;
}

Result<Plan> ImageReading::plan_of_manifest(const json& manifest, const char* format) {
  Plan plan;
  plan.format = format;
  const std::string config = text_of(member(member(manifest, "config"), "digest"));
  const std::string config_path = blob_path(config);
  if (config_path.empty()) return refuse(ErrorCode::Unsupported, name_, "its manifest names no config by SHA-256");
  Result<json> read = read_json(config_path, sha256_of(config));
  if (!read) return Unexpected{read.error()};
  plan.config = std::move(*read);
  for (const json& layer : member(manifest, "layers")) {
    const std::string digest = text_of(member(layer, "digest"));
    const std::string type = text_of(member(layer, "mediaType"));
    const bool is_sealed = type.ends_with("+encrypted");
    if (is_sealed || (!is_of_tar(type) && !is_tar_by_its_bytes(blob_path(digest)))) {
      return refuse(ErrorCode::Unsupported, name_,
                    "layer " + std::to_string(plan.layers.size() + 1) + " is of the media type " + type +
                        ", which is not read here: copy the image with layers of tar, gzip or zstd (skopeo copy)");
    }
    LayerBlob blob;
    blob.path = blob_path(digest);
    blob.sha256 = sha256_of(digest);
    if (blob.path.empty())
      return refuse(ErrorCode::Unsupported, name_, "names a layer by '" + digest + "', not by SHA-256");
    if (member(layer, "size").is_number_unsigned()) blob.size_bytes = member(layer, "size").get<std::uint64_t>();
    blob.may_be_absent =
        type.find("foreign") != std::string::npos || type.find("nondistributable") != std::string::npos;
    const json& annotations = member(layer, "annotations");
    for (const std::string prefix : {"io.containers", "io.github.containers"})
      blob.is_chunked |= annotations.is_object() && annotations.contains(prefix + ".zstd-chunked.manifest-checksum");
    plan.layers.push_back(std::move(blob));
  }
  return plan;
}

Result<std::optional<Plan>> ImageReading::plan() {
  const bool has_index = has("/index.json") && has("/oci-layout");
  json manifest;
  if (has("/manifest.json")) {
    Result<json> read = read_json("/manifest.json", {});
    if (!read && !has_index) return std::optional<Plan>();
    if (read) manifest = std::move(*read);
  }
  if (manifest.is_array() && (options_.platform.empty() || !has_index)) {
    Result<std::optional<Plan>> plan = plan_of_docker(manifest);
    if (!plan || *plan) return plan;
  }
  if (manifest.is_object() && member(manifest, "layers").is_array()) {
    is_flat_ = true;
    Result<Plan> plan = plan_of_manifest(manifest, "skopeo dir");
    if (!plan) return Unexpected{std::move(plan).error()};
    return std::optional<Plan>(std::move(*plan));
  }
  if (!has_index) return std::optional<Plan>();
  Result<Plan> plan = plan_of_oci();
  if (!plan && plan.error().code == ErrorCode::NotFound && manifest.is_array()) {
    // Docker 25.0 wrote indexes without manifests, and manifests without layers (moby/moby#47065): what it saved
    // stands in manifest.json all the same.
    Result<std::optional<Plan>> saved = plan_of_docker(manifest);
    if (saved && *saved && (candidates_.empty() || is_wanted(platform_of((*saved)->config), options_.platform)))
      return saved;
  }
  if (!plan) return Unexpected{std::move(plan).error()};
  plan->notes.insert(plan->notes.end(), notes_.begin(), notes_.end());
  return std::optional<Plan>(std::move(*plan));
}

/// What the configuration says of each layer.
std::vector<ImageLayer> described_layers(const Plan& plan) {
  std::vector<ImageLayer> layers(plan.layers.size());
  const std::vector<std::string> diff_ids = texts_of(member(member(plan.config, "rootfs"), "diff_ids"));
  std::vector<std::string> lines;
  const json& history = member(plan.config, "history");
  if (history.is_array()) {
    for (const json& step : history) {
      const json& is_empty = member(step, "empty_layer");
      if (!is_empty.is_boolean() || !is_empty.get<bool>()) lines.push_back(text_of(member(step, "created_by")));
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!plan.layers[i].sha256.empty()) layers[i].digest = "sha256:" + plan.layers[i].sha256;
    layers[i].diff_id = diff_ids[i];
    if (lines.size() == layers.size()) layers[i].created_by = lines[i];
  }
  return layers;
}

/// A layer's tar of the directory of unpacked ones, if it is there by now. Errors: those of unpack_into() but for a
/// directory that takes nothing, which becomes a note.
Result<std::optional<ByteRange>> unpacked_layer(const std::string& cache, const PackedLayer& layer, std::string& note) {
  if (std::optional<ByteRange> known = find_unpacked(cache, layer.diff_id)) return known;
  Result<ByteRange> unpacked = unpack_into(cache, layer);
  if (unpacked) return std::optional<ByteRange>(std::move(*unpacked));
  if (unpacked.error().path != cache) return Unexpected{std::move(unpacked).error()};
  note = unpacked.error().to_string();
  return std::optional<ByteRange>();
}

/// One layer, as far as it is here. nullopt: it is foreign and lies elsewhere.
Result<std::optional<ArchiveTree>> read_layer(const FileSystem& files, const Plan& plan, std::size_t number,
                                              const ImageLayer& said, const std::string& name,
                                              const PlaceOptions& place_options, std::string& note) {
  const LayerBlob& blob = plan.layers[number - 1];
  const std::string where = name + ": layer " + std::to_string(number) + " (" + blob.path.substr(1) + ")";
  const Result<ByteRange> range = range_of_file(files, blob.path);
  if (!range && range.error().code == ErrorCode::NotFound && blob.may_be_absent) return std::optional<ArchiveTree>();
  if (!range) {
    return refuse(
        range.error().code, where,
        range.error().code == ErrorCode::NotFound ? "is not there: the image is not whole" : range.error().message);
  }
  if (blob.size_bytes && *blob.size_bytes != range->size_bytes) {
    return refuse(ErrorCode::Malformed, where,
                  "has " + std::to_string(range->size_bytes) + " bytes, not " + std::to_string(*blob.size_bytes) +
                      " as the image says: it is damaged");
  }
  ArchiveTreeOptions options;
  options.layer = static_cast<std::uint32_t>(number);
  options.whiteouts = Whiteouts::Yes;
  options.name = where;
  options.must_digest = place_options.verify == Verify::All;
  options.sha256 = blob.sha256;
  // A tar that is stored as it is has one digest under both names.
  const Compression how = sniff_archive(first_bytes(*range)).compression;
  const std::string diff_id = blob.is_chunked ? std::string() : sha256_of(said.diff_id);
  if (options.sha256.empty() && how == Compression::None) options.sha256 = diff_id;
  if (how == Compression::None && !diff_id.empty() && options.sha256 != diff_id) {
    return refuse(ErrorCode::Malformed, where,
                  "its SHA-256 is " + options.sha256 + " by the manifest and " + diff_id + " by the config");
  }
  options.unpacked_sha256 = diff_id;
  ByteRange tar = *range;
  if (how != Compression::None && !diff_id.empty() && !place_options.cache.empty()) {
    Result<std::optional<ByteRange>> unpacked =
        unpacked_layer(place_options.cache, {*range, how, blob.sha256, diff_id, where}, note);
    if (!unpacked) return Unexpected{std::move(unpacked).error()};
    if (*unpacked) {
      tar = std::move(**unpacked);
      options.sha256 = diff_id;
    }
  }
  Result<ArchiveTree> tree = read_archive_tree(tar, options);
  if (!tree) return Unexpected{std::move(tree).error()};
  return std::optional<ArchiveTree>(std::move(*tree));
}

ProcessDefaults defaults_of(const json& config) {
  ProcessDefaults defaults;
  defaults.env = texts_of(member(config, "Env"));
  defaults.cwd = text_of(member(config, "WorkingDir"));
  defaults.user = text_of(member(config, "User"));
  defaults.command = texts_of(member(config, "Entrypoint"));
  for (std::string& word : texts_of(member(config, "Cmd"))) defaults.command.push_back(std::move(word));
  return defaults;
}

Result<Place> assembled(const FileSystem& files, Plan plan, const std::string& name, const PlaceOptions& options) {
  if (plan.layers.size() > kMostLayers) {
    return refuse(ErrorCode::LimitReached, name, "has more than " + std::to_string(kMostLayers) + " layers");
  }
  const std::size_t said = texts_of(member(member(plan.config, "rootfs"), "diff_ids")).size();
  if (said != plan.layers.size()) {
    return refuse(ErrorCode::Malformed, name,
                  "its manifest has " + std::to_string(plan.layers.size()) + " layers and its config " +
                      std::to_string(said) + ": the image is not whole");
  }
  std::vector<ImageLayer> layers = described_layers(plan);
  std::vector<std::optional<Result<std::optional<ArchiveTree>>>> trees(layers.size());
  std::vector<std::string> cache_notes(layers.size());
  for_each_index(layers.size(), options.jobs, [&](unsigned, std::size_t i) {
    trees[i] = read_layer(files, plan, i + 1, layers[i], name, options, cache_notes[i]);
  });
  Place place;
  place.kind = PlaceKind::Image;
  place.format = plan.format;
  place.notes = std::move(plan.notes);
  const auto reported =
      std::find_if(cache_notes.begin(), cache_notes.end(), [](const auto& note) { return !note.empty(); });
  if (reported != cache_notes.end()) place.notes.push_back(*reported);
  TreeBuilder nothing(0, Whiteouts::No, 0);
  TreeNodePtr root = nothing.finish().root;
  std::vector<std::shared_ptr<const TreeFileSystem>> stages = {std::make_shared<TreeFileSystem>(root)};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string which = "layer " + std::to_string(i + 1);
    Result<std::optional<ArchiveTree>>& tree = *trees[i];
    if (!tree) return Unexpected{std::move(tree).error()};
    if (*tree) {
      tie_pending_hard_links((*tree)->built, root);
      for (const std::string& oddity : (*tree)->built.oddities) place.notes.push_back(which + ": " + oddity);
      for (PlaceGap& gap : (*tree)->built.gaps) place.gaps.push_back({std::move(gap.path), which + ": " + gap.reason});
      root = laid_over(root, (*tree)->built.root);
    } else {
      layers[i].is_absent = true;
      place.notes.push_back(which + " is a foreign one and not in the image: what it brings is missing here");
      place.gaps.push_back({"/", place.notes.back()});
    }
    stages.push_back(std::make_shared<TreeFileSystem>(root));
  }
  place.files = stages.back();
  place.layers = layers_of_image(std::move(layers), std::move(stages));
  place.platform = platform_of(plan.config).text();
  place.process = defaults_of(member(plan.config, "config"));
  return place;
}

}  // namespace

Result<std::optional<Place>> find_image(const std::shared_ptr<const FileSystem>& files, const std::string& name,
                                        const PlaceOptions& options) {
  Result<std::optional<Plan>> plan = ImageReading(*files, name, options).plan();
  if (!plan) return Unexpected{std::move(plan).error()};
  if (!*plan) return std::optional<Place>();
  const Platform platform = platform_of((*plan)->config);
  if (!options.platform.empty() && !is_wanted(platform, options.platform)) {
    return refuse(ErrorCode::NotFound, name, "is an image for " + platform.text() + ", not for " + options.platform);
  }
  Result<Place> place = assembled(*files, std::move(**plan), name, options);
  if (!place) return Unexpected{std::move(place).error()};
  return std::optional<Place>(std::move(*place));
}

}  // namespace soresolve
