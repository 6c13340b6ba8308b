import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type ChatFixture, chat, hashOf, idOf } from "../../../test/support/chat-fixture.ts";
import { findAgentByName } from "../registry.ts";
import { gemini } from "./gemini.ts";

let tmp: string;
beforeEach(() => {
  tmp = join(mkdtempSync(join(tmpdir(), "pommel-gemini-")), ".gemini", "tmp");
});

function put(path: string, content: string): string {
  const file = join(tmp, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** A chat whose records have no directory. */
function silent(cwd: string, say: (c: ChatFixture) => void = () => {}): ChatFixture {
  const c = chat({ cwd });
  c.begin();
  c.prompt("hello");
  say(c);
  const metadata = c.records[0] as Record<string, unknown>;
  delete metadata.directories;
  return c;
}

it("Gemini CLI is registered under its name", () => {
  expect(findAgentByName("gemini")).toMatchObject({ title: gemini.title, setup: gemini.setup });
});

it.each([
  [{}, join(homedir(), ".gemini/tmp")],
  [{ HOME: "/home/dev" }, "/home/dev/.gemini/tmp"],
  [{ HOME: "/home/dev", GEMINI_CLI_HOME: "/srv/gemini/" }, "/srv/gemini/.gemini/tmp"],
])("looks with %j in %s", (env, root) => {
  expect(gemini.listRoots(env)).toEqual([root]);
});

it.each([
  ["/home/dev/.gemini/tmp/shop/chats/session-2026-03-02T09-00-12345678.jsonl", "/home/dev/.gemini/tmp/shop"],
  ["/home/dev/.gemini/tmp/shop/chats/a1/b2.jsonl", "/home/dev/.gemini/tmp/shop"],
  ["/home/dev/chats/session-x.jsonl", null],
  ["/session-x.jsonl", null],
])("keeps %s in %s", (path, directory) => {
  expect(gemini.findDirectoryToWatch(path)).toBe(directory);
});

describe("a chat's directory", () => {
  const cwd = "/home/dev/My App_v1.2";

  it("is read from beside the chat", async () => {
    const file = put("my-app/chats/session-a.jsonl", silent(cwd).text());
    put("my-app/.project_root", `${cwd}\n`);
    expect(await gemini.describe(file)).toMatchObject({ cwd, session: idOf("session"), parent: null });
  });

  it("is found among the client's projects by hash, not by name", async () => {
    const file = put("my-app/chats/session-a.jsonl", silent(cwd).text());
    put("../projects.json", JSON.stringify({ projects: { "/home/dev/other": "my-app", [cwd]: "my-app-1" } }));
    expect(await gemini.describe(file)).toMatchObject({ cwd });
  });

  it.each([
    ["a file that was edited", (c: ChatFixture) => c.edit("/home/dev/shop/src/cart.ts", "a\n", "b\n")],
    [
      "the surroundings",
      (c: ChatFixture) => c.message("user", "<session_context>in /home/dev/shop:\n- a.ts</session_context>"),
    ],
  ])("is found by its hash in the paths that the chat mentions: %s", async (_, say) => {
    const c = silent("/home/dev/shop", say);
    expect(await gemini.describe(put(`${hashOf(c.cwd)}/chats/session-a.jsonl`, c.text()))).toMatchObject({
      cwd: c.cwd,
    });
    expect(
      await gemini.describe(
        put(
          `${hashOf(c.cwd)}/chats/session-a.json`,
          JSON.stringify({ ...JSON.parse(c.object()), directories: undefined }),
        ),
      ),
    ).toMatchObject({
      cwd: c.cwd,
    });
  });

  it("is the current directory, if the hash matches", async () => {
    const c = silent(process.cwd());
    expect(await gemini.describe(put("x/chats/session-a.jsonl", c.text()))).toMatchObject({
      cwd: process.cwd(),
    });
  });

  it("is never guessed", async () => {
    const c = silent("/home/dev/secret", (each) => each.edit("/home/dev/shop/a.ts", "a\n", "b\n"));
    const file = put("shop/chats/session-a.jsonl", c.text());
    put("../projects.json", '{"projects":{"/home/dev/shop":"shop","/x":5}}');
    expect(await gemini.describe(file)).toBeNull();
    for (const broken of ["{", "[]", '{"projects":[]}']) {
      put("../projects.json", broken);
      expect(await gemini.describe(file)).toBeNull();
    }
  });
});

describe("a subagent", () => {
  const parent = chat({ session: idOf("parent") });
  parent.begin();
  const child = chat({ session: idOf("child"), parent: parent.session });
  child.begin();
  child.prompt("Count the files");
  const task = "Count the files";

  it("has its call as parent once that has ended", async () => {
    const file = child.writeTo(tmp);
    const known = { session: parent.session, toolUse: null, agentType: null, task };
    expect(await gemini.describe(file)).toMatchObject({
      session: `${parent.session}/${child.session}`,
      parent: known,
    });
    const more = { agentId: child.session };
    const call = parent.tool("invoke_agent", { agent_name: "generalist", prompt: task }, "one", { more });
    const above = parent.writeTo(tmp);
    const found = { ...known, toolUse: call, agentType: "generalist" };
    expect(await gemini.describe(file)).toMatchObject({ parent: found });
    // The client deletes chats.
    rmSync(above);
    expect(await gemini.describe(file)).toMatchObject({ parent: known });
  });

  it("is listed with the chat that started it", async () => {
    const files = [child.writeTo(tmp), parent.writeTo(tmp)];
    put("shop/logs.json", "[]");
    const listed = async (path: string) => {
      const found: string[] = [];
      for await (const each of gemini.list(path)) found.push(each.path);
      return found;
    };
    expect(await listed(tmp)).toEqual(files);
    expect(await listed(files[1]!)).toEqual(files);
    expect(await listed(files[0]!)).toEqual([files[0]]);
  });
});

it("does not claim another agent's lines", async () => {
  const line = { type: "user", sessionId: "s", uuid: "u", cwd: "/home/dev", message: { content: "x" } };
  expect(await gemini.describe(put("shop/chats/session-a.jsonl", `${JSON.stringify(line)}\n`))).toBeNull();
});
