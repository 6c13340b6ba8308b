import { afterEach, expect, it } from "vitest";
import { type IndexedProject, indexedProject } from "../../../test/support/indexed-project.ts";
import { CodeGraph } from "./graph.ts";

let indexed: IndexedProject;
afterEach(() => indexed.remove());

async function askCallersOf(name: string, files: Readonly<Record<string, string>>) {
  indexed = await indexedProject(files);
  const graph = await CodeGraph.openForIndex(indexed.index, indexed.project.root);
  return graph.findCallers(await graph.findNamedDefinitions(name));
}

/** Who calls the definition of a name, by place. */
async function findCallersOf(name: string, files: Readonly<Record<string, string>>) {
  const { edges } = await askCallersOf(name, files);
  return edges.map(({ node, kind, confidence }) => `${kind} ${node.file} ${node.name} ${confidence}`).sort();
}

it("a name that is handed on under another is followed, however often", async () => {
  expect(
    await findCallersOf("load", {
      "src/core.ts": "export function load() {}\n",
      "src/index.ts": 'export { load as loadConfig } from "./core";\n',
      "src/api.ts": 'import { loadConfig } from "./index";\nexport { loadConfig as readSettings };\n',
      "src/use.ts":
        'import { readSettings } from "./api";\nexport function start() {\n  readSettings();\n}\n',
      "src/far.ts":
        'import { readSettings as again } from "./api";\nexport function stop() {\n  again();\n}\n',
      "src/space.ts": 'import * as api from "./api";\nexport function look() {\n  api.readSettings();\n}\n',
    }),
  ).toEqual([
    "call src/far.ts stop resolved",
    "call src/space.ts look resolved",
    "call src/use.ts start resolved",
  ]);
});

it("a default export is followed, whatever its importers call it", async () => {
  expect(
    await findCallersOf("Policy", {
      "src/retry.ts": "export default class Policy {}\n",
      "src/index.ts": 'export { default as RetryPolicy } from "./retry";\n',
      "src/all.ts": 'import Rules from "./retry";\nexport { Rules };\n',
      "src/direct.ts": 'import Anything from "./retry";\nexport const make = () => new Anything();\n',
      "src/named.ts": 'import { RetryPolicy } from ".";\nexport const made = () => new RetryPolicy();\n',
      "src/twice.ts": 'import { Rules } from "./all";\nexport const again = () => new Rules();\n',
    }),
  ).toEqual([
    "construct src/direct.ts make resolved",
    "construct src/named.ts made resolved",
    "construct src/twice.ts again resolved",
  ]);
});

it("CommonJS exports are followed, also when a function requires them", async () => {
  expect(
    await findCallersOf("parse", {
      "lib/core.js": "function parse() {}\nmodule.exports = { parse, read: parse };\n",
      "lib/single.js": 'const { read } = require("./core");\nmodule.exports = read;\n',
      "lib/late.js": 'function late() {\n  const { parse } = require("./core");\n  parse();\n}\n',
      "lib/renamed.js": 'function renamed() {\n  const { parse: p } = require("./core");\n  p();\n}\n',
      "lib/whole.js": 'function whole() {\n  const core = require("./core");\n  core.parse();\n}\n',
      "lib/other.js": 'const { read } = require("./core");\nfunction other() {\n  read();\n}\n',
      "lib/called.js": 'const anything = require("./single");\nfunction called() {\n  anything();\n}\n',
    }),
  ).toEqual([
    "call lib/called.js called resolved",
    "call lib/late.js late resolved",
    "call lib/other.js other resolved",
    "call lib/renamed.js renamed resolved",
    "call lib/whole.js whole resolved",
    "use lib/core.js exports resolved",
    "use lib/single.js exports resolved",
  ]);
});

it("a module that is imported when it is needed is followed", async () => {
  expect(
    await findCallersOf("render", {
      "src/page.ts": "export function render() {}\n",
      "src/taken.ts":
        'export async function taken() {\n  const { render } = await import("./page");\n  render();\n}\n',
      "src/renamed.ts":
        'export async function renamed() {\n  const { render: draw } = await import("./page.ts");\n  draw();\n}\n',
      "src/whole.ts":
        'export async function whole() {\n  const page = await import("./page");\n  page.render();\n}\n',
      "src/direct.ts": 'export async function direct() {\n  return (await import("./page")).render();\n}\n',
    }),
  ).toEqual([
    "call src/direct.ts direct resolved",
    "call src/renamed.ts renamed resolved",
    "call src/taken.ts taken resolved",
    "call src/whole.ts whole resolved",
  ]);
});

