// Makes doctest's own Meson build, as the wrap uses it, look like an installed doctest.
#pragma once
#include <doctest.h>
