// What libsoresolve.so shows to those who link it.
//
// The library is compiled with hidden visibility. A public header opens the namespace with this
// attribute, which holds for what is declared in that block only (GCC manual, "Namespace
// Attributes"); what internal headers and sources declare stays hidden. lib/packaging/exports.map then gives
// the symbols their versions, and test/exports keeps the list.
#pragma once

#define SORESOLVE_API __attribute__((visibility("default")))
