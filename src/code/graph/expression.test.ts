import { describe, expect, it } from "vitest";
import { reduceExpression } from "./expression.ts";

const reduced = (text: string) => reduceExpression(text, (name) => name);

describe("an expression", () => {
  it.each([
    ["await this.engine?.run(query)", "this.engine.run()"],
    ["new Engine(1)", ":Engine"],
    ["yield* items.all()", "items.all()"],
    ["&mut self.pool", "self.pool"],
    ["await(load())", "load()"],
    ["x as Engine", ":Engine"],
    ["((x as Engine))", ":Engine"],
    ["(x as Engine).run()", ":Engine.run()"],
    ["größe.mal(2)", "größe.mal()"],
    ["a ? b : c", null],
  ])("%s is reduced to %s", (text, expected) => {
    expect(reduced(text)).toBe(expected);
  });

  it.each(["returned.x", "awaiting.x", "yield_.x", "await$.x"])(
    "%s keeps its name, which only begins like a keyword",
    (text) => expect(reduced(text)).toBe(text),
  );

  it("&mutex.lock() keeps its name as well", () => {
    expect(reduced("&mutex.lock()")).toBe("mutex.lock()");
  });
});
