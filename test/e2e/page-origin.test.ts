import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Project } from "../../src/base/paths.ts";
import { readDaemonRecord } from "../../src/protocol/daemon-record.ts";
import { cleanUp, createProject, pmJson, start, untilStopped } from "./daemon-fixture.ts";
import { browserFile } from "./page-fixture.ts";

/** What another user's server on this machine gets of the page from a real browser that is signed in: one browser, one daemon. */

let project: Project;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let origin: string;

const link = async () => (await pmJson<{ url: string }>(project, "open", "--no-browser")).url;
const isSignedIn = (of: Page) => of.getByRole("navigation", { name: "Views" });
const isSignedOut = (of: Page) => of.getByRole("heading", { name: "This browser is not signed in" });

/** All that somebody else's server was sent, and that its page could see. */
interface Spoils {
  server: Server;
  port: number;
  received: string[];
}

/** Another user's server, which keeps whatever it is sent, and whose page sends it whatever it can see. */
async function listenAsAnother(port = 0): Promise<Spoils> {
  const received: string[] = [];
  const server = createServer((asked, response) => {
    let body = "";
    asked.on("data", (part) => {
      body += part;
    });
    asked.on("end", () => {
      received.push(asked.url ?? "", ...asked.rawHeaders, body);
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>another</title>");
    });
  });
  server.listen({ port, host: "127.0.0.1" });
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, received };
}

/** What a script of an origin can see there. */
const seenByScript = async () =>
  JSON.stringify({
    cookie: document.cookie,
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    name,
    opener: String(opener),
    referrer: document.referrer,
  });

/** Every text in what they have that could be a secret, in all the places where one could stand. */
const candidatesIn = (texts: readonly string[]) => [
  ...new Set(texts.flatMap((text) => text.match(/[\w.+/=-]{20,}/g) ?? [])),
];

/** A request as a program sends it that may forge every header. */
function forge(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { host, port } = new URL(origin);
    const asked = request(
      { host: "127.0.0.1", port, path, agent: false, headers: { host, ...headers } },
      (r) => {
        r.resume();
        r.on("end", () => resolve(r.statusCode!));
      },
    );
    asked.on("error", reject);
    asked.end();
  });
}

/** Tries whatever they have, in whatever place it could count. */
async function expectUseless(texts: readonly string[]): Promise<void> {
  for (const secret of ["", ...candidatesIn(texts)]) {
    for (const headers of [
      { authorization: `Bearer ${secret}` },
      { authorization: secret },
      { cookie: secret },
      { cookie: `pommel-${new URL(origin).port}=${secret}` },
    ]) {
      const forged = { ...headers, origin, "sec-fetch-site": "same-origin", referer: `${origin}/` };
      expect({ headers, status: await forge("/sessions", forged) }).toEqual({ headers, status: 401 });
    }
  }
}

