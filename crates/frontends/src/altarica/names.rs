//! Tables from names to what they stand for, in order of declaration.

use lapidary_base::hash::Map;

#[derive(Clone, Debug)]
pub struct Names<T> {
    /// Where each name stands in the list.
    places: Map<String, usize>,
    list: Vec<(String, T)>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { places: Map::default(), list: Vec::new() }
    }
}

impl<T> Names<T> {
    pub fn get(&self, name: &str) -> Option<&T> {
        self.places.get(name).map(|&place| &self.list[place].1)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.places.get(name).map(|&place| &mut self.list[place].1)
    }

    /// Adds a name, or gives back what it stands for already.
    pub fn insert(&mut self, name: &str, content: T) -> Result<(), &T> {
        if let Some(&place) = self.places.get(name) {
            return Err(&self.list[place].1);
        }
        self.places.insert(name.to_owned(), self.list.len());
        self.list.push((name.to_owned(), content));
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.list.iter().map(|(name, content)| (name.as_str(), content))
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|(name, _)| name.as_str())
    }
}
