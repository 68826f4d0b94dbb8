/*
 * version -- the number of the release and the commit of a program:
 * "0.1.0+git.f967ce3a12". The Makefile writes both into each program. Test programs have
 * no version.
 */
#pragma once

extern const char version_text[];		/* at most 32 bytes */
