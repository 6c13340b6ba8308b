import { describe, expect, test } from "vitest";
import { chunk, outline } from "../../../test/support/chunk-fixture.ts";

/** What is found in a small file of each language: level, kind, name and lines, nested. */

describe("typescript", () => {
  const source = `/** Keeps jobs until someone has time. */

import { clock } from "./clock";

export const limit = 100;
const jobs: string[] = [], started = clock();

export interface Job {
  id: string;
  run(): Promise<void>;
}

export type Outcome = "done" | "failed";

export type Report = {
  job: Job;
  outcome: Outcome;
};

export enum State { Idle, Busy }

/** Takes jobs one by one. */
@Injectable()
export class Queue<T extends Job> extends Base {
  private waiting: T[] = [];

  constructor(private readonly size: number) {
    super();
  }

  /** How many wait. */
  get length(): number {
    return this.waiting.length;
  }

  @Retry({ times: 3 })
  async take(timeout?: number): Promise<T> {
    return this.waiting.shift()!;
  }

  onIdle = () => {
    this.emit("idle");
  };

  abstract drop(): void;
}

export default async function drain(queue: Queue<Job>): Promise<void> {
  const next = () => queue.take();
  await next();
}

// Doubles.
export const double = (n: number): number => n * 2;

export const guarded = withGuard("admin", async (request: Request) => {
  const user = await request.user();
  return user.name;
});

export const routes = {
  index: () => "home",
  async show(id: string) {
    return load(id);
  },
  "user.edit": function (id: string) {
    return edit(id);
  },
};

namespace Wire.Format {
  export function encode(value: unknown) {
    return JSON.stringify(value);
  }
}

declare function external(name: string): void;
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.ts", "typescript", source))).toEqual([
      "class interface Job 8-11",
      "class type Report 15-18",
      "class enum State 20-20",
      "class class Queue 22-46",
      "  method method constructor 27-29",
      "  method method length 31-34",
      "  method method take 36-39",
      "  method method onIdle 41-43",
      "  method method drop 45-45",
      "method function drain 48-51",
      "method function double 53-54",
      "method function guarded 56-59",
      "class object routes 61-69",
      "  method method show 63-65",
      "  method function user.edit 66-68",
      "class namespace Format 71-75",
      "  method function encode 72-74",
      "method function external 77-77",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.ts", "typescript", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "constant limit 5",
      "constant jobs 6",
      "constant started 6",
      "interface Job 8",
      "type Outcome 13",
      "type Report 15",
      "enum State 20",
      "class Queue 23",
      "method constructor 27",
      "method length 32",
      "method take 37",
      "method onIdle 41",
      "method drop 45",
      "function drain 48",
      "function next 49",
      "function double 54",
      "function guarded 56",
      "constant routes 61",
      "function index 62",
      "method show 63",
      "function user.edit 66",
      "namespace Format 71",
      "function encode 72",
      "function external 77",
    ]);
  });
});

describe("tsx", () => {
  const source = `import React from "react";

interface Props {
  title: string;
}

export function Card({ title }: Props) {
  return (
    <section>
      <h1>{title}</h1>
    </section>
  );
}

export const Button = React.memo(({ title }: Props) => {
  const onClick = () => console.log(title);
  return <button onClick={onClick}>{title}</button>;
});
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.tsx", "tsx", source))).toEqual([
      "class interface Props 3-5",
      "method function Card 7-13",
      "method function Button 15-18",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.tsx", "tsx", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "interface Props 3",
      "function Card 7",
      "function Button 15",
      "function onClick 16",
    ]);
  });
});

describe("javascript", () => {
  const source = `#!/usr/bin/env node
'use strict';

/**
 * Starts the app.
 */

app.start = function start(port) {
  this.port = port;
};

exports.stop = (code) => {
  process.exit(code);
};

module.exports = function createApp() {
  return app;
};

Router.prototype.match = function (path) {
  return this.routes[path];
};

app[name] = function () {
  return 1;
};

class Cache {
  static #size = 10;
  static of() {
    return new Cache();
  }
  clear = () => {
    this.items = [];
  };
}

function* ids() {
  yield 1;
}

module.exports.helpers = {
  trim(text) {
    return text.trim();
  },
  pad: function (text) {
    return text.padStart(8);
  },
};
`;

  test("chunks", async () => {
    expect(outline(await chunk("shop/a.js", "javascript", source))).toEqual([
      "method function start 4-10",
      "method function stop 12-14",
      "method function createApp 16-18",
      "method function match 20-22",
      "class class Cache 28-36",
      "  method method of 30-32",
      "  method method clear 33-35",
      "method function ids 38-40",
      "class object helpers 42-49",
      "  method method trim 43-45",
      "  method function pad 46-48",
    ]);
  });

  test("symbols", async () => {
    const { symbols } = await chunk("shop/a.js", "javascript", source);
    expect(symbols.map(({ kind, name, line }) => `${kind} ${name} ${line}`)).toEqual([
      "function start 8",
      "function stop 12",
      "function createApp 16",
      "function match 20",
      "class Cache 28",
      "method of 30",
      "method clear 33",
      "function ids 38",
      "constant helpers 42",
      "method trim 43",
      "function pad 46",
    ]);
  });
});
