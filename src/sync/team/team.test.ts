import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { contentOf, type Machine, sharedRemote } from "../../../test/support/machine-fixture.ts";
import { fakeScrubber } from "../../../test/support/memory-work-fixture.ts";
import { startTestServer } from "../../../test/support/postgres-server.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { getErrorCode } from "../../base/errors.ts";
import { forgetNow } from "../../sessions/forget/forget.ts";
import { addNote } from "../../sessions/notes/add-note.ts";
import { allChunks, type ChunkFilter, listChunkIds } from "../../store/memory/chunks/chunk-filter.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listColleagues } from "../../store/memory/sharing.ts";
import { buildTeamServerSettings, TeamServer } from "../../store/team/team-server.ts";
import { Trust } from "../origin/trust.ts";
import { joinTeam, leaveTeam, readTeamState, shareWithTeam, type TeamSettings } from "./team.ts";

const server = await startTestServer();
/** PGlite has one role and one connection. */
const isInstalled = server !== null && server.engine !== "PGlite";
const names = ["ann", "bob", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "joe"];

/** As the server's owner, whom no policy binds. */
async function asOwner<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server!.url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

if (isInstalled) {
  await asOwner(async (sql) => {
    for (const name of [...names, "mallory"]) await sql.unsafe(`CREATE ROLE ${name} LOGIN`);
    await sql.unsafe("GRANT CREATE ON DATABASE postgres TO ann");
  });
} else if (server !== null) {
  process.stderr.write("\nSKIPPED: roles and cut connections of a team need an installed PostgreSQL.\n");
}

function settingsOf(name: string, port?: number): Omit<TeamSettings, "trust"> {
  const url = new URL(server!.url);
  if (isInstalled) url.username = name;
  if (port !== undefined) url.port = String(port);
  return {
    server: buildTeamServerSettings({ ...makeDefaultConfig(), "memory.share": String(url) }),
    author: `${name}@acme.test`,
  };
}

let project = "";
let counter = 0;
let shared: ReturnType<typeof sharedRemote>;
beforeEach(() => {
  project = `project-${++counter}`;
  shared = sharedRemote();
});
afterEach(() => shared.remove());
afterAll(() => server?.stop());

async function member(name: string, options: Parameters<typeof shared.machine>[1] = {}, machineName = name) {
  const machine = shared.machine(machineName, options);
  const trust = new Trust(join(shared.base, `${machineName}-team-trust.json`), [`${name}@acme.test`]);
  const settings = { ...settingsOf(name), trust };
  return {
    ...machine,
    team: settings,
    join: () => joinTeam(machine.work, settings, project),
    share: (port?: number) =>
      shareWithTeam(machine.work, port ? { ...settingsOf(name, port), trust } : settings),
    leave: (remove: boolean) => leaveTeam(machine.work, settings, { remove }),
  };
}
type Member = Awaited<ReturnType<typeof member>>;

/** Members of the project; the first owns it. */
async function team(...members: string[]): Promise<Member[]> {
  const all: Member[] = [];
  for (const name of members) all.push(await member(name));
  await all[0]!.join();
  if (isInstalled) {
    const owner = new TeamServer(all[0]!.team.server);
    await owner.addMembers(project, members);
    await owner.close();
  }
  for (const one of all.slice(1)) await one.join();
  return all;
}

function session(machine: Machine, id: string, said: string) {
  const builder = machine.session(id);
  builder.prompt(`Please write ${said}`);
  builder.edit(`${machine.dir}/src/auth.ts`, "old line", `new line of ${id}`);
  builder.reply(`Done: ${said}. We decided to use a lock because two requests came at once.`);
  builder.prompt(`Note to Pommel: tokens of ${id} are refreshed under a lock`);
  builder.reply("Noted.");
  return builder;
}

const atServer = () =>
  asOwner(
    (sql) => sql<{ author: string; kind: string; id: string; withdrawn: boolean }[]>`
      SELECT author, kind, id, payload IS NULL AS withdrawn FROM pommel_team_1.records
      WHERE project = ${project} ORDER BY author, kind, id`,
  );

