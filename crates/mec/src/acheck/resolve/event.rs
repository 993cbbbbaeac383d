//! Labels: which events of the tree a path names.

use lapidary_ir::tree::EPSILON;
use lapidary_ir::{EventRef, Tree};
use lapidary_text::Diagnostic;
use lapidary_text::spelling::nearest;

use super::super::ast::Name;
use super::super::codes;
use super::{Failed, Resolved, Resolver};

impl Resolver<'_> {
    /// The events that the path names; a name of an array stands for all its elements.
    pub(super) fn label(&mut self, path: &Name) -> Resolved<Vec<EventRef>> {
        let found: Vec<EventRef> =
            events(self.tree).filter(|&event| names(&path.text, &self.tree.event_name(event))).collect();
        if found.is_empty() {
            let message = format!("`{}` has no event `{}`", self.tree.name, path.text);
            let mut diagnostic = Diagnostic::error(codes::UNKNOWN_EVENT, message, path.span, "unknown event");
            if let Some(help) = self.help_with_events(&path.text) {
                diagnostic = diagnostic.with_help(help);
            }
            self.log.push(diagnostic);
            return Err(Failed);
        }
        Ok(found)
    }

    /// Where events of this last name are, or which event has a name like this.
    fn help_with_events(&self, path: &str) -> Option<String> {
        if path == "epsilon" {
            return Some("`epsilon` alone is the set of transitions in which nothing happens".to_owned());
        }
        let last = path.rsplit('.').next().unwrap_or(path);
        let all = events(self.tree).map(|event| self.tree.event_name(event));
        let all: Vec<String> = all.collect();
        let is_alike = |name: &&str| name.rsplit('.').next() == Some(last);
        let alike: Vec<&str> = all.iter().map(String::as_str).filter(is_alike).take(4).collect();
        if alike.is_empty() {
            return nearest(path, all.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        }
        Some(format!("there is `{}`", alike.join("`, `")))
    }

    /// Models keep one attribute of events: whether they are public.
    pub(super) fn attribute(&mut self, name: &Name) -> Resolved<Vec<EventRef>> {
        if name.text != "public" {
            return Err(self.unsupported(name.span, &format!("attribute {}", name.text)));
        }
        let tree = self.tree;
        Ok(events(tree).filter(|event| tree.components[event.component].events[event.event].is_public).collect())
    }
}

/// All events but the epsilons.
fn events(tree: &Tree) -> impl Iterator<Item = EventRef> + '_ {
    tree.components.enumerated().flat_map(|(component, declared)| {
        let events = declared.events.ids().filter(|&event| event != EPSILON);
        events.map(move |event| EventRef { component, event })
    })
}

/// Whether the path is this name, or this name without some indexes at the ends of its parts.
fn names(path: &str, name: &str) -> bool {
    let (mut parts, mut found) = (path.split('.'), name.split('.'));
    loop {
        match (parts.next(), found.next()) {
            (None, None) => return true,
            (Some(part), Some(found)) => match found.strip_prefix(part) {
                Some(rest) if rest.is_empty() || rest.starts_with('[') => {}
                Some(_) | None => return false,
            },
            (Some(_), None) | (None, Some(_)) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn an_array_stands_for_all_its_elements() {
        assert!(names("V.dec", "V[0].dec") && names("V[1].close", "V[1].close[2]") && names("a", "a"));
        assert!(!names("V[1].dec", "V[0].dec") && !names("V", "V[0].dec") && !names("ab", "abc"));
        assert!(!names("V.dec.x", "V[0].dec"));
    }
}
