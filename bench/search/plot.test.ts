import { expect, test } from "vitest";
import { type PlotPoint, plot } from "./plot.ts";

const words = { title: "Quality & time", caption: "<caption>" };

function point(label: string, quality: number, milliseconds: number | null, isOurs = false): PlotPoint {
  return { label, quality, milliseconds, isOurs };
}

/** The position of the points' labels: their left end and their base line. */
function labelsIn(svg: string): Map<string, { x: number; y: number }> {
  const found = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</g)];
  return new Map(found.map(([, x, y, label]) => [label!, { x: Number(x), y: Number(y) }]));
}

function circlesIn(svg: string): { x: number; y: number }[] {
  return [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
}

test("ten times the time is the same distance to the right everywhere, and better is higher", () => {
  const svg = plot([point("a", 0.2, 1), point("b", 0.4, 10), point("c", 0.9, 100)], words);
  const [a, b, c] = circlesIn(svg) as [
    { x: number; y: number },
    { x: number; y: number },
    { x: number; y: number },
  ];
  expect(b.x - a.x).toBeCloseTo(c.x - b.x, 0);
  expect(a.x).toBeLessThan(b.x);
  expect(a.y).toBeGreaterThan(b.y);
  expect(b.y).toBeGreaterThan(c.y);
});

test("labels of nearby tools do not overlap", () => {
  const close = ["first", "second", "third", "fourth"].map((name, i) =>
    point(name, 0.8 + i / 200, 5 + i / 10),
  );
  const labels = [...labelsIn(plot(close, words))].filter(([label]) =>
    close.some((one) => one.label === label),
  );
  expect(labels).toHaveLength(4);
  for (const [name, at] of labels) {
    for (const [other, there] of labels) {
      if (name === other) continue;
      const isApart =
        Math.abs(at.y - there.y) >= 13 ||
        at.x + name.length * 7 <= there.x ||
        there.x + other.length * 7 <= at.x;
      expect({ name, other, isApart }).toMatchObject({ isApart: true });
    }
  }
});

test("a tool without a time is a line across", () => {
  const svg = plot([point("timed", 0.5, 2, true), point("untimed", 0.7, null)], words);
  expect(circlesIn(svg)).toHaveLength(1);
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
  expect(labelsIn(svg).has("untimed")).toBe(true);
});

test("is well-formed with any names, and even with nothing to draw", () => {
  const svg = plot([point("<b> & co", 0.5, 0)], words);
  expect(svg).toContain("&lt;b&gt; &amp; co");
  expect(svg).toContain("<title>Quality &amp; time</title>");
  expect(svg).not.toMatch(/NaN|Infinity/);
  expect(plot([], words)).not.toMatch(/NaN|Infinity/);
});
