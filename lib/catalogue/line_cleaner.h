// Takes out of a stream what is meant for a terminal: escape sequences (ECMA-48) and control
// characters. Without them a text of UTF-16 with Latin letters is readable as well.
#pragma once
#include <cstdint>

namespace soresolve {

class LineCleaner {
 public:
  /// Is `byte` part of the text? Carriage returns count as line ends.
  bool takes(char byte) {
    const auto code = static_cast<unsigned char>(byte);
    switch (state_) {
      case State::Text:
        if (code == 0x1b) {
          state_ = State::Escape;
          return false;
        }
        return code >= 0x20 ? code != 0x7f : byte == '\n' || byte == '\r' || byte == '\t';
      case State::Escape:
        state_ = byte == '[' ? State::Control : byte == ']' ? State::String : State::Text;
        return false;
      case State::Control:
        // A line end inside is damage: the sequence ends there.
        if (byte == '\n' || byte == '\r') return end_sequence(), true;
        if (code >= 0x40 && code <= 0x7e) end_sequence();
        return false;
      case State::String:
        if (byte == '\n' || byte == '\r') return end_sequence(), true;
        if (code == 0x07) end_sequence();
        if (code == 0x1b) state_ = State::Escape;  // ESC \ ends it
        return false;
    }
    return true;
  }

 private:
  enum class State : std::uint8_t { Text, Escape, Control, String };
  void end_sequence() { state_ = State::Text; }
  State state_ = State::Text;
};

}  // namespace soresolve
