/** What must never happen, whatever comes in. */
const kinds = ["crash", "hang", "stack trace", "raw control character", "changed prototype"] as const;
type FaultKind = (typeof kinds)[number];

interface Fault {
  kind: FaultKind;
  /** The seed of the case, and what is known of it. */
  seed: number;
  what: string;
}

/** Longer is a hang: processor time, as the clock also counts what other programs do. Milliseconds. */
const patienceMs = 2000;
/** By the clock a hang is this many times as long: the case waits for something that does not come. */
const waitFactor = 60;

/** Counts cases, and keeps what went wrong. */
export class Tally {
  cases = 0;
  slowestMs = 0;
  readonly faults: Fault[] = [];

  constructor(
    readonly name: string,
    private readonly patience = patienceMs,
    private readonly onFault: (fault: Fault) => void = () => {},
  ) {}

  fault(kind: FaultKind, seed: number, what: unknown): void {
    const text = what instanceof Error ? (what.stack ?? what.message) : String(what);
    const fault = { kind, seed, what: text.slice(0, 2000) };
    this.faults.push(fault);
    this.onFault(fault);
  }

  /** Runs one case; null if it failed. @param expected errors that are answers */
  async attempt<T>(
    seed: number,
    work: () => T | Promise<T>,
    expected: (error: unknown) => boolean = () => false,
  ): Promise<T | null> {
    const start = performance.now();
    const before = process.cpuUsage();
    try {
      return await work();
    } catch (error) {
      if (!expected(error)) this.fault("crash", seed, error);
      return null;
    } finally {
      const waited = performance.now() - start;
      const { user, system } = process.cpuUsage(before);
      const worked = (user + system) / 1000;
      this.slowestMs = Math.max(this.slowestMs, worked);
      if (worked > this.patience || waited > this.patience * waitFactor)
        this.fault("hang", seed, `${Math.round(worked)} ms of work in ${Math.round(waited)} ms`);
      if ("polluted" in {}) {
        this.fault("changed prototype", seed, "Object.prototype");
        delete (Object.prototype as Record<string, unknown>).polluted;
      }
    }
  }

  /** Checks a text that people see. */
  shown(seed: number, text: string, isForPeople: boolean): void {
    if (/^\s+at .+:\d+:\d+\)?$/m.test(text)) this.fault("stack trace", seed, text);
    if (isForPeople && /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text))
      this.fault("raw control character", seed, JSON.stringify(text));
  }

  report(): string {
    const counts = kinds.map((kind) => `${kind} ${this.faults.filter((one) => one.kind === kind).length}`);
    return `${this.name}: ${this.cases} cases, slowest ${Math.round(this.slowestMs)} ms, ${counts.join(", ")}`;
  }
}
