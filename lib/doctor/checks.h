// The doctor's checks, each a function of the machine.
#pragma once
#include "doctor/inventory.h"
#include "doctor/machine.h"

namespace soresolve {

DoctorCheck check_platform(const Machine& machine, Inventory& inventory);
DoctorCheck check_device_nodes(const Machine& machine, Inventory& inventory);
DoctorCheck check_kernel_module(const Machine& machine, Inventory& inventory);
DoctorCheck check_gpus(const Machine& machine, Inventory& inventory);
DoctorCheck check_driver(const Machine& machine, Inventory& inventory);
DoctorCheck check_environment(const Machine& machine, Inventory& inventory);
DoctorCheck check_library_path(const Machine& machine, Inventory& inventory);
DoctorCheck check_cache(const Machine& machine, Inventory& inventory);
DoctorCheck check_toolkits(const Machine& machine, Inventory& inventory);
DoctorCheck check_runtimes(const Machine& machine, Inventory& inventory);
DoctorCheck check_cudnn(const Machine& machine, Inventory& inventory);
DoctorCheck check_frameworks(const Machine& machine, Inventory& inventory);

/// Of a report whose checks are made.
DoctorVerdict decide_verdict(const Machine& machine, const DoctorReport& report);

/// Lines of others, such as paths, each as a statement.
std::vector<Statement> as_statements(const std::vector<std::string>& lines);
/// "CUDA 12.4", or that it is not told.
Statement release_of(const DottedVersion& cuda);

/// The worst of two results; one that is skipped counts less than one that passes.
DoctorResult worse(DoctorResult a, DoctorResult b);
/// What the check has seen is a case of `code`.
void note_problem(DoctorCheck& check, ProblemCode code);
/// Adds an item, and makes the check no better than it.
DoctorItem& add_item(DoctorCheck& check, DoctorResult result, Statement text, std::vector<Statement> proof = {});

}  // namespace soresolve
