import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compressed, frameHeader, repeatingFrame, storedFrame } from "../../../test/support/zstd-frames.ts";
import { openCompressed } from "./compressed.ts";

const file = join(mkdtempSync(join(tmpdir(), "pommel-zstd-")), "a.zst");

/** All that a file holds, or its beginning, and what is wrong with it. */
async function content(bytes: Uint8Array, piece = 100_000, max = Number.POSITIVE_INFINITY) {
  writeFileSync(file, bytes);
  const source = await openCompressed(file);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const buffer = Buffer.alloc(piece);
      const { bytesRead } = await source.read(buffer, 0, piece, size);
      if (bytesRead === 0) break;
      size += bytesRead;
      if (size <= max) pieces.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await source.close();
  }
  return { bytes: Buffer.concat(pieces), size, damage: source.damage };
}

/** Made by `zstd -19` of the lines below. */
const realFrame = Buffer.from(
  "KLUv/QRoBBoAcowfFpBNB7aDhXkV5v8TgBApZUoG6l03AAFuiVuLd9d4d1u7vm4x//rFXl+3RuQNh5du7Ya33es2LySeibtLvPv5" +
    "zu4X/t///kIafb7t2kwMmcfhdUtYiUEYmlh0j3AiaJKekxItiq88RoQUqKxYk7GC9UCRwqxiJVFzrMCK9SwqgwaownZX9u+ifaFI" +
    "Eek2EkgQgCAotIKfVoRNqhSa0gH+ZiWk0qUYyQ0JZCt0fPY1UNzx5qEC5DQW6h9KHwgqIPVJA6JosxP2D+2G5UW+YDE4b5TXcUj/" +
    "C0SwMZW0pVMflFrxm73SlIk/hKoAhBQgPRfuJ6WIuxMp2d/kb7pDEqXwAKRmVKvkghJNK+2Ic0Q+LHvvU6aTFZ4amqdcAXcYSDak" +
    "mkUezJSEOIco0IY1FmmkXS2uyaGHL0qTASg1Wia4fhVEDjkhoXk7ZPn0iKzf++T7NrxUU+Xn/8xDHKG4U4obTTUfqAtUClb9GI/V" +
    "i4xDR5g6HHpHJ2CQk0Bu5Kxg56M8RYXcFxn9uNP9ODoQy8QRnXReVC0N0Jwe8aQ0ys8cspBQYi52uNiTaOaWHE6urFTVLW9/BUtn" +
    "2Pl8Qn0cYpCS3Bk9JoWQDNYO/Uhmsu174RC58+irDRhAKjudICElZGw8wjtcVqGEYRuGvvxEYvc5FP0Oj/JSdyTmJONJdKEeqkf4" +
    "JXscEit1WONfJETRWCwgpCQhIsyL0DBJCV5EqLfVPIkjOELxlC4GaxhWo+ykPb0hZbfbStKLuQw/QWGmXd0zuICLlVrmGhiONqHx" +
    "6DB/oaj+1FxCii2RCq/FmZLDWjqi3EJxtypBibGLQBIlUjZFTMGk3eHM6kbaYu6ar8yRr8EF+4vvNFDo7NVNyhftEAsGjbUOAUKS" +
    "IW3YG4dIdB4122Gs7ZBJr3o7Zrg9KX0nEAg1wGzsfs8PlXSY2HMjUyTSrPN5yoNja1bydJs/eb3X8uc8KLBWNp6e7+6qBfVe67P2" +
    "jv2QzILbraGNAEt8IhhoX9iV/eRv8eVIyFlIGNAjq6ozBBszBjxtl8sjtGSkWalpALIF6yw+6GML7IIFsIGOuejSfDxOP1Hev9YE" +
    "bfTTNDLq8zQy2vsQDIByK0wPAACDB2gAkqYYWqnmElhBKfiEgFV41AnSkAJrvwPnfxmAroEfvRpwK9BQkAznHnUQNfKkmxOO59gh" +
    "efv7pUMtyaHE31LvDJDm/ABjUluQ9/qViXM1MSE45zb1GlclGBkKR0g//MiPXBWT/rahuB7Bvxr1CwhA/0fS4LibtIeAOIly84tk" +
    "Bw+JDejDL7mbSNpEDel5APztU/oSBZIFK0k/HXUQQ2w3E5rkvIMadIwOdEgM1DGXu6Ab1m8Fj0wfmCOlxR8aAAHoRBqwWwgbd5P2" +
    "FCAHUW78kP6BWtIr5+Q8W4eUlzAlT+Y0hJ2f0wo4aa0WAOaVc3VyIDjrassjJL8dCjSTDjzN2pHr3yOTyTd+8AAUFGCVAHmIMnHi" +
    "nQuGc480BFlIm/19QGrP/YZlzpw1hOkZAUQnfl157EDg90nXLUrdFqDAMMtthCc5QTAkHn6e9pFb1F3Kcgg0pTZgzn+kGKCgIDl/" +
    "yzfupUMOYk2ceOOS4ZyjlkNyw+XG8RKe5MWcfJn9zQIiCZaRxCdduoAA9Yg3zijAVwGCbBIh/QHyhCfoB+jMES+pKhEJpVW+PeoX" +
    "EMD+j+C5qsk5tyiPAmkIdRIOWA6ENBVoTSAzAwB04jj0DngvYUqeTHvEaf3RFTCzVZAcxJo58sbrElQAAAABAP3/RYC5BgI9AAAA" +
    "AQDdyQ6A5jRiyg==" +
    "",
  "base64",
);
const birds = "heron crane ibis stork egret spoonbill".split(" ");
const realLines = Array.from(
  { length: 9000 },
  (_, i) => `${JSON.stringify({ n: i % 50, bird: birds[(i * i) % 6], at: (i % 7) * 3 })}\n`,
).join("");

