//! Tests of independence given the class.
