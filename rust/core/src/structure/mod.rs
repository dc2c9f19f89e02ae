//! Structures, and the learners that find them.
