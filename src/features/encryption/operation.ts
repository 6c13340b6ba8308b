import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { RunContext } from "../../answers/operation.ts";

const load = () => import("./encryption.ts");

/** Where the key comes from. */
export const findKey = defineLocalOperation(async () => {
  const { findKey } = await load();
  return (_: null, what: Parameters<typeof findKey>[0]) => findKey(what);
});

export const unlockHome = defineLocalOperation(async () => {
  const { unlockHome } = await load();
  return (_: null, request: Parameters<typeof unlockHome>[0]) => unlockHome(request);
});

/** Encrypts what is stored. No daemon may run. */
export const encryptMemory = defineLocalOperation(async () => {
  const { encryptMemory } = await load();
  return (_: null, request: Parameters<typeof encryptMemory>[0], how: RunContext) =>
    encryptMemory(request, how);
});

/** Replaces the key. No daemon may run. */
export const replaceKey = defineLocalOperation(async () => {
  const { replaceKey } = await load();
  return (_: null, request: Parameters<typeof replaceKey>[0], how: RunContext) => replaceKey(request, how);
});

/** No daemon may run. */
export const decryptMemory = defineLocalOperation(async () => {
  const { decryptMemory } = await load();
  return (_: null, _request: object, how: RunContext) => decryptMemory(how);
});

/** Lists files that are still plain in an encrypted home. */
export const findPlainFiles = defineLocalOperation(async () => {
  const { findPlainFiles } = await load();
  return () => findPlainFiles();
});
