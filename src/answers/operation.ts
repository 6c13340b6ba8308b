import * as z from "zod/mini";
import type { Project } from "../base/paths.ts";
import type { Door } from "../protocol/door.ts";
import { lazy, type Shaped } from "../protocol/shape-parts.ts";
import type { Memory } from "../store/memory/memory.ts";
import type { OpenMemory } from "./open.ts";

/** What an operation can be about: what its answer is given, opened. */
export interface Subjects {
  /** All projects of this machine. */
  machine: object;
  /** The daemon itself, which alone answers. `place`: the directory that was named with the question. */
  daemon: { place: string | null };
  project: { project: Project };
  /** A project's code: a process that answers by itself indexes it first where it never was. */
  code: { project: Project };
  memory: { project: Project; memory: Memory };
  /** null where it is missing or cannot be read. An answer with notes begins with the reason. */
  "memory, if any": { project: Project; memory: Memory | null };
  /** What records a project's sessions, in a daemon alone. */
  recording: { work: OpenMemory };
}
export type Subject = keyof Subjects;

/** How an operation is run. */
export interface Running {
  /** Aborted when the answer is no longer wanted. */
  signal?: AbortSignal | undefined;
  /** Called where this process does work that takes long. `what`: which part of it, or more about how far it is. */
  onProgress?: ((done: number, total: number, what?: string) => void) | undefined;
  /** Called with what it has to say meanwhile. */
  onNote?: ((text: string) => void) | undefined;
}

/** Who may ask over HTTP. programs: not the page in a browser. pommel: its own programs alone, outside of the contract. */
type Audience = "everybody" | "programs" | "pommel";

type Method = "GET" | "POST";

/** All that is true of an operation, but for what its answer is. */
interface Properties<Name extends string, Of extends Subject> {
  /** As clients, the audit log and the OpenAPI document call it. */
  readonly name: Name;
  /** One line, for people who read the contract. */
  readonly summary: string;
  readonly of: Of;
}

interface Options {
  /** It may not be run a second time where the first may still be at work. */
  readonly changes?: boolean;
  /** It hands out what is stored, and is recorded in the audit log. Default: unless it changes something. */
  readonly audited?: boolean;
  readonly audience?: Audience;
  /** The page may ask for it, though other programs may not. */
  readonly onPage?: boolean;
  /** Editors may ask for it: it only reads, and says nothing of this machine. */
  readonly editors?: boolean;
  /** It answers from the files of a project that was never indexed: nobody waits for a daemon that would have to do that first. */
  readonly readsTree?: boolean;
  /** Through which door it comes, whoever asks. */
  readonly door?: Door;
  /** A look at how things are: for it a daemon neither opens nor remembers what is not open. */
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
    Options,
    Shapes<Q, S> {
  /** Where HTTP serves it. */
  readonly path: `${Method | "GET or POST"} /${string}`;
  /** Loaded on first use. */
  readonly answer: () => Promise<
    (subject: Subjects[Of], request: z.infer<Q>, how: Running) => z.infer<S> | Promise<z.infer<S>>
  >;
}

/** One question or change that Pommel offers. */
export interface Operation<
  Name extends string = string,
  Of extends Subject = Subject,
  Q extends z.ZodMiniObject = z.ZodMiniObject,
  S extends z.ZodMiniObject = z.ZodMiniObject,
> extends Properties<Name, Of>,
    Required<Omit<Options, "door">>,
    Pick<Options, "door">,
    Shapes<Q, S> {
  readonly methods: readonly Method[];
  /** Parameters are written as `:id`. */
  readonly path: string;
  readonly answer: () => Promise<(subject: never, request: never, how: Running) => unknown>;
}

export type RequestOf<O extends Operation> = Shaped<O["request"]>;
export type ResponseOf<O extends Operation> = Shaped<O["response"]>;

/** Describes an operation: its address, shapes, properties and answer. The faces follow from it. */
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
