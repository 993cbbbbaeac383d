//! A document against a JSON schema (draft 2020-12), as far as our schemas go: a keyword that is not known here is an
//! error in the test, never passed over. A complete validator would
//! bring forty crates with it.

use regex_lite::Regex;
use serde_json::Value;

/// Keywords that say nothing about a document.
const REMARKS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

/// Keywords that are looked at together with another one.
const WITH_OTHERS: [&str; 2] = ["then", "else"];

/// The first complaint of a schema about a document.
pub fn complaint(schema: &Value, document: &Value) -> Option<String> {
    Validation { root: schema }.value(schema, document).err()
}

struct Validation<'a> {
    root: &'a Value,
}

impl Validation<'_> {
    fn value(&self, schema: &Value, value: &Value) -> Result<(), String> {
        for (keyword, argument) in schema.as_object().expect("schemas are objects") {
            let is_met = match keyword.as_str() {
                "$ref" => return self.both(schema, argument, value),
                "properties" => self.properties(argument, value)?,
                "items" => self.items(argument, value)?,
                "if" => self.conditional(schema, argument, value)?,
                "additionalProperties" => self.others(schema, argument, value)?,
                "allOf" => list(argument).try_for_each(|one| self.value(one, value)).map(|()| true)?,
                "oneOf" => list(argument).filter(|one| self.value(one, value).is_ok()).count() == 1,
                "not" => self.value(argument, value).is_err(),
                remark if REMARKS.contains(&remark) || WITH_OTHERS.contains(&remark) => true,
                plain => is_met(plain, argument, value),
            };
            if !is_met {
                return Err(format!("{keyword} {argument} is not met by {value}"));
            }
        }
        Ok(())
    }

    /// A reference, and what stands beside it: remarks only.
    fn both(&self, schema: &Value, reference: &Value, value: &Value) -> Result<(), String> {
        let mut others = schema.as_object().expect("schemas are objects").keys().filter(|key| *key != "$ref");
        assert!(others.all(|key| REMARKS.contains(&key.as_str())), "{schema}");
        let pointer = reference.as_str().and_then(|path| path.strip_prefix('#')).expect("references are local");
        self.value(self.root.pointer(pointer).expect("references lead somewhere"), value)
    }

    fn properties(&self, properties: &Value, value: &Value) -> Result<bool, String> {
        for (name, schema) in properties.as_object().expect("an object") {
            if let Some(part) = value.get(name) {
                self.value(schema, part).map_err(|complaint| format!("{name}: {complaint}"))?;
            }
        }
        Ok(true)
    }

    /// What an object may have besides the properties that are listed: nothing, or values of one kind.
    fn others(&self, schema: &Value, argument: &Value, value: &Value) -> Result<bool, String> {
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        let mut others = value.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name));
        if *argument == Value::Bool(false) {
            return Ok(others.next().is_none());
        }
        others.try_for_each(|(_, other)| self.value(argument, other)).map(|()| true)
    }

    fn items(&self, schema: &Value, value: &Value) -> Result<bool, String> {
        value.as_array().into_iter().flatten().try_for_each(|item| self.value(schema, item)).map(|()| true)
    }

    fn conditional(&self, schema: &Value, condition: &Value, value: &Value) -> Result<bool, String> {
        let branch = if self.value(condition, value).is_ok() { "then" } else { "else" };
        schema.get(branch).map_or(Ok(()), |branch| self.value(branch, value)).map(|()| true)
    }
}

fn list(argument: &Value) -> impl Iterator<Item = &Value> {
    argument.as_array().expect("a list").iter()
}

/// The keywords that need no other schema. Those about one type of values are met by all others.
fn is_met(keyword: &str, argument: &Value, value: &Value) -> bool {
    match keyword {
        "const" => value == argument,
        "enum" => list(argument).any(|one| one == value),
        "type" if argument.is_array() => list(argument).any(|name| is_of_type(name, value)),
        "type" => is_of_type(argument, value),
        "required" => value
            .as_object()
            .is_none_or(|object| list(argument).all(|key| object.contains_key(key.as_str().expect("names")))),
        "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().expect("a number")),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= argument.as_u64().expect("a number")),
        "pattern" => value.as_str().is_none_or(|text| regex(argument).is_match(text)),
        _ => panic!("the schema has the keyword {keyword}, which this test does not know yet"),
    }
}

fn regex(pattern: &Value) -> Regex {
    Regex::new(pattern.as_str().expect("a text")).expect("an expression")
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("there is no type {other}"),
    }
}

#[test]
fn each_keyword_refuses_what_it_is_for() {
    let cases = [
        (r#"{"const": 1}"#, "1", "2"),
        (r#"{"enum": [1, "a"]}"#, r#""a""#, r#""b""#),
        (r#"{"type": "integer", "minimum": 0}"#, "0", "-1"),
        (r#"{"type": "integer"}"#, "3", "2.5"),
        (r#"{"type": ["string", "null"], "pattern": "^a+$"}"#, "null", r#""ab""#),
        (r#"{"required": ["a"], "properties": {"a": {"type": "null"}}}"#, r#"{"a": null, "b": 1}"#, r#"{"b": 1}"#),
        (r#"{"properties": {"a": {"type": "null"}}, "additionalProperties": false}"#, "{}", r#"{"b": 1}"#),
        (r#"{"additionalProperties": {"type": "boolean"}}"#, r#"{"a": true}"#, r#"{"a": true, "b": 1}"#),
        (r#"{"items": {"type": "string"}, "minItems": 1}"#, r#"["a"]"#, "[]"),
        (r#"{"items": {"type": "string"}}"#, r#"["a"]"#, r#"["a", 1]"#),
        (r#"{"oneOf": [{"minimum": 1}, {"minimum": 3}]}"#, "2", "4"),
        (r#"{"allOf": [{"minimum": 1}, {"minimum": 3}]}"#, "4", "2"),
        (r#"{"not": {"minimum": 1}}"#, "0", "1"),
        (r#"{"if": {"minimum": 1}, "then": {"minimum": 3}, "else": {"const": 0}}"#, "3", "2"),
        (r#"{"if": {"minimum": 1}, "then": {"minimum": 3}, "else": {"const": 0}}"#, "0", "-1"),
        (r##"{"$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}}"##, "null", "1"),
    ];
    for (schema, good, bad) in cases {
        let [schema, good, bad] = [schema, good, bad].map(|text| serde_json::from_str(text).expect("JSON"));
        assert_eq!(complaint(&schema, &good), None, "{schema}");
        assert!(complaint(&schema, &bad).is_some(), "{schema}");
    }
}
