import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Llm, LlmOptions, LlmRequest } from "../../src/models/generate/llm.ts";
import type { Answering } from "./fake-answers.ts";
import { type FakeServer, fakeClock } from "./fake-server.ts";

interface ContractOptions {
  /** What the id begins with. */
  driver: string;
  /** A server that speaks the driver's protocol. */
  start(answering?: Answering): Promise<FakeServer>;
  /** A generator that asks it, of a model that it has. */
  create(url: string, options: LlmOptions): Llm;
}

const unavailable = (message: RegExp) => ({
  code: "llm_unavailable",
  message: expect.stringMatching(message),
  hint: expect.stringMatching(/\S/),
});

const request: LlmRequest = { prompt: "Name a colour.", maxTokens: 200, temperature: 0.3 };

/** What every text generator does, whatever server is behind it: to be run by the tests of each driver. */
export function llmContract(name: string, { driver, start, create }: ContractOptions): void {
  describe(`${name} keeps the generator's contract:`, () => {
    let server: FakeServer;
    let clock: ReturnType<typeof fakeClock>;
    let llm: Llm;

    beforeEach(async () => {
      await use(undefined);
    });
    afterEach(() => server.close());

    async function use(answering: Answering | undefined): Promise<void> {
      await server?.close();
      server = await start(answering);
      clock = fakeClock();
      llm = create(server.url, { clock });
    }

    it("has an id that names the driver and stays as it is", () => {
      expect(llm.id.startsWith(`${driver}/`)).toBe(true);
      expect(create(server.url, {}).id).toBe(llm.id);
    });

    it("completes a prompt, and counts what that took", async () => {
      const answer = await llm.generate(request);
      expect(answer.text).toBe("You said: Name a colour.");
      expect(answer.inputTokens).toBe(4);
      expect(answer.outputTokens).toBe(6);
    });

    it("passes the system's words on, and asks for JSON", async () => {
      const { text } = await llm.generate({ ...request, system: "Be brief.", json: true });
      expect(JSON.parse(text)).toEqual({ system: "Be brief.", prompt: "Name a colour." });
    });

    it("has the answer cut where the request says so", async () => {
      const { text } = await llm.generate({ ...request, prompt: "x".repeat(1000), maxTokens: 50 });
      expect(text).toHaveLength(200);
    });

    it("has the model see the whole of a long prompt, whatever its script", async () => {
      const words = "The beginning. ".concat("解析配置文件 reads the file\n".repeat(1000), "The end.");
      await use(({ prompt }) => prompt.slice(0, 14) + prompt.slice(-8));
      const { text } = await llm.generate({ ...request, prompt: words });
      expect(text).toBe("The beginning.The end.");
    });

    it("takes half characters", async () => {
      const { text } = await llm.generate({ ...request, prompt: "a\ud800b \udfff" });
      expect(text).toContain("You said: a");
    });

    it("leaves out what a model thinks aloud", async () => {
      await use(() => "<think>\nA colour. Red? No.\n</think>\n\nBlue.\n");
      expect((await llm.generate(request)).text).toBe("Blue.");
    });

    it("takes no empty answer for one", async () => {
      for (const nothing of ["", " \n", "<think>Red? Or blue? Or"]) {
        await use(() => nothing);
        await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/empty answer/));
      }
    });

    it("answers calls made at the same time, each with its own", async () => {
      const prompts = Array.from({ length: 8 }, (_, i) => `Name colour ${i}.`);
      const answers = await Promise.all(prompts.map((prompt) => llm.generate({ ...request, prompt })));
      expect(answers.map(({ text }) => text)).toEqual(prompts.map((prompt) => `You said: ${prompt}`));
    });

    it("tries again after a reset and a server error", async () => {
      server.faults.push("reset", { status: 503 });
      expect((await llm.generate(request)).text).toContain("Name a colour.");
      expect(server.requests).toHaveLength(3);
      expect(clock.waits).toHaveLength(2);
    });

    it("fails after the last attempt", async () => {
      for (let i = 0; i < 10; i++) server.faults.push({ status: 503, body: { error: "overloaded" } });
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/503: overloaded/));
      expect(server.requests).toHaveLength(3);
    });

    it("does not wait for minutes", async () => {
      server.faults.push({ status: 429, headers: { "retry-after": "1200" } });
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/429/));
      expect(clock.waits).toEqual([]);
    });

    it("does not ask again for what was refused", async () => {
      server.faults.push({ status: 400, body: { error: "bad request" } });
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/400: bad request/));
      expect(server.requests).toHaveLength(1);
    });

    it("says so when there is no server", async () => {
      await server.close();
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/does not answer.*refused/));
    });

    it("says so when what answers is something else", async () => {
      server.faults.push("garbage", "garbage", "garbage");
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/unexpected/));
    });

    it("does not wait for ever", async () => {
      server.faults.push("silence", "silence", "silence");
      const hasty = create(server.url, { clock, timeoutMs: 40 });
      await expect(hasty.generate(request)).rejects.toMatchObject(unavailable(/no answer within 0.04 s/));
      // Counted here: in so short a time a request may not have reached a busy server.
      expect(clock.waits).toHaveLength(1);
    });

    it("rejects with the reason it was aborted for, before and meanwhile, and works on", async () => {
      const reason = new Error("no longer wanted");
      await expect(llm.generate(request, AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(server.requests).toHaveLength(0);
      server.faults.push("silence");
      const controller = new AbortController();
      const aborted = llm.generate(request, controller.signal);
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort(reason);
      await expect(aborted).rejects.toBe(reason);
      expect((await llm.generate(request)).text).toContain("colour");
    });

    it("sends what it is asked to the address that was named only", async () => {
      server.faults.push({ status: 307, headers: { location: "http://127.0.0.1:9/elsewhere" } });
      await expect(llm.generate(request)).rejects.toMatchObject(unavailable(/redirects/));
    });
  });
}
