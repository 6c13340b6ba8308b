import fc from "fast-check";

/** Any character. fast-check's own `unit: "binary"` builds tables of 85 MB, which then slow down every process that a worker starts. */
export const anyCharacter = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));
