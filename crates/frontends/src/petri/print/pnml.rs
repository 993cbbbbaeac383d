//! PNML for ordinary nets, and properties as the Model Checking Contest has them.

use lapidary_ir::{Model, Net, PlaceId};
use lapidary_text::xml::attribute as escaped;

use super::super::formula::linear::Linear;
use super::condition::{Condition, Truth};
use super::plain::{Plain, plain};
use super::{Question, Unwritable, question, unwritable};

/// The net in PNML, with the names of places and transitions as ids.
pub fn pnml(net: &Net) -> Result<String, Unwritable> {
    let Plain { places, transitions } = plain(net)?;
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n";
    text += "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n    <page id=\"page\">\n";
    for (name, tokens) in &places {
        let (id, marking) = (escaped(name), format!("<initialMarking><text>{tokens}</text></initialMarking>"));
        text += &format!("      <place id=\"{id}\"><name><text>{id}</text></name>{marking}</place>\n");
    }
    for transition in &transitions {
        let id = escaped(&transition.name);
        text += &format!("      <transition id=\"{id}\"><name><text>{id}</text></name></transition>\n");
    }
    let mut n_arcs = 0;
    let mut arc = |source: &str, target: &str, weight: u64| {
        n_arcs += 1;
        let inscription = format!("<inscription><text>{weight}</text></inscription>");
        let (source, target) = (escaped(source), escaped(target));
        format!("      <arc id=\"arc {n_arcs}\" source=\"{source}\" target=\"{target}\">{inscription}</arc>\n")
    };
    for transition in &transitions {
        for &(place, weight) in &transition.take {
            text += &arc(&places[place].0, &transition.name, weight);
        }
        for &(place, weight) in &transition.put {
            text += &arc(&transition.name, &places[place].0, weight);
        }
    }
    text += "    </page>\n  </net>\n</pnml>\n";
    Ok(text)
}

/// All properties in one set: what always holds as `all-paths globally`, what is reached as `exists-path finally`.
pub fn mcc(net: &Net, model: &Model) -> Result<String, Unwritable> {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += "<property-set xmlns=\"http://mcc.lip6.fr/\">\n";
    for property in model.properties.iter() {
        let (path, state, condition) = match question(net, model, property)? {
            Question::Reach(condition) => ("exists-path", "finally", condition),
            Question::Always(condition) => ("all-paths", "globally", condition),
        };
        let mut formula = String::new();
        let mut writer = Writer { net, text: &mut formula };
        writer.condition(&condition).or_else(|why| unwritable(format!("property `{}`", property.name), why))?;
        text += &format!("  <property>\n    <id>{}</id>\n", escaped(&property.name));
        text += &format!("    <description>{}</description>\n", escaped(&property.text));
        text += &format!("    <formula><{path}><{state}>{formula}</{state}></{path}></formula>\n  </property>\n");
    }
    text += "</property-set>\n";
    Ok(text)
}

struct Writer<'a> {
    net: &'a Net,
    text: &'a mut String,
}

impl Writer<'_> {
    fn condition(&mut self, condition: &Condition) -> Result<(), String> {
        match condition {
            Condition::Constant(Truth::Yes) => *self.text += "<true/>",
            Condition::Constant(Truth::No) => *self.text += "<false/>",
            Condition::Deadlock => *self.text += "<deadlock/>",
            Condition::Not(inner) => self.within("negation", std::slice::from_ref(inner))?,
            Condition::All(parts) => self.within("conjunction", parts)?,
            Condition::Any(parts) => self.within("disjunction", parts)?,
            Condition::AtMost(left, right) => self.at_most(left, right)?,
            Condition::Less(left, right) => self.negated(right, left)?,
            Condition::Equal(left, right) => {
                *self.text += "<conjunction>";
                self.at_most(left, right)?;
                self.at_most(right, left)?;
                *self.text += "</conjunction>";
            }
        }
        Ok(())
    }

    fn within(&mut self, name: &str, parts: &[impl std::borrow::Borrow<Condition>]) -> Result<(), String> {
        *self.text += &format!("<{name}>");
        for part in parts {
            self.condition(part.borrow())?;
        }
        *self.text += &format!("</{name}>");
        Ok(())
    }

    /// `left < right` is that `right <= left` does not hold.
    fn negated(&mut self, left: &Linear, right: &Linear) -> Result<(), String> {
        *self.text += "<negation>";
        self.at_most(left, right)?;
        *self.text += "</negation>";
        Ok(())
    }

    fn at_most(&mut self, left: &Linear, right: &Linear) -> Result<(), String> {
        *self.text += "<integer-le>";
        self.sum(left)?;
        self.sum(right)?;
        *self.text += "</integer-le>";
        Ok(())
    }

    fn sum(&mut self, sum: &Linear) -> Result<(), String> {
        let constant = format!("<integer-constant>{}</integer-constant>", sum.constant);
        if sum.terms.iter().any(|&(_, times)| times != 1) {
            return Err("the properties of the contest have no products".to_owned());
        }
        let place = |place: PlaceId| format!("<place>{}</place>", escaped(&self.net.places[place].name));
        let places: String = sum.terms.iter().map(|&(id, _)| place(id)).collect();
        *self.text += &match (places.is_empty(), sum.constant) {
            (true, _) => constant,
            (false, 0) => format!("<tokens-count>{places}</tokens-count>"),
            (false, _) => format!("<integer-sum><tokens-count>{places}</tokens-count>{constant}</integer-sum>"),
        };
        Ok(())
    }
}
