//! Compiles the C yardstick where it is asked for.

fn main() {
    println!("cargo::rerun-if-changed=pairs.c");
    #[cfg(feature = "yardstick")]
    cc::Build::new().file("pairs.c").opt_level(3).flag("-march=native").compile("yardstick");
}
