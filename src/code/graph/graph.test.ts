import { afterEach, describe, expect, it } from "vitest";
import { type IndexedProject, indexedProject } from "../../../test/support/indexed-project.ts";
import { CodeGraph, type Edge } from "./graph.ts";

let indexed: IndexedProject;
afterEach(() => indexed.remove());

const text = ({ node, kind, confidence, lines }: Edge) =>
  `${kind} ${node.file} ${node.name} ${confidence} ${lines.join()}`;

async function graphOf(files: Readonly<Record<string, string>>): Promise<CodeGraph> {
  indexed = await indexedProject(files);
  return CodeGraph.openForIndex(indexed.index, indexed.project.root);
}

/** What calls and what is called by the first definition of a name. */
async function around(graph: CodeGraph, name: string) {
  const [target] = await graph.findNamedDefinitions(name);
  const [callers, callees] = [await graph.findCallers([target!]), await graph.findCallees(target!)];
  return {
    callers: callers.edges.map(text).sort(),
    callees: callees.edges.map(text).sort(),
    unknown: callees.unknown,
  };
}

describe("edges in TypeScript", () => {
  it("follow imports, with aliases, through files that hand them on, and to default exports", async () => {
    const graph = await graphOf({
      "src/retry.ts":
        "export function retry(send: () => void) {\n  send();\n}\nexport default class Policy {}\n",
      "src/index.ts": 'export { retry as again } from "./retry.js";\nexport * from "./other";\n',
      "src/other.ts": "export const limit = 3;\n",
      "src/client.ts": `import { again, limit } from ".";
import Rules from "./retry";
export function get() {
  again(() => limit);
  return new Rules();
}
function retry() {}
export const own = () => retry();
`,
    });
    expect((await around(graph, "get")).callees).toEqual([
      "call src/retry.ts retry resolved 4",
      "construct src/retry.ts Policy resolved 5",
      "use src/other.ts limit resolved 4",
    ]);
    const [first] = await graph.findNamedDefinitions("retry");
    const node = await graph.definitions.describeTarget(first!);
    expect(node).toMatchObject({ file: "src/client.ts", line: 7, parent: null });
    expect((await graph.findCallers([first!])).edges.map(text)).toEqual([
      "call src/client.ts own resolved 8",
    ]);
    expect((await around(graph, "Policy")).callers).toEqual(["construct src/client.ts get resolved 5"]);
  });

  it("lead to members of an object by its name, never to them by their own", async () => {
    const graph = await graphOf({
      "src/render.ts": "export function render() {}\n",
      "src/app.ts": `import { render } from "./render";
export const app = {
  render() {
    return this.render;
  },
  close:
    () => {},
};
export function start() {
  const inner = {
    render() {},
  };
  render();
  app.close();
  app.render();
}
`,
    });
    expect((await around(graph, "start")).callees).toEqual([
      "call src/app.ts close resolved 14",
      "call src/app.ts render resolved 15",
      "call src/render.ts render resolved 13",
      "use src/app.ts app resolved 14,15",
    ]);
    // Where its name is, not what follows.
    expect(
      await graph.definitions.describeTarget((await graph.findNamedDefinitions("close"))[0]!),
    ).toMatchObject({
      parent: "app",
      line: 6,
    });
  });

  it("follow declared types of fields, parameters and results, and what they extend", async () => {
    const graph = await graphOf({
      "port.ts": "export interface Port {\n  ask(): string;\n}\n",
      "driver.ts": `import type { Port } from "./port.ts";
class Base {
  close() {}
}
export class Driver extends Base implements Port {
  ask() {
    return "";
  }
}
export async function open(): Promise<Driver> {
  return new Driver();
}
`,
      "use.ts": `import { type Driver, open } from "./driver.ts";
import type { Port } from "./port.ts";
export class User {
  constructor(private readonly port: Port) {}
  run() {
    return this.port.ask();
  }
}
export async function main({ driver }: { driver: Driver }) {
  const opened = await open();
  opened.close();
  return opened.ask();
}
`,
    });
    expect((await around(graph, "close")).callers).toEqual(["call use.ts main resolved 11"]);
    expect((await around(graph, "Driver.ask")).callers).toEqual([
      "call use.ts main resolved 12",
      "call use.ts run dispatch 6",
    ]);
  });

  it("are unique or ambiguous where the type is unknown, and unknown where nothing has the name", async () => {
    const graph = await graphOf({
      "a.ts": "export class A {\n  only() {}\n  both() {}\n}\n",
      "b.ts": "export class B {\n  both() {}\n}\n",
      "c.ts":
        "export function run(thing, callback) {\n  thing.only();\n  thing.both();\n  thing.push();\n  callback();\n  fetch();\n}\n",
    });
    const { callees, unknown } = await around(graph, "run");
    expect(callees).toEqual(["call a.ts both ambiguous 3", "call a.ts only unique 2"]);
    expect(unknown).toBe(2);
  });

  it("take a local name for what it is, whatever is imported or defined elsewhere", async () => {
    const graph = await graphOf({
      "a.ts": "export function send() {}\nexport class Text {\n  trim() {}\n}\n",
      "b.ts": `import { send } from "./a.ts";
export function outer(send: () => void, text: string) {
  send();
  text.trim();
  const inner = () => send();
  return inner();
}
export const other = () => send();
`,
    });
    expect((await around(graph, "send")).callers).toEqual(["call b.ts other resolved 8"]);
    expect((await around(graph, "trim")).callers).toEqual([]);
    expect((await around(graph, "outer")).callees).toEqual([]);
  });

  it("follow names of packages of the repository, and paths of tsconfig.json", async () => {
    const graph = await graphOf({
      "package.json": '{ "name": "root", "workspaces": ["packages/*"] }',
      "packages/core/package.json": '{ "name": "@acme/core", "main": "./dist/main.js" }',
      "packages/core/src/main.ts": "export const start = () => {};\n",
      "packages/app/package.json": '{ "name": "app" }',
      "packages/app/tsconfig.json":
        '{ "compilerOptions": { "paths": { "~/*": ["./source/*"] } } } // of the app\n',
      "packages/app/source/page.ts": "export function page() {}\n",
      "packages/app/main.ts":
        'import { start } from "@acme/core";\nimport { page } from "~/page";\nexport function app() {\n  start();\n  page();\n}\n',
    });
    expect((await around(graph, "app")).callees).toEqual([
      "call packages/app/source/page.ts page resolved 5",
      "call packages/core/src/main.ts start resolved 4",
    ]);
  });

  it("are those of the files as they are, as soon as an edit is indexed", async () => {
    const graph = await graphOf({
      "a.ts": "export function send() {}\n",
      "b.ts": 'import { send } from "./a.ts";\nexport const go = () => send();\n',
    });
    expect((await around(graph, "send")).callers).toHaveLength(1);
    await indexed.write({
      "b.ts": "export const go = () => {};\n",
      "c.ts": 'import * as a from "./a.ts";\na.send();\n',
    });
    const edited = await CodeGraph.openForIndex(indexed.index, indexed.project.root);
    expect((await around(edited, "send")).callers).toEqual(["call c.ts c.ts resolved 2"]);
  });
});

