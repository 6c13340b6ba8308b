import { createHash } from "node:crypto";

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** A private key as wallets export it: Base58 with four bytes of checksum. */
export function isWalletKey(text: string): boolean {
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(digits.indexOf(digit));
  const bytes = Buffer.from(value.toString(16).padStart(74, "0"), "hex");
  const [body, checksum] = [bytes.subarray(0, -4), bytes.subarray(-4)];
  return sha256(sha256(body)).subarray(0, 4).equals(checksum);
}
