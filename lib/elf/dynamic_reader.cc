// Three passes: the tags of PT_DYNAMIC, their strings in ascending order, the files that DT_VERNEED names. Source: gABI
// "Dynamic Section"; glibc 2.36 elf/get-dynamic-info.h:elf_get_dynamic_info (a tag that comes twice: the last counts),
// elf/dl-version.c:_dl_check_map_versions. Of symbols and relocations it notes only where their tables are.
#include "elf/dynamic_reader.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/load.h"
#include "elf/property_note.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

/// Everything between "the headers are known" and "the object is complete", in steps.
class Steps {
 public:
  Steps(ImageReader& reader, std::string_view path, DynamicScratch& scratch, LoaderView view)
      : reader_(reader), path_(path), is_musl_(view == LoaderView::Musl), text_(scratch.text),
        need_refs_(scratch.needs), version_refs_(scratch.version_files), wanted_(scratch.wanted),
        needs_(scratch.entries) {
    text_.clear();
    need_refs_.clear();
    version_refs_.clear();
    needs_.clear();
    if (is_musl_) strtab_ = 0;  // an address as any other
  }

  Result<ElfObject> run(const ElfHeader& header) {
    object_.target = {reader_.elf_class(), reader_.order(), header.machine, header.flags};
    object_.type = header.type;
    find_dynamic();
    if (header.machine == EM_X86_64 || header.machine == EM_386) {
      const PropertyNote note = read_property_note(reader_);
      object_.isa_needed = note.isa_needed;
      object_.needs_indirect_access = (note.needed & 1) != 0;
    }
    if (object_.has_dynamic) read_tags();
    if (!failed_ && object_.has_dynamic) read_tag_strings();
    if (!failed_ && is_musl_) read_what_musl_leaves();
    if (!failed_ && verneed_ != kNoAddress) read_verneed();
    if (is_musl_ && failed_ && object_.has_dynamic && are_tags_read_) {
      failed_.reset();
      object_.version_files.clear();
    }
    if (failed_) return Unexpected{std::move(*failed_)};
    object_.segments = std::move(reader_.segments());
    object_.file_bytes = reader_.file().status().size_bytes;
    return std::move(object_);
  }

  /// Where the kept strings go; moved into the object by the caller.
  [[nodiscard]] std::vector<std::unique_ptr<char[]>> take_text() { return std::move(texts_); }

 private:
  void fail(ErrorCode code, std::optional<std::uint64_t> offset, std::string message) {
    failed_ = Error{code, std::string(path_), offset, std::move(message)};
  }

  /// The last PT_DYNAMIC with file content counts; one without is what debuginfo files have.
  void find_dynamic() {
    for (const Segment& segment : reader_.segments()) {
      if (segment.type != PT_DYNAMIC || (segment.file_bytes == 0 && !is_musl_)) continue;
      dynamic_ = static_cast<std::uint64_t>(segment.vaddr);
      object_.has_dynamic = true;
    }
  }

  void leave(std::uint64_t address, std::string_view what) {
    const std::optional<ImageReader::Place> place = reader_.locate(address);
    if (place && !place->is_zero_fill) {
      fail(ErrorCode::Truncated, place->file_offset, "ends before " + std::string(what) + " does");
    } else {
      fail(ErrorCode::Malformed, reader_.place_to_show(address),
           std::string(what) + " lies outside the mapped segments");
    }
  }

  void read_tags() {
    const std::size_t entry_bytes = dynamic_entry_bytes(reader_.elf_class());
    const std::endian order = reader_.order();
    std::uint64_t address = dynamic_;
    for (std::size_t count = 0; count < kMaxDynamicEntries;) {
      const auto chunk = reader_.view(address, 64 * entry_bytes);
      if (chunk.size() < entry_bytes) return leave(address, "the dynamic section");
      const std::size_t entries = chunk.size() / entry_bytes;
      for (std::size_t i = 0; i < entries; ++i, ++count) {
        const std::byte* at = chunk.data() + i * entry_bytes;
        const bool wide = entry_bytes == 16;
        const std::uint64_t tag = wide ? load_as<std::uint64_t>(at, order) : load_as<std::uint32_t>(at, order);
        const std::uint64_t value =
            wide ? load_as<std::uint64_t>(at + 8, order) : load_as<std::uint32_t>(at + 4, order);
        if (tag == DT_NULL) return;
        take_tag(tag, value);
        if (needs_.size() > kMaxNeedsPerObject) {
          fail(ErrorCode::LimitReached, reader_.place_to_show(dynamic_),
               "has more than " + std::to_string(kMaxNeedsPerObject) + " DT_NEEDED entries");
          return;
        }
      }
      address += entries * entry_bytes;
    }
    fail(ErrorCode::LimitReached, reader_.place_to_show(dynamic_),
         "has a dynamic section of more than " + std::to_string(kMaxDynamicEntries) + " entries");
  }

