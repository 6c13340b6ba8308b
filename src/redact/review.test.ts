import fc from "fast-check";
import { expect, it } from "vitest";
import { base62, maker } from "../../test/support/secrets/make.ts";
import { createReviewer } from "./review.ts";

const review = createReviewer({ globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false });

it("tells which values a check refused, and never all of one", () => {
  fc.assert(
    fc.property(fc.nat(99_999), fc.integer({ min: 8, max: 40 }), (seed, length) => {
      const value = maker(seed).mixed(base62, length);
      const text = `cache_key = "${value}" and public_key: ${value}; the key ${value} (${value})`;
      for (const miss of review(text)) {
        expect(JSON.stringify(miss)).not.toContain(value);
        expect(miss.masked).toMatch(/^.{0,4}… \([0-9]+ characters\)$/u);
      }
    }),
  );
  const [miss] = review(`cache_key = "${maker(3).mixed(base62, 32)}"`);
  expect(miss).toMatchObject({ context: expect.stringContaining("cache_key") });
});

it("leaves out what goes anyway, and what nobody would take for a secret", () => {
  const key = `ghp_${maker(5).mixed(base62, 36)}`;
  expect(review(`cache_key = "${key}"`)).toEqual([]);
  for (const text of [
    "const password = process.env.DB_PASSWORD;",
    "token: string",
    'secret = "your-secret-here"',
    "the key src/features/login/key-handler.ts",
  ])
    expect(review(text)).toEqual([]);
});
