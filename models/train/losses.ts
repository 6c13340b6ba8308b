/**
 * Adds to `gradient` that of `weight` times the mean of 1 - cosine between rows and targets (unit vectors).
 * @returns the mean cosine
 */
export function pullTowards(
  vectors: Float32Array,
  targets: Float32Array,
  rows: number,
  weight: number,
  gradient: Float32Array,
): number {
  let sum = 0;
  for (let i = 0; i < vectors.length; i++) {
    sum += vectors[i]! * targets[i]!;
    gradient[i]! -= (weight / rows) * targets[i]!;
  }
  return sum / rows;
}

/** The loss of a batch, and its gradients by the vectors of questions and of passages. */
export interface Judged {
  loss: number;
  questions: Float32Array;
  passages: Float32Array;
}

/**
 * Symmetric InfoNCE (van den Oord 2018; the form of CLIP): question b belongs to passage b, all other passages of
 * the batch do not, and the other way round. Its loss is told by the questions.
 * @param questions `rows` unit vectors, row-major
 * @param passages theirs, in the same order
 */
export function infoNce(
  questions: Float32Array,
  passages: Float32Array,
  rows: number,
  temperature: number,
): Judged {
  const n = questions.length / rows;
  const logits = new Float32Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < rows; j++)
      logits[i * rows + j] = dot(questions, i * n, passages, j * n, n) / temperature;
  }
  const along = softmax(logits, rows, rows, 1);
  const across = softmax(logits, rows, 1, rows);
  const found = { loss: 0, questions: new Float32Array(rows * n), passages: new Float32Array(rows * n) };
  const share = 1 / (2 * rows * temperature);
  for (let i = 0; i < rows; i++) {
    found.loss -= Math.log(along[i * (rows + 1)]! + 1e-12) / rows;
    for (let j = 0; j < rows; j++) {
      const at = i * rows + j;
      const pull = share * (along[at]! + across[at]! - (i === j ? 2 : 0));
      addScaled(found.questions, i * n, passages, j * n, n, pull);
      addScaled(found.passages, j * n, questions, i * n, n, pull);
    }
  }
  return found;
}

function dot(a: Float32Array, from: number, b: Float32Array, start: number, n: number): number {
  let sum = 0;
  for (let d = 0; d < n; d++) sum += a[from + d]! * b[start + d]!;
  return sum;
}

function addScaled(
  to: Float32Array,
  at: number,
  from: Float32Array,
  start: number,
  n: number,
  scale: number,
): void {
  for (let d = 0; d < n; d++) to[at + d]! += scale * from[start + d]!;
}

/** Of each line of a square: `step` leads from one line to the next, `stride` from one of its numbers to the next. */
function softmax(square: Float32Array, rows: number, step: number, stride: number): Float32Array {
  const shares = new Float32Array(square.length);
  for (let line = 0; line < rows; line++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < rows; k++) most = Math.max(most, square[line * step + k * stride]!);
    let sum = 0;
    for (let k = 0; k < rows; k++) sum += Math.exp(square[line * step + k * stride]! - most);
    for (let k = 0; k < rows; k++) {
      const at = line * step + k * stride;
      shares[at] = Math.exp(square[at]! - most) / sum;
    }
  }
  return shares;
}
