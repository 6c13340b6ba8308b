import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundInput, bounds, boundText } from "./bounds.ts";

describe("pictures in texts", () => {
  const data = "AbC1+/".repeat(60);

  it.each([
    ["a data URL", `<img src="data:image/svg+xml;base64,${data}=="> end`, '<img src="[image]"> end'],
    ["a bare PNG", `{"data":"iVBORw0KGgo${data}"}`, '{"data":"[image]"}'],
    ["a bare JPEG", `/9j/${data} and text`, "[image] and text"],
  ])("%s is left out", (_, text, kept) => {
    expect(boundText(text)).toBe(kept);
  });

  it.each([
    ["a file's name", "src/9j/picture.ts and iVBORw0KGgo is how a PNG begins, in base64"],
    ["a hash", `sha512-${data.slice(0, 88)}==`],
    ["a long word", data],
  ])("%s stays", (_, text) => {
    expect(boundText(text)).toBe(text);
  });
});

describe("input", () => {
  it("is unchanged when small", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 3 })), (input) => {
        const parsed: unknown = JSON.parse(JSON.stringify(input));
        expect(boundInput(parsed)).toEqual(parsed);
      }),
    );
  });

  it("keeps keys such as __proto__ as data", () => {
    const input = boundInput(JSON.parse('{"__proto__":{"polluted":true},"constructor":"x"}'));
    expect(Object.keys(input)).toEqual(["__proto__", "constructor"]);
    expect("polluted" in input).toBe(false);
  });

  it("is bounded in depth, number and length together", () => {
    const long = "x".repeat(bounds.input);
    const many = boundInput({
      texts: Array.from({ length: 20 }, () => long),
      items: Array(10_000).fill(0),
    });
    expect(JSON.stringify(many).length).toBeLessThan(5 * bounds.input);
    let deep: unknown = 1;
    for (let at = 0; at < 50_000; at++) deep = [deep];
    expect(JSON.stringify(boundInput({ deep }))).toContain("[...]");
  });

  it.each([null, "text", 5, [], undefined])("is nothing where it is %j", (input) => {
    expect(boundInput(input)).toEqual({});
  });
});
