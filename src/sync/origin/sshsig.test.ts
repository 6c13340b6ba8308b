import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { encodePublicKey, findSigner, hashKey, namespace, parsePublicKey, signSsh } from "./sshsig.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-sshsig-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const ssh = (args: readonly string[], input = "") =>
  execFileSync("ssh-keygen", args, { cwd: dir, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });

const hasSsh = (() => {
  try {
    execFileSync("ssh-keygen", ["-?"], { stdio: "pipe" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
  return true;
})();
if (!hasSsh) process.stderr.write("\nSKIPPED: signatures of ssh-keygen need an installed OpenSSH.\n");

const message = "what a machine shares\n";

describe.skipIf(!hasSsh)("ssh-keygen", () => {
  it.each([
    ["ed25519", []],
    ["ecdsa", ["-b", "256"]],
    ["ecdsa", ["-b", "384"]],
    ["ecdsa", ["-b", "521"]],
    ["rsa", ["-b", "2048"]],
  ] as const)("signs with %s %j what is verified here", (type, bits) => {
    const name = `${type}${bits.join("")}`;
    ssh(["-q", "-t", type, ...bits, "-N", "", "-f", name]);
    const line = readFileSync(join(dir, `${name}.pub`), "utf8");
    const signature = ssh(["-q", "-Y", "sign", "-n", namespace, "-f", name], message);
    const signer = findSigner(signature, message);
    expect(signer).toBe(hashKey(parsePublicKey(line)!));
    expect(ssh(["-l", "-f", `${name}.pub`])).toContain(signer!);
    expect(findSigner(signature, `${message} `)).toBeNull();
    // For git, or any other purpose.
    expect(findSigner(ssh(["-q", "-Y", "sign", "-n", "git", "-f", name], message), message)).toBeNull();
  });

  it("refuses a key of few bits", () => {
    ssh(["-q", "-t", "rsa", "-b", "1024", "-N", "", "-f", "short"]);
    expect(
      findSigner(ssh(["-q", "-Y", "sign", "-n", namespace, "-f", "short"], message), message),
    ).toBeNull();
  });

  it("verifies what is signed here", () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(
      join(dir, "allowed"),
      `ann ssh-ed25519 ${encodePublicKey(privateKey).toString("base64")}\n`,
    );
    writeFileSync(join(dir, "signature"), signSsh(privateKey, message));
    const verify = (said: string) =>
      ssh(["-Y", "verify", "-f", "allowed", "-I", "ann", "-n", namespace, "-s", "signature"], said);
    expect(verify(message)).toContain("Good");
    expect(() => verify("something else")).toThrow();
  });
});

describe("a signature", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signature = signSsh(privateKey, message);

  it("tells its key, and only of what was signed", () => {
    expect(findSigner(signature, message)).toBe(hashKey(encodePublicKey(privateKey)));
    expect(findSigner(signature, "else")).toBeNull();
  });

  it("that is cut or changed anywhere is none, and fails nowhere", () => {
    const [head = "", ...lines] = signature.trim().split("\n");
    const tail = lines.pop()!;
    const bytes = Buffer.from(lines.join(""), "base64");
    const armored = (content: Buffer) => `${head}\n${content.toString("base64")}\n${tail}\n`;
    expect(findSigner(armored(bytes), message)).not.toBeNull();
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= by;
        expect(findSigner(armored(changed), message)).toBeNull();
        expect(findSigner(armored(bytes.subarray(0, at)), message)).toBeNull();
      }),
      { numRuns: runs(200) },
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(findSigner(text, message)).toBeNull();
      }),
    );
  });
});
