//! A value that is lent, or owned together with others.

use std::ops::Deref;
use std::rc::Rc;

/// Most of those who use a large value borrow it; what outlives every borrow keeps a share of it.
pub enum Shared<'a, T> {
    Lent(&'a T),
    Owned(Rc<T>),
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Lent(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Lent(value) => Self::Lent(value),
            Self::Owned(value) => Self::Owned(Rc::clone(value)),
        }
    }
}

impl<'a, T> From<&'a T> for Shared<'a, T> {
    fn from(value: &'a T) -> Self {
        Self::Lent(value)
    }
}

impl<T> From<Rc<T>> for Shared<'_, T> {
    fn from(value: Rc<T>) -> Self {
        Self::Owned(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_value_lives_as_long_as_its_last_share() {
        let lent = 3;
        let shares: Vec<Shared<'_, i32>> = vec![(&lent).into(), Rc::new(4).into()];
        let copies = shares.clone();
        drop(shares);
        assert_eq!(copies.iter().map(|share| **share).collect::<Vec<_>>(), [3, 4]);
    }
}
