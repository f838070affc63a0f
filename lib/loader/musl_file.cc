// The file that a request of a walk in musl's way has opened: what the loader makes of it.
//
//   map_file             is it loaded already? By device and inode, whatever its name
//   read_library         map_library: is it one, for this machine, and does mmap(2) take it
//   is_in_the_way        a program linked to fixed addresses has to have them free
//   defines_libc              another libc is passed over for the loader itself (musl_libc.cc)
//
// Source: musl 1.2 ldso/dynlink.c: load_library behind its open, map_library. How the file is found is in
// musl_request.cc. Left out: files whose segments the kernel refuses to map, but for segments without a byte, which
// releases up to 1.2.2 give to mmap(2); program headers of more than memory holds; what lies behind the last of them
// where e_phentsize is less than one has, which is taken from the file.
#include <elf.h>

#include <algorithm>
#include <cerrno>

#include "base/limits.h"
#include "base/path.h"
#include "elf/image_reader.h"
#include "loader/musl_libc.h"
#include "loader/musl_walk.h"

namespace soresolve {
namespace {

/// Gives each segment the file offset of what mmap(2) puts at its address: nobody asks whether offset and address agree
/// within a page. The lowest segment is mapped first, as far as the highest one reaches, and what begins on its first
/// page stays as that has it.
void place_on_pages(std::vector<Segment>& segments, std::uint64_t page) {
  const auto start_of = [](const Segment& segment) { return static_cast<std::uint64_t>(segment.vaddr); };
  const auto page_of = [page](std::uint64_t number) { return number / page * page; };
  const Segment* lowest = nullptr;
  for (const Segment& segment : segments) {
    if (segment.type != PT_LOAD) continue;
    if (lowest == nullptr || start_of(segment) < start_of(*lowest)) lowest = &segment;
  }
  if (lowest == nullptr) return;
  const std::uint64_t first_page = page_of(start_of(*lowest));
  const std::uint64_t first_offset = page_of(lowest->file_offset);
  for (Segment& segment : segments) {
    if (segment.type != PT_LOAD) continue;
    const std::uint64_t own_page = page_of(start_of(segment));
    const std::uint64_t offset = own_page == first_page ? first_offset : page_of(segment.file_offset);
    segment.file_offset = offset + (start_of(segment) - own_page);
    // What it clears it clears to the end of the page.
    if (segment.memory_bytes > segment.file_bytes) {
      segment.memory_bytes += (page - (start_of(segment) + segment.memory_bytes) % page) % page;
    }
  }
}

}  // namespace

MuslWalk::Resolved MuslWalk::map_file(ObjectIndex searcher, std::string_view name, bool is_searched, Need& need) {
  const FileStatus status = file_->status();
  for (std::size_t i = 1; i < list_.size(); ++i) {
    const ObjectIndex index = list_[i];
    LoadedObject& object = map_.objects[index];
    if (object.role != ObjectRole::Library || object.status.id != status.id) continue;
    note(found_.step, found_.owner, found_.entry, path_, Outcome::SameFile);
    if (!known_[index].shortname && is_searched) known_[index].shortname = std::string(file_name_of(object.path));
    object.other_names.push_back(need.name);
    return {index, HowFound::ByFile};
  }
  if (only_if_loaded_) return {kNoObject, HowFound::NotLoaded};
  std::optional<ElfObject> elf = read_library(path_);
  if (!elf) {
    note(found_.step, found_.owner, found_.entry, path_, death_.empty() ? Outcome::Fatal : Outcome::WouldCrash);
    if (trace_ != nullptr && !trace_->attempts.empty()) {
      trace_->attempts.back().text = death_.empty() ? musl_errno_text(errno_) : death_;
    }
    return {kNoObject, HowFound::Failed};
  }
  if (elf->type == ET_EXEC && is_in_the_way(*elf)) {
    errno_ = errno_of(EBUSY);
    note(found_.step, found_.owner, found_.entry, path_, Outcome::Fatal);
    if (trace_ != nullptr && !trace_->attempts.empty()) trace_->attempts.back().text = musl_errno_text(errno_);
    return {kNoObject, HowFound::Failed};
  }
  if (!elf->symbol_tags.sysv_hash && !elf->symbol_tags.gnu_hash) {
    note(found_.step, found_.owner, found_.entry, path_, Outcome::WouldCrash);
    death_ = "has neither DT_HASH nor DT_GNU_HASH, which the loader looks into at once";
    is_over_ = true;
    return {kNoObject, HowFound::Failed};
  }
  if (defines_libc(*file_, *elf, tables_)) {
    note(found_.step, found_.owner, found_.entry, path_, Outcome::SameFile);
    return itself(HowFound::ByFile);
  }
  note(found_.step, found_.owner, found_.entry, path_, Outcome::Loaded);
  LoadedObject object;
  object.path = keep(path_);
  object.requested_name = need.name;
  object.elf = std::move(*elf);
  object.status = status;
  edit_tags(object, options_, map_.text);
  object.loader = searcher;
  object.found = found_;
  if (open_files_ < kMaxOpenFiles) {
    ++open_files_;
    object.file = std::move(file_);
  }
  Known known;
  if (is_searched) known.shortname = std::string(name);
  const ObjectIndex index = add_object(std::move(object), std::move(known));
  list_.push_back(index);
  return {index, HowFound::Mapped};
}

/// map_library, as far as it is up to the file; sets errno where it refuses one.
std::optional<ElfObject> MuslWalk::read_library(std::string_view path) {
  if (file_->status().kind == FileKind::Directory) {
    errno_ = errno_of(EISDIR);
    return std::nullopt;
  }
  const ElfTarget& target = system_.rules.target;
  ImageReader reader(*file_);
  const auto refuse = [&](Errno error) {
    errno_ = error == Errno::None ? errno_of(ENOEXEC) : error;
    return std::nullopt;
  };
  if (reader.head().size() < elf_header_bytes(target.elf_class)) return refuse(reader.head_error());
  const ElfHeader header = reader.header(target.elf_class, target.byte_order);
  if (header.type != ET_DYN && header.type != ET_EXEC) return refuse(Errno::None);
  const ImageReader::TableRead read = reader.read_segments(header, target.elf_class, target.byte_order);
  if (!read.complete) return refuse(read.error);
  place_on_pages(reader.segments(), page_bytes(target.machine));
  const auto& segments = reader.segments();
  const auto is_dynamic = [](const Segment& segment) {
    return segment.type == PT_DYNAMIC && static_cast<std::uint64_t>(segment.vaddr) != 0;
  };
  if (std::none_of(segments.begin(), segments.end(), is_dynamic)) return refuse(Errno::None);
  if (maps_nothing(segments)) return refuse(errno_of(EINVAL));
  const auto is_code = [](const Segment& segment) {
    return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 && segment.memory_bytes != 0;
  };
  if (std::any_of(segments.begin(), segments.end(), is_code) && file_->is_on_noexec()) {
    is_on_noexec_ = true;
    return refuse(errno_of(EPERM));
  }
  Result<ElfObject> elf = DynamicReader::read(reader, header, path, scratch_, LoaderView::Musl);
  if (!elf) {
    is_over_ = true;
    if (elf.error().code == ErrorCode::LimitReached || elf.error().code == ErrorCode::Unreadable) {
      error_ = elf.error();
    } else {
      death_ = elf.error().message;  // it is mapped, and followed
    }
    return std::nullopt;
  }
  return std::move(elf).value();
}

/// Up to 1.2.2 a segment without a byte, on a page of its own, is given to mmap(2), which refuses it.
bool MuslWalk::maps_nothing(const std::vector<Segment>& segments) const {
  if (system_.rules.musl_version >= MuslVersion{1, 2, 3}) return false;
  const std::uint64_t page = page_bytes(system_.rules.target.machine);
  const auto start_of = [](const Segment& segment) { return static_cast<std::uint64_t>(segment.vaddr); };
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const Segment& segment : segments) {
    if (segment.type == PT_LOAD) lowest = std::min(lowest, start_of(segment) / page);
  }
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.type == PT_LOAD && segment.memory_bytes == 0 && start_of(segment) % page == 0 &&
           start_of(segment) / page != lowest;
  });
}

/// Is one of its own addresses taken by another file that is loaded at fixed ones?
bool MuslWalk::is_in_the_way(const ElfObject& elf) const {
  const std::uint64_t page = page_bytes(system_.rules.target.machine);
  const auto range_of = [page](const ElfObject& of) {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (const Segment& segment : of.segments) {
      if (segment.type != PT_LOAD) continue;
      const std::uint64_t start = static_cast<std::uint64_t>(segment.vaddr);
      first = std::min(first, start / page * page);
      last = std::max(last, (start + segment.memory_bytes + page - 1) / page * page);
    }
    return std::pair(first, last);
  };
  const std::pair<std::uint64_t, std::uint64_t> own = range_of(elf);
  return own.first != 0 && std::any_of(list_.begin(), list_.end(), [&](ObjectIndex index) {
           const ElfObject& other = map_.objects[index].elf;
           if (other.type != ET_EXEC) return false;
           const auto [start, end] = range_of(other);
           return start < own.second && own.first < end;
         });
}

}  // namespace soresolve