describe.skipIf(browserFile === undefined)("the page and other servers of this machine", { retry: 0 }, () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserFile!, args: ["--no-sandbox"] });
    project = createProject({ "src/flamingo.ts": "export const flamingo = 1;\n" });
    await start(project);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(await link());
    await isSignedIn(page).waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await cleanUp();
  });

  test("no cookie is set, and the token is of use: the attack below would succeed with it", async () => {
    expect(await context.cookies()).toEqual([]);
    const own = await page.evaluate(seenByScript);
    const [token] = candidatesIn([own]).filter((one) => /^[0-9a-f]{8}\./.test(one));
    expect(await forge("/daemon", { authorization: `Bearer ${token}` })).toBe(200);
  });

  test.each(["127.0.0.1", "localhost"])("a server on another port of %s gets nothing", async (host) => {
    const { port, received } = await listenAsAnother();
    const foreign = await context.newPage();
    onTestFinished(() => foreign.close());
    await foreign.goto(`http://${host}:${port}/`);
    // As a link that somebody follows in what the page shows.
    await page.evaluate((url) => void window.open(url), `http://${host}:${port}/opened`);
    await expect.poll(() => received.includes("/opened")).toBe(true);
    const outcomes = await foreign.evaluate(async (ours) => {
      const ask = (path: string, options: RequestInit) =>
        fetch(ours + path, { credentials: "include", ...options }).then(
          (answer) => answer.text(),
          () => "refused",
        );
      const frame = document.createElement("iframe");
      frame.src = ours;
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener("load", resolve));
      const reach = (of: Window | null) => {
        try {
          return JSON.stringify({ ...of!.localStorage });
        } catch {
          return "refused";
        }
      };
      const popup = window.open(ours);
      // Until the page has come it is a blank one, of this origin.
      for (let tries = 0; tries < 100 && reach(popup) !== "refused"; tries++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return [
        await ask("/sessions", {}),
        await ask("/sessions", { mode: "no-cors" }),
        reach(frame.contentWindow),
        reach(popup),
      ];
    }, origin);
    expect(outcomes.slice(0, 1).concat(outcomes.slice(2))).toEqual(["refused", "refused", "refused"]);
    expect(received.join("\n")).not.toMatch(/cookie|authorization/i);
    await expectUseless([...received, ...outcomes, await foreign.evaluate(seenByScript)]);
    // The browser that is signed in is none the worse for it.
    await page.reload();
    await isSignedIn(page).waitFor();
  });

  test("localhost is no name of the page: another user could listen there, on ::1", async () => {
    const port = new URL(origin).port;
    const other = await context.newPage();
    onTestFinished(() => other.close());
    expect((await other.goto(`http://localhost:${port}/`))!.status()).toBe(403);
  });

  test("it works in a second tab and after a reload", async () => {
    const second = await context.newPage();
    onTestFinished(() => second.close());
    await second.goto(`${origin}/#/sessions`);
    await isSignedIn(second).waitFor();
    await second.reload();
    await isSignedIn(second).waitFor();
  });

  test("it hears what is written, without EventSource", async () => {
    await page.goto(`${origin}/#/memory/notes`);
    await page.getByText("No notes").or(page.getByText("No note")).first().waitFor();
    await pmJson(project, "note", "herons stand on one leg");
    await page.getByText("herons stand on one leg").first().waitFor();
  });

  test("a browser is listed and signed out, on the command line and on the page, in all its tabs", async () => {
    const other = await (await browser.newContext()).newPage();
    onTestFinished(() => other.context().close());
    await other.goto(await link());
    await isSignedIn(other).waitFor();
    const { browsers } = await pmJson<{ browsers: { name: string }[] }>(project, "open", "--browsers");
    expect(browsers.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^Chrome \d+$/),
      expect.stringMatching(/^Chrome \d+$/),
    ]);
    const [token] = candidatesIn([await other.evaluate(seenByScript)]).filter((one) => one.includes("."));
    const [id] = token!.split(".");
    expect(await pmJson(project, "open", "--sign-out", id!)).toEqual({ signed_out: 1 });
    await other.reload();
    await isSignedOut(other).waitFor();
    expect(await forge("/sessions", { authorization: `Bearer ${token}` })).toBe(401);

    const [tab, second] = [page, await context.newPage()];
    onTestFinished(() => second.close());
    await second.goto(`${origin}/#/settings/browsers`);
    await second.getByText("this one").waitFor();
    await second.getByRole("button", { name: /Sign out/ }).click();
    await isSignedOut(second).waitFor();
    await isSignedOut(tab).waitFor();
    expect(await pmJson(project, "open", "--browsers")).toEqual({ browsers: [] });
    // `pm open` in one tab brings the others back.
    await second.goto(await link());
    await isSignedIn(second).waitFor();
    await isSignedIn(tab).waitFor();
  });

  test("whoever gets the port after the daemon's end is given nothing of use", async () => {
    await page.goto(`${origin}/#/sessions`);
    await isSignedIn(page).waitFor();
    const before = await page.evaluate(seenByScript);
    await pmJson(project, "stop");
    await untilStopped();
    const port = Number(new URL(origin).port);
    const { server, received } = await listenAsAnother(port);
    // The open tab asks as before, and then somebody opens the address: the same origin, for a browser.
    await page.getByRole("link", { name: "Now" }).click();
    await expect.poll(() => received.join("\n")).toMatch(/authorization/i);
    await page.goto(`${origin}/`);
    const stolen = [before, ...received, await page.evaluate(seenByScript)];
    expect(candidatesIn(stolen).some((one) => /^[0-9a-f]{8}\.[\w-]{43}$/.test(one))).toBe(true);

    // The daemon that runs meanwhile, on another port, and the one that gets the port back.
    await start(project);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    expect(Number(new URL(origin).port)).not.toBe(port);
    await expectUseless(stolen);
    await pmJson(project, "stop");
    await untilStopped();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    await start(project);
    origin = `http://127.0.0.1:${readDaemonRecord()!.port}`;
    expect(Number(new URL(origin).port)).toBe(port);
    await expectUseless(stolen);
  });

  test("where no daemon runs it says how to start one, of nothing that was kept", async () => {
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(await link());
    await isSignedIn(other).waitFor();
    const workers = () =>
      other.evaluate(async () => {
        await navigator.serviceWorker.ready;
        return (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL);
      });
    expect(await workers()).toEqual([`${origin}/service-worker.js`]);
    await pmJson(project, "stop");
    await untilStopped();
    const answer = await other.goto(`${origin}/?again#/sessions`);
    await other.getByRole("heading", { name: "Pommel is not running" }).waitFor();
    expect(answer!.fromServiceWorker()).toBe(true);
    expect(await other.locator("script").count()).toBe(0);
    // It has its style, and what its own policy does not name is refused.
    expect(await other.evaluate(() => getComputedStyle(document.body).maxWidth)).not.toBe("none");
    await other.addScriptTag({ content: "window.hacked = 1" }).catch(() => {});
    expect(await other.evaluate(() => "hacked" in window)).toBe(false);
    expect(await other.evaluate(() => caches.keys())).toEqual([]);
    await start(project);
    await other.getByRole("link", { name: "Try again" }).click();
    await isSignedOut(other).waitFor();
    // It is the page of now, from the daemon of now.
    expect(await other.evaluate(() => fetch("/").then(({ headers }) => headers.get("cache-control")))).toBe(
      "no-store",
    );
  });

  test("after a restart the page says what to do, and does it", async () => {
    await page.goto(`${origin}/#/sessions`);
    await page.reload();
    await isSignedOut(page).waitFor();
    const second = await context.newPage();
    onTestFinished(() => second.close());
    await second.goto(await link());
    await isSignedIn(second).waitFor();
    await isSignedIn(page).waitFor();
  });
});