describe.skipIf(server === null)(`a team on ${server?.engine}`, () => {
  it("has each other's sessions and notes, and knows whose they are", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    await ann.read(session(ann, "s1", "a token refresh"));
    await addNote(ann.work, { by: "person", note: "v2 is released" });
    expect(await ann.share()).toMatchObject({ shared: { sessions: 1, turns: 2, annotations: 2 } });
    expect(await bob.share()).toMatchObject({
      imported: { sessions: 1, turns: 2, annotations: 2 },
      shared: { sessions: 0, annotations: 0 },
    });
    expect(contentOf(bob)).toEqual(contentOf(ann));
    expect(findSessionByUid(bob.memory, "s1")?.author).toBe("ann@acme.test");
    expect(findSessionByUid(ann.memory, "s1")?.author).toBeNull();
    expect(listColleagues(bob.memory)).toEqual(["ann@acme.test"]);
    const found = ({ memory }: Member, filter: Partial<ChunkFilter>) =>
      listChunkIds(memory, { ...allChunks, ...filter }).length;
    expect(found(bob, { shared: true })).toBe(found(bob, {}));
    expect(found(bob, { author: "ANN@" })).toBe(found(bob, {}));
    expect(found(bob, { author: "cleo" })).toBe(0);
    expect(found(ann, { shared: true })).toBe(0);
    for (const one of [ann, bob, bob]) {
      const nothing = { sessions: 0, turns: 0, annotations: 0, checkpoints: 0, attributions: 0, events: 0 };
      expect(await one.share()).toMatchObject({
        shared: nothing,
        imported: nothing,
        withdrawn: 0,
        removed: 0,
      });
    }
    expect(new Set((await atServer()).map(({ author }) => author))).toEqual(new Set(["ann@acme.test"]));
  });

  it("shares nothing before it is asked to, and nothing of others on the branch of pm share git", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    const cleo = await member("cleo");
    await cleo.read(session(cleo, "s3", "a secret"));
    await expect(cleo.share()).rejects.toMatchObject({ code: "share_refused" });
    expect(readTeamState(cleo.work)).toBeNull();
    await ann.read(session(ann, "s1", "a token refresh"));
    await ann.share();
    await bob.read(session(bob, "s2", "a quokka"));
    await bob.share();
    await bob.sync();
    const files = [...bob.files().values()].join();
    expect(files).toContain("quokka");
    expect(files).not.toContain("token refresh");
  });

  it("scrubs what it shares and what it imports", async () => {
    const [ann] = (await team("ann", "bob")) as [Member];
    const strict = await member("bob", { scrubber: fakeScrubber("strict", /zanzibar/g) }, "strict");
    await strict.join();
    await ann.read(session(ann, "s1", "zanzibar"));
    await ann.share();
    await strict.share();
    expect(contentOf(strict).sessions).toHaveLength(1);
    expect(JSON.stringify(contentOf(strict))).not.toContain("zanzibar");
  });

  it("loses what somebody forgets: sessions, turns, matches and notes", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    for (const [id, said] of [
      ["s1", "a token"],
      ["s2", "a quokka"],
      ["s3", "a wombat"],
    ] as const)
      await ann.read(session(ann, id, said));
    await ann.share();
    await bob.share();
    await forgetNow(ann.work, { session: "s1" });
    await forgetNow(ann.work, { turn: "s2:1" });
    await forgetNow(ann.work, { pattern: "wombat" });
    expect(await ann.share()).toMatchObject({ withdrawn: 2 });
    expect(await bob.share()).toMatchObject({ removed: 2 });
    const left = JSON.stringify(contentOf(bob));
    expect(contentOf(bob).sessions).toMatchObject([{ uid: "s2" }, { uid: "s3" }]);
    for (const word of ["a token", "quokka", "wombat"]) expect(left).not.toContain(word);
    expect(left).toContain("[FORGOTTEN]");
    const texts = await asOwner(
      (sql) => sql`SELECT id FROM pommel_team_1.records WHERE project = ${project}
      AND payload IS NOT NULL AND (id = 's1' OR id LIKE '%s1%')`,
    );
    expect(texts).toHaveLength(0);
    // A colleague who forgets it for themselves takes nothing from others, and does not get it again.
    await forgetNow(bob.work, { session: "s3" });
    await bob.share();
    await ann.share();
    expect(contentOf(ann).sessions).toHaveLength(2);
    expect(contentOf(bob).sessions).toHaveLength(1);
  });

  it("loses what was a member's when they leave and say so, and gets it back when they return", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    await ann.read(session(ann, "s1", "a token"));
    await addNote(ann.work, { by: "person", note: "v2 is released" });
    await bob.read(session(bob, "s2", "a quokka"));
    for (const one of [ann, bob, ann]) await one.share();
    expect(await ann.leave(false)).toBe(0);
    await bob.share();
    expect(contentOf(bob).turns).toHaveLength(4);
    await ann.join();
    expect(await ann.leave(true)).toBe(3);
    expect(await bob.share()).toMatchObject({ removed: 3 });
    expect(contentOf(bob)).toMatchObject({ turns: [{ uid: "s2" }, { uid: "s2" }], annotations: [{}] });
    expect(
      (await atServer()).filter(({ withdrawn }) => !withdrawn).map(({ author }) => author),
    ).not.toContain("ann@acme.test");
    await ann.join();
    await ann.share();
    await bob.share();
    expect(contentOf(bob).annotations).toHaveLength(3);
    expect(contentOf(bob)).toEqual(contentOf(ann));
  });

  it("joins a person's machines, and lets each withdraw", async () => {
    const [laptop] = (await team("ann", "bob")) as [Member];
    const desktop = await member("ann", {}, "desktop");
    await desktop.join();
    await laptop.read(session(laptop, "s1", "a token"));
    await desktop.read(session(desktop, "s2", "a quokka"));
    for (const one of [laptop, desktop, laptop]) await one.share();
    expect(contentOf(laptop)).toEqual(contentOf(desktop));
    await forgetNow(desktop.work, { session: "s1" });
    await desktop.share();
    expect((await atServer()).find(({ id }) => id === "s1")).toMatchObject({ withdrawn: true });
  });

  it("starts again when the server lost everything", async () => {
    const [ann] = (await team("ann")) as [Member];
    await ann.read(session(ann, "s1", "a token"));
    await ann.share();
    await asOwner((sql) => sql.unsafe("DROP SCHEMA pommel_team_1 CASCADE"));
    expect(await ann.share()).toMatchObject({ shared: { sessions: 1, annotations: 1 } });
  });
});

