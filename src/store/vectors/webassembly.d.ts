/** What we use of the platform's WebAssembly; TypeScript has it only together with the whole browser. */
declare namespace WebAssembly {
  class Module {
    /** @throws CompileError when the bytes are no module, or use what this machine does not have */
    constructor(bytes: Uint8Array);
  }
  class Memory {
    /** In pages of 64 KiB. */
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}
