// Text and JSON views of an examination of the machine.
#pragma once
#include <string>

#include "soresolve/api.h"
#include "soresolve/doctor.h"
#include "soresolve/report.h"

namespace soresolve SORESOLVE_API {

/// A line for each check; what does not pass is unfolded: why it matters, what was seen, what to do. Full: all of it.
std::string doctor_text(const DoctorReport& report, Colour colour, Detail detail);

/// Schema `soresolve/1`, "doctor".
std::string doctor_json(const DoctorReport& report);

}  // namespace SORESOLVE_API