describe.skipIf(!isInstalled)(`roles on ${server?.engine}`, () => {
  const as = (role: string) => {
    const url = new URL(server!.url);
    url.username = role;
    return postgres(String(url), { max: 1, onnotice: () => {} });
  };

  it("are kept apart by the server: by project, and by author", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    await ann.read(session(ann, "s1", "a token"));
    await ann.share();
    const mallory = await member("mallory");
    await expect(mallory.join()).rejects.toMatchObject({ code: "share_refused" });
    await expect(joinTeam(bob.work, { ...bob.team, author: "ann@acme.test" }, project)).rejects.toMatchObject(
      {
        code: "share_refused",
        message: expect.stringContaining("Somebody else"),
      },
    );
    const outside = as("mallory");
    const inside = as("bob");
    try {
      expect(await outside`SELECT * FROM pommel_team_1.records WHERE project = ${project}`).toHaveLength(0);
      expect(await outside`SELECT * FROM pommel_team_1.authors WHERE project = ${project}`).toHaveLength(0);
      expect(await outside`SELECT * FROM pommel_team_1.projects WHERE key = ${project}`).toHaveLength(0);
      const forbidden = [
        outside`INSERT INTO pommel_team_1.members (project, role) VALUES (${project}, 'mallory')`,
        outside`INSERT INTO pommel_team_1.authors (project, author) VALUES (${project}, 'm')`,
        inside`INSERT INTO pommel_team_1.members (project, role) VALUES (${project}, 'mallory')`,
        inside`INSERT INTO pommel_team_1.records (project, author, kind, id, digest) VALUES (${project}, 'ann@acme.test', 'session', 'x', '')`,
        inside`UPDATE pommel_team_1.projects SET seq = 0`,
        inside`UPDATE pommel_team_1.records SET seq = 0`,
        inside`DELETE FROM pommel_team_1.records`,
      ];
      for (const statement of forbidden) await expect(statement).rejects.toMatchObject({ code: "42501" });
      expect(await inside`SELECT * FROM pommel_team_1.records WHERE project = ${project}`).toHaveLength(2);
      const changed =
        await inside`UPDATE pommel_team_1.records SET digest = 'x', payload = NULL WHERE project = ${project}`;
      expect(changed.count).toBe(0);
      const removed = await inside`DELETE FROM pommel_team_1.members WHERE project = ${project}`;
      expect(removed.count).toBe(0);
    } finally {
      await Promise.all([outside.end(), inside.end()]);
    }
    // Somebody who signs in as themselves cannot put words into a colleague's session.
    await bob.share();
    const forger = new TeamServer(bob.team.server);
    const stored = await forger.pull(project, 0, 9);
    const text = stored.find(({ id }) => id === "s1")!.text!.replaceAll("a token", "a forgery");
    await forger.push(project, "bob@acme.test", [{ kind: "session", id: "s1", text }]);
    await forger.close();
    await ann.share();
    expect(JSON.stringify(contentOf(ann))).not.toContain("forgery");
  });

  it("of a removed member read and write nothing any more", async () => {
    const [ann, bob] = (await team("ann", "bob")) as [Member, Member];
    const owner = new TeamServer(ann.team.server);
    await owner.removeMembers(project, ["bob"]);
    await owner.close();
    await expect(bob.share()).rejects.toMatchObject({ code: "share_refused" });
    const other = new TeamServer(bob.team.server);
    await expect(other.addMembers(project, ["bob"])).rejects.toMatchObject({ code: "share_refused" });
    await other.close();
  });
});

