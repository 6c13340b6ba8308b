import { eachPlace, eachRow } from "../../../src/store/sqlite/full-text-lists.ts";
import { type ListKernel, saturation } from "../../../src/store/sqlite/list-kernel.ts";

/** What the kernel in WebAssembly is compared with. */
export function createPlainListKernel(): ListKernel {
  let norms: Float64Array = new Float64Array(0);
  let scores = norms;
  let taken: ReadonlyMap<number, number> = new Map();
  return {
    begin(given) {
      norms = given;
      scores = new Float64Array(norms.length);
    },
    read(lists, weights) {
      const found = new Map<number, number>();
      for (const list of lists) {
        eachRow(list, (row, from, to) => {
          eachPlace(list.bytes, from, to, (column) => {
            const weight = weights[column]!;
            if (weight >= 0) found.set(row, (found.get(row) ?? 0) + weight);
          });
        });
      }
      taken = found;
      return found.size;
    },
    take(found) {
      taken = found;
    },
    add(rarity) {
      const added: number[] = [];
      for (const [row, count] of taken) {
        if (row >= norms.length) continue;
        const more = rarity * ((count * (saturation + 1)) / (count + norms[row]!));
        if (scores[row] === 0 && more > 0) added.push(row);
        scores[row]! += more;
      }
      return Uint32Array.from(added);
    },
    scores: () => scores,
  };
}