it("decompresses what the real program made", async () => {
  const { bytes, damage } = await content(realFrame);
  expect(damage).toBeNull();
  expect(bytes.toString()).toBe(realLines);
});

it("decompresses any content, at any level, in pieces of any size", async () => {
  const text = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(fc.json(), { maxLength: 20 }).map((lines) => lines.join("\n").repeat(200)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("hex").repeat(1000)),
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom("-1", "-3", "-19", "--no-check"),
      fc.integer({ min: 1, max: 300_000 }),
      async (given, option, piece) => {
        const read = await content(compressed(given, [option]), Math.max(piece, given.length / 100));
        expect([read.damage, read.bytes.toString()]).toEqual([null, given]);
      },
    ),
    { numRuns: 15 },
  );
});

it("decompresses several frames, and skips those for others", async () => {
  const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const frames = [
    storedFrame(Buffer.from("one\n")),
    skipped,
    compressed("two\n"),
    storedFrame(Buffer.alloc(0)),
  ];
  expect(await content(Buffer.concat(frames))).toMatchObject({
    bytes: Buffer.from("one\ntwo\n"),
    damage: null,
  });
});

it("gives what comes before the damage, whatever the damage", async () => {
  const cut = await content(realFrame.subarray(0, realFrame.length - 300));
  expect(cut.damage).toBe("The file ends within a frame.");
  expect(realLines.startsWith(cut.bytes.toString()) && cut.size > 0).toBe(true);
  const at = fc.nat(realFrame.length - 1);
  await fc.assert(
    fc.asyncProperty(at, fc.nat(255), at, async (changed, byte, end) => {
      const other = Buffer.from(realFrame.subarray(0, end));
      if (changed < end) other[changed] = byte;
      const { size, damage } = await content(other);
      expect(size).toBeLessThan(2 * realLines.length);
      if (end < realFrame.length - 4 && end > 0) expect(damage).not.toBeNull();
    }),
    { numRuns: 60 },
  );
  expect(await content(Buffer.from("{}\n{}\n"))).toMatchObject({
    size: 0,
    damage: "The file is not in Zstandard's format.",
  });
});

it("refuses a window that would need too much memory, in any frame", async () => {
  const huge = frameHeader(20);
  expect(await content(huge)).toMatchObject({ size: 0, damage: "The file needs too much memory." });
  const second = await content(Buffer.concat([storedFrame(Buffer.from("one\n")), huge]));
  expect(second).toMatchObject({ size: 4, damage: "The file needs too much memory." });
  const claimed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 2, 0, 0, 0]);
  expect(await content(claimed)).toMatchObject({ size: 0, damage: "The file needs too much memory." });
});

it("ends after 1 GB of what a bomb holds, with one block in memory", async () => {
  const bomb = repeatingFrame("\n", 10_000);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  });
  const { size, damage } = await content(bomb, 1024 * 1024, 0);
  clearInterval(timer);
  expect(damage).toBe("The file holds more than a session can.");
  expect(size).toBe(1024 ** 3);
  expect(bomb.length).toBeLessThan(100_000);
  expect(most).toBeLessThan(200 * 1024 * 1024);
});