  void take_tag(std::uint64_t tag, std::uint64_t value) {
    const auto need = [&](NeedKind kind) {
      needs_.push_back({kind, {}});
      need_refs_.push_back({value});
    };
    switch (tag) {
      case DT_NEEDED: need(NeedKind::Needed); break;
      case DT_AUXILIARY: need(NeedKind::Auxiliary); break;
      case DT_FILTER: need(NeedKind::Filter); break;
      case DT_STRTAB:
        strtab_ = value;
        object_.symbol_tags.string_table = Vaddr{value};
        break;
      case DT_SYMTAB: object_.symbol_tags.symbol_table = Vaddr{value}; break;
      case DT_HASH: object_.symbol_tags.sysv_hash = Vaddr{value}; break;
      case DT_GNU_HASH: object_.symbol_tags.gnu_hash = Vaddr{value}; break;
      case DT_VERSYM: object_.symbol_tags.version_index = Vaddr{value}; break;
      case DT_VERDEF: object_.symbol_tags.version_defs = Vaddr{value}; break;
      case 36: object_.symbol_tags.has_relr = true; break;  // DT_RELR
      case DT_SONAME: soname_ = StringRef{value}; break;
      case DT_RPATH: rpath_ = StringRef{value}; break;
      case DT_RUNPATH: runpath_ = StringRef{value}; break;
      case DT_AUDIT: audit_ = StringRef{value}; break;
      case DT_DEPAUDIT: depaudit_ = StringRef{value}; break;
      case DT_FLAGS:
        object_.flags = value | (object_.flags & DF_TEXTREL);
        object_.is_symbolic |= (value & DF_SYMBOLIC) != 0;
        object_.is_bind_now |= (value & DF_BIND_NOW) != 0;
        break;
      case DT_FLAGS_1:
        object_.flags_1 = value;
        object_.is_bind_now |= (value & DF_1_NOW) != 0;
        break;
      case DT_TEXTREL:
        object_.flags |= DF_TEXTREL;
        object_.has_textrel = true;
        break;
      case DT_SYMBOLIC: object_.is_symbolic = true; break;
      // musl keeps the values of tags: 0, as linkers write it, is as good as none (ldso/dynlink.c:prepare_lazy).
      case DT_BIND_NOW: object_.is_bind_now |= !is_musl_ || value != 0; break;
      case DT_RELA: object_.relocation_tags.rela.start = Vaddr{value}; break;
      case DT_RELASZ: object_.relocation_tags.rela.size_bytes = value; break;
      case DT_RELACOUNT: object_.relocation_tags.rela.relative_count = value; break;
      case DT_RELAENT: object_.relocation_tags.rela.entry_bytes = value; break;
      case DT_RELENT: object_.relocation_tags.rel.entry_bytes = value; break;
      case DT_REL: object_.relocation_tags.rel.start = Vaddr{value}; break;
      case DT_RELSZ: object_.relocation_tags.rel.size_bytes = value; break;
      case DT_RELCOUNT: object_.relocation_tags.rel.relative_count = value; break;
      case DT_JMPREL: object_.relocation_tags.plt = Vaddr{value}; break;
      case DT_PLTRELSZ: object_.relocation_tags.plt_size_bytes = value; break;
      case DT_PLTREL: object_.relocation_tags.plt_kind = value; break;
      case DT_VERNEED:
        verneed_ = value;
        object_.symbol_tags.version_needs = Vaddr{value};
        break;
      default: break;
    }
  }

  void read_tag_strings() {
    wanted_.clear();
    for (StringRef& ref : need_refs_) wanted_.push_back(&ref);
    if (is_musl_) audit_ = depaudit_ = std::nullopt;
    const std::optional<StringRef> soname = is_musl_ ? std::exchange(soname_, std::nullopt) : std::nullopt;
    for (std::optional<StringRef>* ref : {&soname_, &rpath_, &runpath_, &audit_, &depaudit_}) {
      if (*ref) wanted_.push_back(&**ref);
    }
    if (!read_strings()) return;
    are_tags_read_ = true;
    left_soname_ = soname;

    std::size_t next = 0;
    const std::string_view text = keep_text();
    object_.needs.assign(needs_.begin(), needs_.end());
    for (NeedEntry& need : object_.needs) need.name = resolved(text, need_refs_[next++]);
    const auto set = [&](std::optional<std::string_view>& to, const std::optional<StringRef>& ref) {
      if (ref && !ref->is_unmapped) to = resolved(text, *ref);
    };
    if (object_.unmapped_names) note_unmapped(*object_.unmapped_names);
    set(object_.soname, soname_);
    set(object_.rpath, rpath_);
    set(object_.runpath, runpath_);
    set(object_.audit, audit_);
    set(object_.depaudit, depaudit_);
  }

