//! Arrays of numpy as columns that the core reads where they lie.

use numpy::ndarray::{ArrayView1, Zip, s};
use numpy::{
    Element, PyArrayDescrMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use tanager_core::data::{Domain, NAN_KEY, Source, real_key};

use crate::error::data_error;

/// A column as Python hands it over: (values, which of them are missing, whether they are places of levels, where −1 is
/// missing).
pub type Handed<'py> = (Bound<'py, PyUntypedArray>, Option<PyReadonlyArray1<'py, bool>>, bool);

/// An array that is kept from changing while it is read.
pub enum Held<'py> {
    Bool(Kept<'py, bool>),
    I8(Kept<'py, i8>),
    I16(Kept<'py, i16>),
    I32(Kept<'py, i32>),
    I64(Kept<'py, i64>),
    U8(Kept<'py, u8>),
    U16(Kept<'py, u16>),
    U32(Kept<'py, u32>),
    U64(Kept<'py, u64>),
    F32(Kept<'py, f32>),
    F64(Kept<'py, f64>),
}

/// Values, their mask, and whether they are places of levels.
pub struct Kept<'py, T: Element> {
    values: PyReadonlyArray1<'py, T>,
    mask: Option<PyReadonlyArray1<'py, bool>>,
    places: bool,
}

/// Holds the arrays of columns of one length.
pub fn hold<'py>(py: Python<'py>, columns: Vec<Handed<'py>>) -> PyResult<Vec<Held<'py>>> {
    let rows = columns.first().map_or(0, |(values, _, _)| values.len());
    let mut held = Vec::with_capacity(columns.len());
    for (values, mask, places) in columns {
        if values.ndim() != 1
            || values.len() != rows
            || mask.as_ref().is_some_and(|mask| mask.as_array().len() != rows)
        {
            return Err(data_error(py, "columns are 1-D arrays of one length"));
        }
        held.push(Held::new(py, &values, mask, places)?);
    }
    Ok(held)
}

impl<'py> Held<'py> {
    fn new(
        py: Python<'py>,
        values: &Bound<'py, PyUntypedArray>,
        mask: Option<PyReadonlyArray1<'py, bool>>,
        places: bool,
    ) -> PyResult<Self> {
        macro_rules! attempt {
            ($($kind:ident),*) => {$(
                if let Ok(values) = values.extract() {
                    return Ok(Self::$kind(Kept { values, mask, places }));
                }
            )*};
        }
        // By the letter first, so that one attempt is enough.
        match (values.dtype().kind(), values.dtype().itemsize()) {
            (b'b', _) => attempt!(Bool),
            (b'i', 1) => attempt!(I8),
            (b'i', 2) => attempt!(I16),
            (b'i', 4) => attempt!(I32),
            (b'i', 8) => attempt!(I64),
            (b'u', 1) => attempt!(U8),
            (b'u', 2) => attempt!(U16),
            (b'u', 4) => attempt!(U32),
            (b'u', 8) => attempt!(U64),
            (b'f', 4) => attempt!(F32),
            (b'f', 8) => attempt!(F64),
            _ => {}
        }
        Err(data_error(py, format!("a column of type {} cannot be read", values.dtype())))
    }

    /// The column for the core.
    pub fn source(&self) -> Box<dyn Source + '_> {
        match self {
            Self::Bool(kept) => kept.view(),
            Self::I8(kept) => kept.view(),
            Self::I16(kept) => kept.view(),
            Self::I32(kept) => kept.view(),
            Self::I64(kept) => kept.view(),
            Self::U8(kept) => kept.view(),
            Self::U16(kept) => kept.view(),
            Self::U32(kept) => kept.view(),
            Self::U64(kept) => kept.view(),
            Self::F32(kept) => kept.view(),
            Self::F64(kept) => kept.view(),
        }
    }
}

impl<T: Number> Kept<'_, T> {
    fn view(&self) -> Box<dyn Source + '_> {
        let mask = self.mask.as_ref().map(|mask| mask.as_array());
        Box::new(View::new(self.values.as_array(), mask, self.places))
    }
}

/// Does something with the columns of a matrix of numbers where they lie: one array is held, whatever their number.
pub fn with_columns_of<R>(
    matrix: &Bound<'_, PyUntypedArray>,
    work: impl FnOnce(&[Box<dyn Source + '_>]) -> PyResult<R>,
) -> PyResult<R> {
    macro_rules! of_type {
        ($type:ty) => {{
            let held: PyReadonlyArray2<'_, $type> = matrix.extract()?;
            let columns = held.as_array();
            let views = columns
                .columns()
                .into_iter()
                .map(|values| -> Box<dyn Source + '_> { Box::new(View::new(values, None, false)) });
            work(&views.collect::<Vec<_>>())
        }};
    }
    match (matrix.dtype().kind(), matrix.dtype().itemsize()) {
        (b'i', 1) => of_type!(i8),
        (b'i', 2) => of_type!(i16),
        (b'i', 4) => of_type!(i32),
        (b'i', 8) => of_type!(i64),
        (b'u', 1) => of_type!(u8),
        (b'u', 2) => of_type!(u16),
        (b'u', 4) => of_type!(u32),
        (b'u', 8) => of_type!(u64),
        (b'f', 4) => of_type!(f32),
        (b'f', 8) => of_type!(f64),
        _ => Err(data_error(matrix.py(), format!("a matrix of type {} cannot be read", matrix.dtype()))),
    }
}

struct View<'a, T> {
    values: ArrayView1<'a, T>,
    mask: Option<ArrayView1<'a, bool>>,
    places: bool,
    place: (usize, isize),
}

impl<'a, T: Element> View<'a, T> {
    fn new(values: ArrayView1<'a, T>, mask: Option<ArrayView1<'a, bool>>, places: bool) -> Self {
        let place = (values.as_ptr() as usize, values.strides()[0] * size_of::<T>() as isize);
        Self { values, mask, places, place }
    }
}

/// A number that has a key.
pub trait Number: Element + Copy + Sync {
    /// What its key is.
    const DOMAIN: Domain;
    /// Its key.
    fn key(self) -> u64;
    /// The same numbers, where they are of type `f64`.
    fn reals(_values: &[Self]) -> Option<&[f64]> {
        None
    }
}

macro_rules! number {
    ($($type:ty => $domain:ident, $key:expr;)*) => {$(
        impl Number for $type {
            const DOMAIN: Domain = Domain::$domain;
            #[inline(always)]
            fn key(self) -> u64 {
                let key: fn($type) -> u64 = $key;
                key(self)
            }
        }
    )*};
}
number! {
    bool => Unsigned, u64::from;
    i8 => Signed, |value| i64::from(value) as u64;
    i16 => Signed, |value| i64::from(value) as u64;
    i32 => Signed, |value| i64::from(value) as u64;
    i64 => Signed, |value| value as u64;
    u8 => Unsigned, u64::from;
    u16 => Unsigned, u64::from;
    u32 => Unsigned, u64::from;
    u64 => Unsigned, |value| value;
    f32 => Real, |value| real_key(f64::from(value));
}

impl Number for f64 {
    const DOMAIN: Domain = Domain::Real;

    #[inline(always)]
    fn key(self) -> u64 {
        real_key(self)
    }

    fn reals(values: &[Self]) -> Option<&[f64]> {
        Some(values)
    }
}

impl<T: Number> View<'_, T> {
    /// Something of each value from `start` on.
    fn each<O>(&self, start: usize, out: &mut [O], of: impl Fn(T) -> O) {
        let part = self.values.slice(s![start..start + out.len()]);
        match part.as_slice() {
            Some(values) => out.iter_mut().zip(values).for_each(|(out, &value)| *out = of(value)),
            None => Zip::from(out).and(part).for_each(|out, &value| *out = of(value)),
        }
    }
}

impl<T: Number> Source for View<'_, T> {
    fn rows(&self) -> usize {
        self.values.len()
    }

    fn domain(&self) -> Domain {
        T::DOMAIN
    }

    fn read(&self, start: usize, keys: &mut [u64]) {
        self.each(start, keys, T::key);
    }

    fn read_bytes(&self, start: usize, bytes: &mut [u8]) -> bool {
        self.each(start, bytes, |value| value.key() as u8);
        self.is_bytes()
    }

    fn look_up(&self, start: usize, base: u64, table: &[u8], codes: &mut [u8]) -> bool {
        let Some(last) = table.len().checked_sub(1).filter(|_| self.mask.is_none()) else { return false };
        self.each(start, codes, |value| table[(value.key().wrapping_sub(base) as usize).min(last)]);
        true
    }

    fn byte_key(&self, byte: u8) -> u64 {
        match T::DOMAIN {
            Domain::Signed => i64::from(byte as i8) as u64,
            _ => u64::from(byte),
        }
    }

    fn is_bytes(&self) -> bool {
        size_of::<T>() == 1
    }

    fn missing_key(&self) -> Option<u64> {
        match T::DOMAIN {
            Domain::Real => Some(NAN_KEY),
            Domain::Signed if self.places => Some(u64::MAX),
            _ => None,
        }
    }

    fn read_mask(&self, start: usize, mask: &mut [bool]) -> bool {
        let Some(known) = &self.mask else { return false };
        let part = known.slice(s![start..start + mask.len()]);
        mask.iter_mut().zip(part).for_each(|(mask, &known)| *mask = known);
        true
    }

    fn reals(&self) -> Option<&[f64]> {
        self.values.to_slice().filter(|_| self.mask.is_none()).and_then(T::reals)
    }

    fn place(&self) -> (usize, isize) {
        self.place
    }
}
