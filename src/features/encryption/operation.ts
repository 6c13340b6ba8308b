import { localOperation } from "../../answers/local-operation.ts";
import type { Running } from "../../answers/operation.ts";

const load = () => import("./encryption.ts");

/** Where the key comes from. */
export const findKey = localOperation(async () => {
  const { findKey } = await load();
  return (_: null, what: Parameters<typeof findKey>[0]) => findKey(what);
});

export const unlockHome = localOperation(async () => {
  const { unlockHome } = await load();
  return (_: null, request: Parameters<typeof unlockHome>[0]) => unlockHome(request);
});

/** Encrypts what is stored. No daemon may run. */
export const encryptMemory = localOperation(async () => {
  const { encryptMemory } = await load();
  return (_: null, request: Parameters<typeof encryptMemory>[0], how: Running) => encryptMemory(request, how);
});

/** Replaces the key. No daemon may run. */
export const replaceKey = localOperation(async () => {
  const { replaceKey } = await load();
  return (_: null, request: Parameters<typeof replaceKey>[0], how: Running) => replaceKey(request, how);
});

/** No daemon may run. */
export const decryptMemory = localOperation(async () => {
  const { decryptMemory } = await load();
  return (_: null, _request: object, how: Running) => decryptMemory(how);
});

/** Lists files that are still plain in an encrypted home. */
export const findPlainFiles = localOperation(async () => {
  const { findPlainFiles } = await load();
  return () => findPlainFiles();
});
