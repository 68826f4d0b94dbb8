#include "base/version.h"

/* Weak: the text that the Makefile writes replaces it. */
__attribute__((weak)) const char version_text[] = "unversioned";