  void note_unmapped(UnmappedNames& unmapped) const {
    const auto first =
        std::find_if(need_refs_.begin(), need_refs_.end(), [](const StringRef& r) { return r.is_unmapped; });
    if (first != need_refs_.end()) unmapped.needs_from = static_cast<std::uint32_t>(first - need_refs_.begin());
    unmapped.soname = soname_ && soname_->is_unmapped;
    unmapped.search_path = (rpath_ && rpath_->is_unmapped) || (runpath_ && runpath_->is_unmapped);
  }

  /// What fails with names of which nothing is mapped is left to who uses them; musl's loader has no such reader.
  bool leave_unmapped(StringRef& ref) {
    if (is_musl_ || failed_->code == ErrorCode::LimitReached) return false;
    ref.is_unmapped = true;
    ref.length = 0;
    text_.resize(ref.start);
    if (!object_.unmapped_names) object_.unmapped_names.emplace().error = std::move(*failed_);
    failed_.reset();
    return true;
  }

  /// DT_SONAME, for people.
  void read_what_musl_leaves() {
    if (!left_soname_) return;
    text_.clear();
    if (!read_string(*left_soname_, strtab_ + left_soname_->offset + 256)) {
      failed_.reset();
      return;
    }
    object_.soname = resolved(keep_text(), *left_soname_);
  }

  /// Reads the strings in ascending order, so that near ones come with one read call.
  bool read_strings() {
    if (wanted_.empty()) return true;
    if (strtab_ == kNoAddress) {
      for (StringRef* ref : wanted_) {
        fail(ErrorCode::Malformed, reader_.place_to_show(dynamic_),
             "has names in its dynamic section but no DT_STRTAB");
        if (!leave_unmapped(*ref)) return false;
      }
      return true;
    }
    std::sort(wanted_.begin(), wanted_.end(),
              [](const StringRef* a, const StringRef* b) { return a->offset < b->offset; });
    std::uint64_t last = strtab_ + wanted_.back()->offset + 256;
    // Version needs usually follow the strings closely: one call can serve both.
    if (verneed_ != kNoAddress && verneed_ > last &&
        verneed_ - strtab_ < wanted_.front()->offset + ImageReader::kWindowBytes - 1024) {
      last = verneed_ + 1024;
    }
    for (StringRef* ref : wanted_) {
      if (!read_string(*ref, last) && !leave_unmapped(*ref)) return false;
    }
    return true;
  }

  bool read_string(StringRef& ref, std::uint64_t last) {
    ref.start = text_.size();
    std::uint64_t address = strtab_ + ref.offset;
    std::size_t chunk_bytes = 64;
    while (text_.size() - ref.start <= kMaxStringBytes) {
      const std::size_t ahead =
          last > address ? static_cast<std::size_t>(std::min<std::uint64_t>(last - address, ImageReader::kWindowBytes))
                         : 0;
      const auto bytes = reader_.view(address, chunk_bytes, ahead);
      if (bytes.empty()) {
        leave(address, "the string at offset " + std::to_string(ref.offset) + " of DT_STRTAB");
        return false;
      }
      const char* first = reinterpret_cast<const char*>(bytes.data());
      const std::size_t length = strnlen(first, bytes.size());
      text_.append(first, length);
      if (length < bytes.size()) {
        ref.length = text_.size() - ref.start;
        return true;
      }
      address += length;
      chunk_bytes = 4096;
    }
    fail(ErrorCode::LimitReached, reader_.place_to_show(strtab_ + ref.offset),
         "has a string of more than " + std::to_string(kMaxStringBytes) + " bytes");
    return false;
  }