it("packages of Python hand names on under others, and functions import them", async () => {
  expect(
    await findCallersOf("connect", {
      "app/core.py": "def connect():\n    pass\n\nopen_it = connect\n",
      "app/__init__.py": "from .core import connect as open_connection\n",
      "use.py": "from app import open_connection\n\ndef use():\n    open_connection()\n",
      "module.py": "import app\n\ndef module():\n    app.open_connection()\n",
      "late.py": "def late():\n    from app.core import connect as c\n    c()\n",
      "alias.py": "from app.core import open_it\n\ndef alias():\n    open_it()\n",
    }),
  ).toEqual([
    "call alias.py alias resolved",
    "call late.py late resolved",
    "call module.py module resolved",
    "call use.py use resolved",
    "use app/core.py open_it resolved",
  ]);
});

it("what a crate uses publicly under another name is followed", async () => {
  expect(
    await findCallersOf("connect", {
      "Cargo.toml": '[package]\nname = "net"\n',
      "src/lib.rs": "mod inner;\nmod user;\npub use inner::connect as dial;\n",
      "src/inner.rs": "pub fn connect() {}\n",
      "src/user.rs":
        "use crate::dial;\n\npub fn start() {\n    dial();\n}\n\npub fn whole() {\n    crate::dial();\n}\n\npub fn late() {\n    use crate::inner::connect as c;\n    c();\n}\n",
    }),
  ).toEqual([
    "call src/user.rs late resolved",
    "call src/user.rs start resolved",
    "call src/user.rs whole resolved",
  ]);
});

it("a crate that hands on other crates, and modules in a file, are followed", async () => {
  expect(
    await findCallersOf("run", {
      "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
      "crates/facade/Cargo.toml": '[package]\nname = "facade"\n',
      "crates/facade/src/lib.rs":
        "pub extern crate the_searcher as searcher;\npub use the_searcher as renamed;\npub mod prelude {\n    pub use the_searcher::run as go;\n}\n",
      "crates/searcher/Cargo.toml": '[package]\nname = "the-searcher"\n',
      "crates/searcher/src/lib.rs": "mod inner;\npub use crate::inner::run;\n",
      "crates/searcher/src/inner.rs":
        "pub fn run() {}\n\nfn own() {\n    self::run();\n}\n\nmod tests {\n    fn above() {\n        super::run();\n    }\n}\n",
      "crates/app/Cargo.toml": '[package]\nname = "app"\n',
      "crates/app/src/main.rs":
        "use facade::searcher::run;\n\nfn imported() {\n    run();\n}\n\nfn by_path() {\n    facade::searcher::run();\n}\n\nfn by_use() {\n    facade::renamed::run();\n}\n\nfn by_module() {\n    facade::prelude::go();\n}\n",
    }),
  ).toEqual([
    "call crates/app/src/main.rs by_module resolved",
    "call crates/app/src/main.rs by_path resolved",
    "call crates/app/src/main.rs by_use resolved",
    "call crates/app/src/main.rs imported resolved",
    "call crates/searcher/src/inner.rs above resolved",
    "call crates/searcher/src/inner.rs own resolved",
  ]);
});

it("a type under another name has the members of what it stands for", async () => {
  expect(
    await findCallersOf("open", {
      "Cargo.toml": '[package]\nname = "net"\n',
      "src/lib.rs": "mod inner;\nmod user;\npub type Link = inner::Connection;\n",
      "src/inner.rs": "pub struct Connection {}\n\nimpl Connection {\n    pub fn open() {}\n}\n",
      "src/user.rs": "use crate::Link;\n\npub fn start() {\n    Link::open();\n}\n",
    }),
  ).toEqual(["call src/user.rs start resolved"]);
});

it("names are followed through objects that hand them on, and out of modules", async () => {
  expect(
    await findCallersOf("load", {
      "src/core.ts": "export function load() {}\n",
      "src/api.ts": 'import { load } from "./core";\nexport const api = { load, read: load };\n',
      "src/all.ts": 'import { load } from "./core";\nexport default { get: load };\n',
      "src/entry.ts":
        'import { api } from "./api";\nexport function entry() {\n  api.load();\n  api.read();\n}\n',
      "src/default.ts": 'import all from "./all";\nexport function byDefault() {\n  all.get();\n}\n',
      "src/taken.ts":
        'import * as core from "./core";\nconst { load: take } = core;\nexport function taken() {\n  take();\n}\n',
      "src/required.ts":
        'import core = require("./core");\nexport function required() {\n  core.load();\n}\n',
      "src/then.ts":
        'export const whole = () => import("./core").then((core) => core.load());\nexport const part = () => import("./core").then(({ load }) => load());\n',
    }).then((callers) => callers.filter((one) => one.startsWith("call"))),
  ).toEqual([
    "call src/default.ts byDefault resolved",
    "call src/entry.ts entry resolved",
    "call src/required.ts required resolved",
    "call src/taken.ts taken resolved",
    "call src/then.ts part resolved",
    "call src/then.ts whole resolved",
  ]);
});