describe("edges in Python", () => {
  it("follow modules, relative imports, packages' own names and types", async () => {
    const graph = await graphOf({
      "app/__init__.py": "from .engine import Engine\n",
      "app/engine.py": `class Base:
    def stop(self):
        pass


class Engine(Base):
    def __init__(self, size: int):
        self.size = size

    def run(self) -> "Engine":
        self.prepare()
        return self

    def prepare(self):
        pass


def make() -> Engine:
    return Engine(1)
`,
      "app/main.py": `import app.engine
from app import Engine
from . import engine as motor


class Server:
    def __init__(self, engine: Engine):
        self.engine = engine

    def serve(self):
        self.engine.run().stop()
        motor.make().run()
        app.engine.make()


def local(make):
    make()
    return Engine(2)
`,
    });
    expect((await around(graph, "run")).callers).toEqual(["call app/main.py serve resolved 11,12"]);
    expect((await around(graph, "stop")).callers).toEqual(["call app/main.py serve resolved 11"]);
    expect((await around(graph, "make")).callers).toEqual(["call app/main.py serve resolved 12,13"]);
    expect((await around(graph, "prepare")).callers).toEqual(["call app/engine.py run resolved 11"]);
    expect((await around(graph, "__init__")).callers).toContain("call app/main.py local resolved 18");
    expect((await around(graph, "local")).unknown).toBe(1);
  });
});

