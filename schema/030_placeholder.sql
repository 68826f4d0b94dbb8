-- A place for another branch, whose migration replaces this file.
DO 0;