  /// The files that versions are required from: vn_file of each record, followed by vn_next until
  /// it is 0 (glibc elf/dl-version.c:_dl_check_map_versions; DT_VERNEEDNUM is never looked at).
  void read_verneed() {
    if (strtab_ == kNoAddress) return;  // as the loader: without strings it checks no versions
    std::vector<StringRef>& files = version_refs_;
    std::uint64_t address = verneed_;
    for (std::size_t count = 0;; ++count) {
      if (count == kMaxVerneedRecords) {
        fail(ErrorCode::LimitReached, reader_.place_to_show(address),
             "has more than " + std::to_string(kMaxVerneedRecords) + " DT_VERNEED records, or they form a loop");
        return;
      }
      const auto bytes = reader_.view(address, 16, 1024);
      if (bytes.size() < 16) {
        leave(address, "the DT_VERNEED table");
        StringRef record;
        if (!leave_unmapped(record)) return;
        object_.unmapped_names->version_files = true;
        break;
      }
      const std::uint16_t version = load_as<std::uint16_t>(bytes.data(), reader_.order());
      if (version != 1 && count == 0) object_.odd_verneed_version = version;
      files.push_back({load_as<std::uint32_t>(bytes.data() + 4, reader_.order())});
      const std::uint32_t next = load_as<std::uint32_t>(bytes.data() + 12, reader_.order());
      if (next == 0) break;
      address += next;
    }
    wanted_.clear();
    object_.version_files.resize(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      // Linkers share the string with DT_NEEDED.
      const auto shared = std::find_if(need_refs_.begin(), need_refs_.end(),
                                       [&](const StringRef& r) { return r.offset == files[i].offset; });
      if (shared != need_refs_.end()) {
        object_.version_files[i] = object_.needs[static_cast<std::size_t>(shared - need_refs_.begin())].name;
      } else {
        wanted_.push_back(&files[i]);
      }
    }
    if (wanted_.empty()) return;
    text_.clear();
    if (!read_strings()) return;
    const std::string_view text = keep_text();
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].is_unmapped) {
        object_.version_files.resize(i);
        object_.unmapped_names->version_files = true;
        return;
      }
      if (object_.version_files[i].data() == nullptr) {
        object_.version_files[i] = resolved(text, files[i]);
      }
    }
  }

  static std::string_view resolved(std::string_view text, const StringRef& ref) {
    return text.substr(ref.start, ref.length);
  }

  /// Copies the collected strings to where they stay.
  std::string_view keep_text() {
    auto kept = std::make_unique<char[]>(text_.size() + 1);
    std::memcpy(kept.get(), text_.data(), text_.size());
    const std::string_view view(kept.get(), text_.size());
    texts_.push_back(std::move(kept));
    return view;
  }

  ImageReader& reader_;
  std::string_view path_;
  bool is_musl_;
  std::string& text_;
  std::vector<StringRef>& need_refs_;
  std::vector<StringRef>& version_refs_;
  std::vector<StringRef*>& wanted_;
  std::vector<NeedEntry>& needs_;
  ElfObject object_;
  std::optional<Error> failed_;
  std::vector<std::unique_ptr<char[]>> texts_;

  std::uint64_t dynamic_ = kNoAddress;
  std::uint64_t strtab_ = kNoAddress;
  std::uint64_t verneed_ = kNoAddress;
  std::optional<StringRef> soname_, rpath_, runpath_, audit_, depaudit_;
  std::optional<StringRef> left_soname_;  ///< musl's loader does not read it
  bool are_tags_read_ = false;            ///< what musl's loader reads
};

}  // namespace

Result<Interp> read_interp(ImageReader& reader, std::string_view path) {
  const auto fail = [&](ErrorCode code, const Segment& segment, std::string message) {
    return Unexpected{Error{code, std::string(path), segment.file_offset, std::move(message)}};
  };
  for (const Segment& segment : reader.segments()) {
    if (segment.type != PT_INTERP) continue;
    if (segment.file_bytes < 2 || segment.file_bytes > 4096) {
      return fail(ErrorCode::Malformed, segment, "has a PT_INTERP of " + std::to_string(segment.file_bytes) + " bytes");
    }
    const std::size_t size = static_cast<std::size_t>(segment.file_bytes);
    const auto bytes = reader.file_view(segment.file_offset, size);
    if (bytes.size() != size) {
      return fail(ErrorCode::Truncated, segment, "ends before its PT_INTERP does");
    }
    if (bytes.back() != std::byte{0}) {
      return fail(ErrorCode::Malformed, segment, "has a PT_INTERP without a final NUL");
    }
    Interp interp;
    interp.bytes = std::make_unique_for_overwrite<char[]>(size);
    std::memcpy(interp.bytes.get(), bytes.data(), size);
    interp.path = interp.bytes.get();
    return interp;
  }
  return Interp{};
}

Result<ElfObject> DynamicReader::read(ImageReader& reader, const ElfHeader& header, std::string_view path,
                                      DynamicScratch& scratch, LoaderView view) {
  Steps steps(reader, path, scratch, view);
  Result<ElfObject> object = steps.run(header);
  if (object) object->strings_ = steps.take_text();
  return object;
}

}  // namespace soresolve