describe("edges in Go", () => {
  it("follow packages by directory, receivers, fields and results", async () => {
    const graph = await graphOf({
      "go.mod": "module acme.dev/app\n",
      "store/store.go": `package store

type Store struct {
	log *Log
}

func Open(path string) (*Store, error) {
	return &Store{}, nil
}

func (s *Store) Get(key string) string {
	s.log.Print(key)
	return decode(key)
}
`,
      "store/log.go": `package store

type Log struct{}

func (l *Log) Print(text string) {}

func decode(text string) string { return text }
`,
      "main.go": `package main

import "acme.dev/app/store"

func main() {
	opened, err := store.Open("x")
	opened.Get("key")
	decode := func(text string) {}
	decode("x")
}
`,
    });
    expect((await around(graph, "Get")).callers).toEqual(["call main.go main resolved 7"]);
    expect((await around(graph, "Get")).callees).toEqual([
      "call store/log.go Print resolved 12",
      "call store/log.go decode resolved 13",
      "type store/store.go Store resolved 11",
    ]);
    expect((await around(graph, "Open")).callers).toEqual(["call main.go main resolved 6"]);
    const [local, shared] = await graph.findNamedDefinitions("decode");
    expect((await graph.findCallers([local!])).edges.map(text)).toEqual(["call main.go main resolved 9"]);
    expect((await graph.findCallers([shared!])).edges.map(text)).toEqual([
      "call store/store.go Get resolved 13",
    ]);
  });
});

describe("edges in Java", () => {
  it("are found in a package of many files that name what none of them defines", async () => {
    const names = Array.from({ length: 20 }, (_, i) => `Part${i}`);
    const files = names.map((name, i) => [
      `src/main/java/app/${name}.java`,
      `package app;\nimport java.util.*;\npublic class ${name} {\n  void run() {\n    Objects.hash(1);\n    new Part${(i + 1) % 20}().run();\n  }\n}\n`,
    ]);
    const graph = await graphOf(Object.fromEntries(files));
    expect((await around(graph, "Part3")).callees).toEqual([
      "call src/main/java/app/Part4.java run resolved 6",
      "construct src/main/java/app/Part4.java Part4 resolved 6",
    ]);
  });

  it("follow packages, imports, declared types and what a class inherits", async () => {
    const graph = await graphOf({
      "src/main/java/acme/store/Store.java": `package acme.store;

public class Store extends Base {
  private final Log log = new Log();

  public static Store open() { return new Store(); }

  public String get(String key) {
    log.print(key);
    return decode(key);
  }
}
`,
      "src/main/java/acme/store/Base.java": `package acme.store;

abstract class Base {
  String decode(String text) { return text; }
}
`,
      "src/main/java/acme/store/Log.java":
        "package acme.store;\n\nclass Log {\n  void print(String text) {}\n}\n",
      "src/main/java/acme/Main.java": `package acme;

import acme.store.Store;
import static acme.store.Store.open;

class Main {
  void run(Store store) {
    store.get("a");
    Store.open().get("b");
    open();
  }
}
`,
      "src/test/java/acme/store/StoreTest.java": `package acme.store;

class StoreTest {
  void gets() {
    var store = new Store();
    store.get("c");
  }
}
`,
    });
    expect((await around(graph, "get")).callers).toEqual([
      "call src/main/java/acme/Main.java run resolved 8,9",
      "call src/test/java/acme/store/StoreTest.java gets resolved 6",
    ]);
    expect((await around(graph, "get")).callees).toEqual([
      "call src/main/java/acme/store/Base.java decode resolved 10",
      "call src/main/java/acme/store/Log.java print resolved 9",
      "use src/main/java/acme/store/Store.java log resolved 9",
    ]);
    expect((await around(graph, "open")).callers).toEqual([
      "call src/main/java/acme/Main.java run resolved 9,10",
    ]);
  });
});