it("a default that is taken out of a module when it is needed is followed", async () => {
  expect(
    await findCallersOf("Policy", {
      "src/retry.ts": "export default class Policy {}\n",
      "src/named.ts":
        'export async function named() {\n  const { default: Rules } = await import("./retry");\n  new Rules();\n}\n',
      "src/member.ts":
        'export async function member() {\n  const retry = await import("./retry");\n  new retry.default();\n}\n',
    }),
  ).toEqual(["construct src/member.ts member resolved", "construct src/named.ts named resolved"]);
});

it("CommonJS modules that hand on what they require are followed", async () => {
  expect(
    await findCallersOf("parse", {
      "lib/core.js": "function parse() {}\nmodule.exports = { parse };\nmodule.exports.default = parse;\n",
      "lib/member.js": 'exports.read = require("./core").parse;\n',
      "lib/spread.js": 'module.exports = { ...require("./core") };\n',
      "lib/object.js": 'module.exports = { core: require("./core") };\nexports.again = require("./core");\n',
      "use/default.js":
        'const core = require("../lib/core");\nfunction byDefault() {\n  core.default();\n}\n',
      "use/member.js": 'const { read } = require("../lib/member");\nfunction member() {\n  read();\n}\n',
      "use/spread.js": 'const { parse } = require("../lib/spread");\nfunction spread() {\n  parse();\n}\n',
      "use/object.js":
        'const { core } = require("../lib/object");\nfunction object() {\n  core.parse();\n}\n',
      "use/again.js": 'const { again } = require("../lib/object");\nfunction more() {\n  again.parse();\n}\n',
    }).then((callers) => callers.filter((one) => one.startsWith("call"))),
  ).toEqual([
    "call use/again.js more resolved",
    "call use/default.js byDefault resolved",
    "call use/member.js member resolved",
    "call use/object.js object resolved",
    "call use/spread.js spread resolved",
  ]);
});

it("packages of Python hand on everything, modules, and what one of two files has", async () => {
  expect(
    await findCallersOf("connect", {
      "app/core.py": '__all__ = ["connect"]\n\ndef connect():\n    pass\n',
      "app/__init__.py":
        "from .core import *\nfrom . import core as engine\n\ntry:\n    from .fast import connect as quick\nexcept ImportError:\n    from .core import connect as quick\n",
      "everything.py": "from app import *\n\ndef everything():\n    connect()\n",
      "module.py": "import app as a\n\ndef module():\n    a.engine.connect()\n",
      "either.py": "from app import quick\n\ndef either():\n    quick()\n",
      "method.py":
        "class Late:\n    def method(self):\n        from app import core\n        core.connect()\n\n    def other(self):\n        import app.core as c\n        c.connect()\n",
    }),
  ).toEqual([
    "call either.py either resolved",
    "call everything.py everything resolved",
    "call method.py method resolved",
    "call method.py other resolved",
    "call module.py module resolved",
  ]);
});

it("callers of an alias are callers of what it stands for", async () => {
  expect(
    await findCallersOf("parse", {
      "src/parse.ts": "export function parse() {}\nexport const read = parse;\n",
      "src/use.ts": 'import { read } from "./parse";\nexport function use() {\n  read();\n}\n',
    }),
  ).toEqual(["call src/use.ts use resolved", "use src/parse.ts read resolved"]);
});

it("packages of Go are followed under the names that importers give them, and their variables", async () => {
  expect(
    await findCallersOf("Dial", {
      "go.mod": "module example.com/net\n",
      "inner/inner.go": "package inner\n\nfunc Dial() {}\n",
      "net.go":
        'package net\n\nimport in "example.com/net/inner"\n\nvar Connect = in.Dial\n\nfunc Start() {\n\tin.Dial()\n}\n',
      "cmd/main.go": 'package main\n\nimport "example.com/net"\n\nfunc main() {\n\tnet.Connect()\n}\n',
    }),
  ).toEqual(["call cmd/main.go main resolved", "call net.go Start resolved"]);
});

it("files that import a name and do something unknown with it are told", async () => {
  const { edges, importers } = await askCallersOf("load", {
    "src/load.ts": "export function load() {}\n",
    "src/index.ts": 'import { load } from "./load";\nexport { load };\n',
    "src/use.ts": 'import { load } from "./load";\nexport const start = () => load();\n',
    "src/odd.ts": 'import { load } from ".";\nexport const odd = [load!];\n',
    "src/other.ts": 'import { load } from "elsewhere";\n',
  });
  expect(edges.map(({ node }) => node.name)).toEqual(["start"]);
  expect(importers).toEqual(["src/odd.ts"]);
});
