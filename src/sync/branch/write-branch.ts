import type { ChangedThing } from "../../store/memory/sharing.ts";
import { isControl } from "../codec/codec.ts";
import { type ExportFile, exportFiles } from "../export-files.ts";
import type { SignedRecords } from "../origin/signed-records.ts";
import type { ExportWork } from "../records/from-memory.ts";
import { makeEmptyCounts, type SyncCounts, toCountName } from "../report.ts";
import type { Files, Tip } from "./branch.ts";
import {
  type BranchManifest,
  buildItemPath,
  type ManifestEntry,
  makeManifestEntry,
  manifestPath,
  parseItemPath,
  writeManifest,
} from "./manifest.ts";
import type { FileToWrite } from "./objects.ts";
import { encode, joinTexts } from "./shared-file.ts";

interface ToWrite {
  /** Whose is what the tips have, and what is to be signed. */
  signed: SignedRecords;
  /** The local and remote tips to join. The first is the new commit's first parent. */
  tips: readonly Tip[];
  things: readonly ChangedThing[];
  onProgress?: ((done: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Yields the files that the next commit changes relative to its first parent, and counts what is shared. */
export class BranchWriter {
  readonly counts: SyncCounts = makeEmptyCounts();
  private readonly names: Set<string>;
  private readonly done = new Set<string>();
  private readonly entries = new Map<string, ManifestEntry | null>();

  constructor(
    private readonly exportWork: ExportWork,
    private readonly files: Files,
    private readonly toWrite: ToWrite,
  ) {
    this.names = new Set(toWrite.tips.flatMap(({ tree }) => [...tree.keys()]));
  }

  async *write(): AsyncGenerator<FileToWrite, void, undefined> {
    yield* this.writeThings();
    yield* this.writeOtherTip();
    yield* this.writeSignature();
    yield* this.writeControl();
    yield* this.writeJoinedManifest();
  }

  private async *writeThings() {
    const { things, onProgress, signal } = this.toWrite;
    for (const [i, { kind, uid }] of things.entries()) {
      signal?.throwIfAborted();
      onProgress?.(i, things.length);
      let isChanged = false;
      for await (const file of exportFiles(this.exportWork, { kind, id: uid }, (path) =>
        this.readJoinedText(path),
      )) {
        const written = await this.join(file.path, file);
        if (written.isNews) {
          isChanged = true;
          this.counts.turns += written.turns;
        }
        if (written.file) yield written.file;
      }
      if (isChanged) this.counts[toCountName(kind)]++;
      if (i % 20 === 19) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** One signature for all that is new. */
  private async *writeSignature() {
    const list = await this.toWrite.signed.sign();
    if (list === null) return;
    const path = buildItemPath({ kind: "signature", id: list.uid, part: "whole" });
    const { file } = await this.join(path, { path, text: encode("signature", list), isOwn: false });
    if (file) yield file;
  }

  /** A file joined from all tips. */
  private async readJoinedText(path: string): Promise<string | null> {
    const texts = await this.readTipTexts(this.files.codec.listNames(path)[0]!);
    return texts.reduce<string | null>(
      (joined, { text }) => (joined === null ? text : joinTexts(parseItemPath(path), joined, text)),
      null,
    );
  }

  private async readTipTexts(name: string): Promise<{ text: string; blob: string }[]> {
    const found: { text: string; blob: string }[] = [];
    for (const tip of this.toWrite.tips) {
      const blob = tip.tree.get(name);
      if (blob === undefined || found.some((one) => one.blob === blob)) continue;
      const file = await this.files.read(tip, name);
      if (file !== null) found.push({ text: file.text, blob });
    }
    return found;
  }

  /** Joins the tips' version with the local export. */
  private async join(path: string, exported: ExportFile | null) {
    const name = this.files.codec.listNames(path)[0]!;
    this.done.add(name);
    const texts = await this.readTipTexts(name);
    const known = texts.reduce<string | null>(
      (sum, { text }) => (sum === null ? text : joinTexts(parseItemPath(path), sum, text)),
      null,
    );
    const { signed } = this.toWrite;
    const place = parseItemPath(path);
    const own =
      exported === null || place === null
        ? texts.map(({ text }) => text)
        : texts.flatMap(({ text }) => signed.keepOwnPart(place, text) ?? []);
    const text = [...own, ...(exported === null ? [] : [exported.text])].reduce((sum, one) =>
      joinTexts(place, sum, one),
    );
    if (exported?.isOwn && place !== null) signed.add(place, text);
    this.names.add(name);
    this.entries.set(path, makeManifestEntry(path, text));
    const isNews = text !== known;
    const turns = isNews ? countNewTurnLines(path, text, known) : 0;
    return { isNews, turns, file: await this.chooseFileToWrite(name, path, text, texts) };
  }

  /**
   * The file to write; null when the first parent has it. Of two encryptions of equal content, a deterministic one
   * wins.
   */
  private async chooseFileToWrite(
    name: string,
    path: string,
    text: string,
    texts: readonly { text: string; blob: string }[],
  ): Promise<FileToWrite | null> {
    const [blob] = texts.flatMap((one) => (one.text === text ? [one.blob] : [])).sort();
    if (blob === undefined) return { path: name, content: await this.files.codec.seal(path, text) };
    return this.toWrite.tips[0]?.tree.get(name) === blob ? null : { path: name, content: { blob } };
  }

  /** Files that differ between the tips, or that only the second has. */
  private async *writeOtherTip() {
    const [first, second] = this.toWrite.tips;
    if (!first || !second) return;
    for (const [name, blob] of second.tree) {
      const ours = first.tree.get(name);
      if (ours === blob || this.done.has(name) || isControl(name)) continue;
      if (ours === undefined) {
        yield { path: name, content: { blob } };
        continue;
      }
      const file = (await this.files.read(first, name)) ?? (await this.files.read(second, name));
      if (file === null || file.path === manifestPath) continue;
      const written = await this.join(file.path, null);
      if (written.file?.path === name) yield written.file;
      else if (written.file) yield { path: name, content: { blob: [ours, blob].sort()[0]! } };
    }
  }

  private async *writeControl() {
    const [first, second] = this.toWrite.tips;
    for (const [name, blob] of second?.tree ?? []) {
      if (isControl(name) && !first?.tree.has(name)) yield { path: name, content: { blob } };
    }
    for (const [name, content] of this.files.codec.control) {
      if (!this.names.has(name)) yield { path: name, content };
    }
  }

  private async *writeJoinedManifest() {
    const { tips } = this.toWrite;
    const manifest: BranchManifest = new Map();
    for (const tip of tips) {
      const known = await this.files.findManifest(tip);
      for (const [path, entry] of known ?? (await this.rebuildManifest(tip))) {
        const other = manifest.get(path);
        if (!other || other.sha256 < entry.sha256) manifest.set(path, entry);
      }
    }
    for (const [path, entry] of this.entries) {
      if (entry === null) manifest.delete(path);
      else manifest.set(path, entry);
    }
    for (const path of manifest.keys()) {
      if (!this.files.codec.listNames(path).some((name) => this.names.has(name))) manifest.delete(path);
    }
    const text = writeManifest(manifest);
    const name = this.files.codec.listNames(manifestPath)[0]!;
    const file = await this.chooseFileToWrite(name, manifestPath, text, await this.readTipTexts(name));
    // Omitted while there is nothing to share.
    if (file && (manifest.size > 0 || tips.length > 0)) yield file;
  }

  /** Rebuilds a missing or invalid manifest. */
  private async rebuildManifest(tip: Tip): Promise<BranchManifest> {
    const found: BranchManifest = new Map();
    for (const name of tip.tree.keys()) {
      if (isControl(name)) continue;
      const file = await this.files.read(tip, name);
      const entry = file === null ? null : makeManifestEntry(file.path, file.text);
      if (file && entry) found.set(file.path, entry);
    }
    return found;
  }
}

/** The number of turns that are new or changed relative to another version. */
function countNewTurnLines(path: string, text: string, known: string | null): number {
  if (parseItemPath(path)?.part !== "transcript") return 0;
  const before = new Set(known?.split("\n"));
  return text.split("\n").filter((line) => line !== "" && !before.has(line)).length;
}
