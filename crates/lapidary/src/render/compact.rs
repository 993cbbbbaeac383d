//! Shorter ways to write a state: neighbouring cells of equal value are written as one, `flag[0..4]=false`.

/// Fewer cells than this are written one by one: nothing is gained by a range.
const LEAST_CELLS: usize = 3;

/// One or more variables of equal value.
struct Entry<'a> {
    shape: Shape,
    value: &'a str,
    /// The variables behind it, for entries that turn out too small.
    names: Vec<&'a str>,
}

/// A name cut at its indexes: `P[0].pc` is the texts `P[` and `].pc` around the range 0..0.
#[derive(PartialEq, Eq)]
struct Shape {
    texts: Vec<String>,
    ranges: Vec<(u64, u64)>,
}

/// Writes a state as `name=value` items, in the order of its variables.
pub fn items(state: &[(String, String)]) -> Vec<String> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (name, value) in state {
        entries.push(Entry { shape: Shape::of(name), value, names: vec![name] });
        while merge_last_two(&mut entries) {}
    }
    entries.iter().flat_map(Entry::items).collect()
}

/// Rows merge first, then rows of rows: the last two entries are always the candidates.
fn merge_last_two(entries: &mut Vec<Entry<'_>>) -> bool {
    let [.., first, second] = &mut entries[..] else { return false };
    if first.value != second.value || !first.shape.extend(&second.shape) {
        return false;
    }
    let names = std::mem::take(&mut second.names);
    first.names.extend(names);
    entries.pop();
    true
}

impl Entry<'_> {
    fn items(&self) -> Vec<String> {
        if self.names.len() < LEAST_CELLS {
            return self.names.iter().map(|name| format!("{name}={}", self.value)).collect();
        }
        vec![format!("{}={}", self.shape.name(), self.value)]
    }
}

impl Shape {
    fn of(name: &str) -> Self {
        let mut shape = Self { texts: Vec::new(), ranges: Vec::new() };
        let mut text = String::new();
        let mut rest = name;
        while let Some(open) = rest.find('[') {
            let (before, inside) = rest.split_at(open + 1);
            text.push_str(before);
            rest = inside;
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if let Ok(index) = rest[..digits].parse() {
                shape.texts.push(std::mem::take(&mut text));
                shape.ranges.push((index, index));
                rest = &rest[digits..];
            }
        }
        shape.texts.push(text + rest);
        shape
    }

    /// Takes `next` in if it continues this shape in exactly one index.
    fn extend(&mut self, next: &Self) -> bool {
        if self.texts != next.texts {
            return false;
        }
        let mut differing = (0..self.ranges.len()).filter(|&i| self.ranges[i] != next.ranges[i]);
        let (Some(at), None) = (differing.next(), differing.next()) else { return false };
        if self.ranges[at].1.checked_add(1) != Some(next.ranges[at].0) {
            return false;
        }
        self.ranges[at].1 = next.ranges[at].1;
        true
    }

    fn name(&self) -> String {
        let mut name = String::new();
        for (text, (low, high)) in self.texts.iter().zip(&self.ranges) {
            name.push_str(text);
            name.push_str(&if low == high { low.to_string() } else { format!("{low}..{high}") });
        }
        name + self.texts.last().map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(state: &[(&str, &str)]) -> String {
        let state: Vec<_> = state.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        items(&state).join(" ")
    }

    #[test]
    fn two_cells_are_written_one_by_one_and_three_as_a_range() {
        assert_eq!(written(&[("f[0]", "0"), ("f[1]", "0")]), "f[0]=0 f[1]=0");
        assert_eq!(written(&[("f[0]", "0"), ("f[1]", "0"), ("f[2]", "0"), ("x", "0")]), "f[0..2]=0 x=0");
        assert_eq!(written(&[("f[0]", "0"), ("f[1]", "1"), ("f[2]", "0")]), "f[0]=0 f[1]=1 f[2]=0");
    }

    #[test]
    fn rows_of_equal_rows_are_one() {
        let cells = [("m[0][0]", "0"), ("m[0][1]", "0"), ("m[1][0]", "0"), ("m[1][1]", "0")];
        assert_eq!(written(&cells), "m[0..1][0..1]=0");
    }

    #[test]
    fn cells_of_processes_count_like_those_of_arrays() {
        let cells = [("P[1].pc", "idle"), ("P[2].pc", "idle"), ("P[3].pc", "idle"), ("P[3].j", "0")];
        assert_eq!(written(&cells), "P[1..3].pc=idle P[3].j=0");
    }

    #[test]
    fn gaps_and_odd_names_are_left_alone() {
        assert_eq!(written(&[("f[0]", "0"), ("f[2]", "0"), ("f[3]", "0")]), "f[0]=0 f[2]=0 f[3]=0");
        assert_eq!(
            written(&[("a[", "0"), ("a[x]", "0"), ("[99999999999999999999]", "0")]),
            "a[=0 a[x]=0 [99999999999999999999]=0"
        );
    }
}
