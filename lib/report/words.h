// What lists share, for those that print by themselves.
#pragma once
#include "report/names.h"
#include "report/paint.h"
