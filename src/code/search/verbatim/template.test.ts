// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are what this is about
import { expect, it } from "vitest";
import { findTemplate } from "./template.ts";

it.each([
  ["`${x} called multiple times`", "middleware called multiple times", "… called multiple times"],
  ['fail("%s is not a function", name)', "users.map is not a function", "… is not a function"],
  [
    'errors.Errorf("reading config %q: %w", path, err)',
    'reading config "a.go": no such file',
    "reading config …: …",
  ],
  ['f"no field {name!r} in {self.model}"', "no field 'id' in User", "no field … in …"],
  ['"Item {0} of {1} failed".format(i, n)', "Item 3 of 17 failed", "Item … of … failed"],
  ['panic!("index {i:>4} out of range")', "index    7 out of range", "index … out of range"],
  ['raise "#{klass} must respond to call"', "Widget must respond to call", "… must respond to call"],
  ['throw new E("Unknown option $name here");', "Unknown option --x here", "Unknown option … here"],
  ['error("Job $job was cancelled ${job.state}")', "Job 4711 was cancelled early", "Job … was cancelled …"],
  ['throw new E($"Type {type} is not supported");', "Type int is not supported", "Type … is not supported"],
  ['fatalError("No view \\(name) was found")', "No view main was found", "No view … was found"],
  [
    'throw new E("Cannot parse " + text + " as a date");',
    "Cannot parse x as a date",
    "Cannot parse … as a date",
  ],
  ['throw new E("Failed to open " + path);', "Failed to open /var/x", "Failed to open"],
])("finds the message in %s", (source, message, text) => {
  expect(findTemplate(`let a = 1;\n${source}`, message)).toMatchObject({ text });
});

it("finds it within other output of a program, with its place", () => {
  const source = 'a("x")\nb(`${n} bytes left over`)';
  expect(findTemplate(source, "error: 12 bytes left over (fatal)")).toEqual({
    text: "… bytes left over",
    at: 9,
  });
});

it.each([
  ['"%s is not a function"', "users.map is not a method"],
  ['"%s"', "users.map is not a function"],
  ['"%s failed"', "it failed"],
  ['"is not a function"', "users.map is not a function"],
  ["'don't know %s at all", "don't know this at all"],
])("finds none in %s", (source, message) => {
  expect(findTemplate(source, message)).toBeNull();
});