describe("edges in Rust", () => {
  it("follow paths of the crate, impl blocks, fields and results", async () => {
    const graph = await graphOf({
      "Cargo.toml": '[package]\nname = "acme-app"\n',
      "src/lib.rs": "pub mod store;\nmod util;\n\npub use store::Store;\n",
      "src/store.rs": `use crate::util::{decode, Log as Logger};

pub struct Store {
    log: Logger,
}

impl Store {
    pub fn open() -> Result<Self, Error> {
        Self::build()
    }

    fn build() -> Result<Store, Error> {
        todo!()
    }

    pub fn get(&self, key: &str) -> String {
        self.log.print(key);
        decode(key)
    }
}
`,
      "src/util.rs": `pub struct Log;

impl Log {
    pub fn print(&self, text: &str) {}
}

pub fn decode(text: &str) -> String {
    text.into()
}
`,
      "tests/store.rs": `use acme_app::Store;

fn reads() {
    let store = Store::open().unwrap();
    store.get("a");
    let other: Store = make();
    other.get("b");
}
`,
    });
    expect((await around(graph, "get")).callees).toEqual([
      "call src/util.rs decode resolved 18",
      "call src/util.rs print resolved 17",
    ]);
    expect((await around(graph, "get")).callers).toEqual(["call tests/store.rs reads resolved 5,7"]);
    expect((await around(graph, "open")).callers).toEqual(["call tests/store.rs reads resolved 4"]);
    expect((await around(graph, "build")).callers).toEqual(["call src/store.rs open resolved 9"]);
  });
});

it("a type of Rust is used by who calls what belongs to it", async () => {
  const graph = await graphOf({
    "Cargo.toml": '[package]\nname = "net"\n',
    "src/lib.rs": "pub mod conn;\nmod user;\n",
    "src/conn.rs": "pub struct Conn;\n\nimpl Conn {\n    pub fn open() -> Conn {\n        Conn\n    }\n}\n",
    "src/user.rs": "use crate::conn::Conn;\n\npub fn start() {\n    Conn::open();\n}\n",
  });
  expect((await around(graph, "Conn")).callers).toContain("use src/user.rs start resolved 4");
});

describe("edges in Go, through interfaces", () => {
  const files = {
    "go.mod": "module example.com/net\n",
    "net.go":
      'package net\n\ntype Closer interface {\n\tClose() error\n}\n\ntype Conn interface {\n\tCloser\n\tSend(text string) error\n}\n\nfunc Use(conn Conn) {\n\tconn.Send("x")\n}\n',
    "tcp.go":
      "package net\n\ntype TCP struct{ port int }\n\nfunc (t *TCP) Send(text string) error { return nil }\n\nfunc (t *TCP) Close() error { return nil }\n\ntype Log struct{}\n\nfunc (l *Log) Send(text string) error { return nil }\n",
  };

  it("lead from a call of an interface's method to the types that have all of its methods", async () => {
    const graph = await graphOf(files);
    expect((await around(graph, "TCP.Send")).callers).toEqual(["call net.go Use dispatch 13"]);
    expect((await around(graph, "Log.Send")).callers).toEqual([]);
  });

  it("name the types that implement an interface", async () => {
    const graph = await graphOf(files);
    expect((await around(graph, "Conn")).callers).toEqual([
      "base tcp.go TCP dispatch 3",
      "type net.go Use resolved 12",
    ]);
  });
});