/** Between members and the server: cuts each connection after so many bytes, while told to. */
async function cuttingProxy(target: number, random: (below: number) => number) {
  let isCutting = true;
  const open = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    let left = isCutting ? 300 + random(12_000) : Number.POSITIVE_INFINITY;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("error", end).on("close", end);
      from.on("data", (data) => {
        left -= data.length;
        // What was sent may have arrived.
        if (left >= 0 || random(2) === 0) to.write(data);
        if (left < 0) end();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  return {
    port: typeof address === "object" ? address!.port : 0,
    mend: () => {
      isCutting = false;
    },
    close() {
      for (const socket of open) socket.destroy();
      proxy.close();
    },
  };
}

it.skipIf(!isInstalled)(
  "ten members lose and double nothing, however connections are cut",
  async () => {
    const step = fc.record({
      who: fc.nat(names.length - 1),
      what: fc.constantFrom(
        "say" as const,
        "say" as const,
        "note" as const,
        "share" as const,
        "share" as const,
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), fc.nat(), async (steps, seed) => {
        project = `project-${++counter}`;
        shared.remove();
        shared = sharedRemote();
        let state = seed + 1;
        const random = (below: number) => {
          state = (state * 16_807) % 2_147_483_647;
          return state % below;
        };
        const members = await team(...names);
        const proxy = await cuttingProxy(Number(new URL(server!.url).port), random);
        try {
          const sessions = new Map<string, ReturnType<Machine["session"]>>();
          const said: string[] = [];
          let cuts = 0;
          const tryToShare = (one: Member) =>
            one.share(proxy.port).catch((error: unknown) => {
              expect(getErrorCode(error)).toBe("share_unavailable");
              cuts++;
            });
          for (const [i, { who, what }] of steps.entries()) {
            const one = members[who]!;
            const words = `words${i}of${one.name}`;
            if (what === "share") {
              await Promise.all([tryToShare(one), tryToShare(members[random(names.length)]!)]);
              continue;
            }
            said.push(words);
            if (what === "note") {
              await addNote(one.work, { by: "person", note: words });
              continue;
            }
            const builder = sessions.get(one.name) ?? one.session(one.name);
            sessions.set(one.name, builder);
            builder.prompt(`Please say ${words}`);
            builder.reply(`Here it is: ${words}`);
            await one.read(builder);
          }
          for (const one of members) await tryToShare(one);
          proxy.mend();
          for (let round = 0; round < 2; round++) for (const one of members) await one.share(proxy.port);
          const first = contentOf(members[0]!);
          const text = JSON.stringify([first.turns, first.annotations]);
          for (const words of said) expect(text).toContain(words);
          expect(first.annotations).toHaveLength(said.length - first.turns!.length);
          for (const one of members) expect(contentOf(one)).toEqual(first);
          const rows = await atServer();
          expect(rows).toHaveLength(
            first.sessions!.filter((row) => !isPommels(row)).length + first.annotations!.length,
          );
          for (const { author, kind, id } of rows)
            if (kind === "session") expect(author).toBe(`${id}@acme.test`);
          expect(cuts).toBeGreaterThan(0);
        } finally {
          proxy.close();
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  },
  180_000,
);

/** The session that holds notes from a shell. */
const isPommels = (row: unknown) => (row as { agent: string }).agent === "pommel";
