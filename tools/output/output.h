// Writing the answer: whole, or told that it is not.
//
// An answer that is lost without a word is a wrong answer. So each of the programs writes through here: what can be
// tried again is, a reader that has gone ends the program as it would end cat(1), and all else is an error.
// Source: write(2), signal(7), pipe(7). Not here: standard error, whose loss cannot be told to anybody.
#pragma once
#include <string_view>

namespace soresolve::output {

/// Gives each of the descriptors 0 to 2 that is closed a place holder that can be neither read nor written: a file
/// that is opened later would get the number, and the answer would be written into it.
void hold_standard_descriptors();

/// A file that may not grow (RLIMIT_FSIZE) is an error of write(2) from now on, and ends the program by SIGXFSZ no
/// more. Programs that are started are not concerned.
void outlive_file_size_limit();

/// Writes all of `text`, and waits where a descriptor that does not block takes no more; 0 or an errno.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

/// Closes standard output, which is when some file systems tell that there was no room; 0 or an errno.
[[nodiscard]] int close_standard_output();

/// Ends `program`, whose answer could not be written: of SIGPIPE and without a word when the reader has gone, even
/// where the signal is ignored; else with a sentence on standard error and exit status 3.
[[noreturn]] void end_unwritten(std::string_view program, int error);

}  // namespace soresolve::output
