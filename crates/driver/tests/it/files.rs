//! Models whose files are in memory: what belongs to a model is found there, each file is read once, and nothing else is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lapidary_base::Control;
use lapidary_driver::files::{Files, Texts, disk};
use lapidary_driver::{LoadError, LoadRequest, Loaded, load, load_within, open_within};

/// Files in memory that tell which of them were read.
struct Counted {
    texts: Texts,
    read: Mutex<Vec<String>>,
}

impl Files for Counted {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let bytes = self.texts.read(path, most)?;
        self.read.lock().expect("one thread").push(path.to_owned());
        Ok(bytes)
    }

    fn identity(&self, path: &str) -> PathBuf {
        self.texts.identity(path)
    }

    fn is_file(&self, path: &str) -> bool {
        self.texts.is_file(path)
    }
}

fn counted(texts: &[(&str, &str)]) -> Arc<Counted> {
    let texts = texts.iter().fold(Texts::new(), |all, (path, text)| all.with(path, *text));
    Arc::new(Counted { texts, read: Mutex::default() })
}

fn request(path: &str, properties: &[&str]) -> LoadRequest {
    let properties = properties.iter().map(|&text| text.to_owned()).collect();
    LoadRequest { path: path.to_owned(), properties, ..LoadRequest::default() }
}

/// Loads a model, and checks that exactly these files were read, each once.
fn read_once(texts: &[(&str, &str)], request: &LoadRequest, expected: &[&str]) -> Loaded {
    let files = counted(texts);
    let loaded = load_within(request, &(Arc::clone(&files) as Arc<_>), &Control::new());
    let loaded = loaded.unwrap_or_else(|error| panic!("{}: {}", request.path, error.render()));
    assert_eq!(*files.read.lock().expect("one thread"), expected, "{}", request.path);
    assert_eq!(loaded.files, expected, "{}", request.path);
    loaded
}

const COUNTER: &str = "const N = 3;\nvar x : 0..N = 0;\nup: x < N -> x := x + 1;\ninvariant small: x <= N;\n";
const LIGHT: &str =
    "#pragma once\nnode Light state on : bool; init on := false; event up; trans not on |- up -> on := true; edon\n";

#[test]
fn a_model_with_formulas_and_predicates_is_read_once() {
    let mut asked = request("m/counter.gcl", &["small", "x < 3", "reach x = 3"]);
    asked.predicates = vec!["x = 1".to_owned()];
    asked.defines = vec![("N".to_owned(), "5".to_owned())];
    assert_eq!(read_once(&[("m/counter.gcl", COUNTER)], &asked, &["m/counter.gcl"]).asked.len(), 3);
    let lir = "model m;\nvar x : 0..3;\ninit x = 0;\ncommand up: when x < 3 do x := x + 1;\n";
    let files = counted(&[("m.lir", lir)]);
    // Whatever a front end says of the text: it was read once.
    let _ = load_within(&request("m.lir", &["x < 3"]), &(Arc::clone(&files) as Arc<_>), &Control::new());
    assert_eq!(*files.read.lock().expect("one thread"), ["m.lir"]);
}

#[test]
fn what_a_model_includes_lists_and_is_asked_by_a_specification_is_in_memory_too() {
    let main = "#include \"lib/light.alt\"\n#include \"../m/lib/light.alt\"\nnode Main sub a, b : Light; edon\n";
    let spec = "with Main do bad := [a.on & b.on]; done\n";
    let texts = [
        ("m/main.alt", main),
        ("m/lib/light.alt", LIGHT),
        ("m/sets.spe", spec),
        ("m/all.project", "main.alt\nnode Main\n"),
        ("m/more.alt", "node More sub a : Light; edon\n"),
    ];
    let mut asked = request("m/main.alt", &["not (a.on and b.on)"]);
    read_once(&texts, &asked, &["m/main.alt", "m/lib/light.alt"]);
    asked.spec = Some("m/sets.spe".to_owned());
    asked.never = vec!["bad".to_owned()];
    read_once(&texts, &asked, &["m/main.alt", "m/lib/light.alt", "m/sets.spe"]);
    let asked = request("m/all.project", &["deadlock_free"]);
    read_once(&texts, &asked, &["m/all.project", "m/main.alt", "m/lib/light.alt"]);
    let further = LoadRequest { further: vec!["m/more.alt".to_owned()], ..request("m/main.alt", &["deadlock_free"]) };
    read_once(&texts, &further, &["m/main.alt", "m/more.alt", "m/lib/light.alt"]);
}

#[test]
fn the_properties_of_a_net_are_read_from_where_the_net_is() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = |name: &str| std::fs::read_to_string(examples.join(name)).expect("a model of the gallery");
    for (net, beside) in
        [("lock.tts", "lock.prop"), ("workshop.lola", "workshop.formula"), ("semaphore.pnml", "semaphore.xml")]
    {
        let texts = [(net, &*text(net)), (beside, &*text(beside))];
        let loaded = read_once(&texts, &request(net, &[]), &[net, beside]);
        let on_disk = LoadRequest { path: examples.join(net).display().to_string(), ..LoadRequest::default() };
        let other = load(&on_disk).unwrap_or_else(|error| panic!("{}", error.render()));
        assert_eq!((&loaded.sha256, loaded.asked.len()), (&other.sha256, other.asked.len()), "{net}");
        let named = LoadRequest { formulas: vec![beside.to_owned()], ..request(net, &[]) };
        read_once(&[texts[0], texts[1]], &named, &[net, beside]);
    }
    let spec = text("msi.spec");
    read_once(&[("msi.spec", &spec), ("msi.prop", "not for this net")], &request("msi.spec", &[]), &["msi.spec"]);
}

#[test]
fn what_is_not_in_memory_is_not_there() {
    let files: Arc<dyn Files> = Arc::new(Texts::new().with("main.alt", "#include \"Cargo.toml\"\nnode Main edon\n"));
    let wrong = |path: &str| match open_within(&request(path, &[]), &files, &Control::new()) {
        Ok(_) => panic!("{path} is no model"),
        Err(LoadError::File(message)) => message,
        Err(error) => error.render(),
    };
    // Both lie beside these tests.
    assert!(disk().is_file("Cargo.toml") && disk().is_file("src/languages/starter.gcl"));
    assert!(wrong("main.alt").contains("cannot read Cargo.toml: there is no such file"), "{}", wrong("main.alt"));
    let missing = "cannot read src/languages/starter.gcl: there is no such file";
    assert_eq!(wrong("src/languages/starter.gcl"), missing);
}
