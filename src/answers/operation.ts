import * as z from "zod/mini";
import type { Project } from "../base/paths.ts";
import type { Channel } from "../protocol/channel.ts";
import { lazy, type Shaped } from "../protocol/shape-parts.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { OpenMemory } from "./open.ts";

/** What an operation can be about. Its answer gets this, already opened. */
export interface Subjects {
  /** All projects of this machine. */
  machine: object;
  /** The daemon itself: only a daemon can answer. `place`: the directory that the request named. */
  daemon: { place: string | null };
  project: { project: Project };
  /** A project's code. If it was never indexed, a process that answers without a daemon indexes it first. */
  code: { project: Project };
  memory: { project: Project; memory: Memory };
  /** The memory is null if it is missing or cannot be read. If the answer has notes, they begin with the reason. */
  "memory, if any": { project: Project; memory: Memory | null };
  /** What records a project's sessions. It exists only in a daemon. */
  recording: { work: OpenMemory };
}
export type Subject = keyof Subjects;

/** How an operation is run. */
export interface RunContext {
  /** Aborted when nobody wants the answer any more. */
  signal?: AbortSignal | undefined;
  /** Called while this process does long work. `what`: which part of it, or more about its progress. */
  onProgress?: ((done: number, total: number, what?: string) => void) | undefined;
  /** Called with messages that come before the answer. */
  onNote?: ((text: string) => void) | undefined;
}

/** Who may ask over HTTP. programs: all but the page in a browser. pommel: only Pommel's own programs; not in the contract. */
type Audience = "everybody" | "programs" | "pommel";

type Method = "GET" | "POST";

/** What every operation declares. */
interface Properties<Name extends string, Of extends Subject> {
  /** The name that clients, the audit log and the OpenAPI document use. */
  readonly name: Name;
  /** One line, for people who read the contract. */
  readonly summary: string;
  readonly of: Of;
}

interface OperationOptions {
  /** The operation changes something: it must not run a second time while the first run may still be at work. */
  readonly changes?: boolean;
  /** The operation hands out stored content, and is recorded in the audit log. Default: true unless it changes something. */
  readonly audited?: boolean;
  readonly audience?: Audience;
  /** The page may call the operation even if `audience` does not allow it. */
  readonly onPage?: boolean;
  /** Editors may call the operation: it only reads, and reveals nothing about this machine. */
  readonly editors?: boolean;
  /** If the project was never indexed, the operation answers from its files, so that nobody waits for a daemon to index it. */
  readonly readsTree?: boolean;
  /** The operation always counts as asked through this channel, whoever asks. */
  readonly channel?: Channel;
  /** The operation only looks at the current state: for it the daemon opens no project and remembers no new one. */
  readonly looks?: boolean;
}

interface Shapes<Q extends z.ZodMiniObject, S extends z.ZodMiniObject> {
  readonly request: () => Q;
  readonly response: () => S;
}

interface Description<
  Name extends string,
  Of extends Subject,
  Q extends z.ZodMiniObject,
  S extends z.ZodMiniObject,
> extends Properties<Name, Of>,
    OperationOptions,
    Shapes<Q, S> {
  /** The methods and address at which HTTP serves the operation. */
  readonly path: `${Method | "GET or POST"} /${string}`;
  /** Loaded on first use. */
  readonly answer: () => Promise<
    (subject: Subjects[Of], request: z.infer<Q>, how: RunContext) => z.infer<S> | Promise<z.infer<S>>
  >;
}

/** One question or change that Pommel offers. */
export interface Operation<
  Name extends string = string,
  Of extends Subject = Subject,
  Q extends z.ZodMiniObject = z.ZodMiniObject,
  S extends z.ZodMiniObject = z.ZodMiniObject,
> extends Properties<Name, Of>,
    Required<Omit<OperationOptions, "channel">>,
    Pick<OperationOptions, "channel">,
    Shapes<Q, S> {
  readonly methods: readonly Method[];
  /** Parameters are written as `:id`. */
  readonly path: string;
  readonly answer: () => Promise<(subject: never, request: never, how: RunContext) => unknown>;
}

export type RequestOf<O extends Operation> = Shaped<O["request"]>;
export type ResponseOf<O extends Operation> = Shaped<O["response"]>;

/** Defines an operation: its address, shapes, properties and answer. All faces are derived from it. */
export function defineOperation<
  const Name extends string,
  const Of extends Subject,
  Q extends z.ZodMiniObject,
  S extends z.ZodMiniObject,
>(described: Description<Name, Of, Q, S>): Operation<Name, Of, Q, S> {
  const { path: address, changes = false } = described;
  const at = address.indexOf(" /");
  return {
    changes,
    readsTree: false,
    audited: !changes,
    audience: "everybody",
    onPage: false,
    editors: false,
    looks: false,
    ...described,
    methods: address.slice(0, at).split(" or ") as Method[],
    path: address.slice(at + 1),
  };
}

/** The request or response of an operation that needs none. */
export const nothing = lazy(() => z.object({}));
