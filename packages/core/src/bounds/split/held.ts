/** A unit held where its row is >= 0 (side 1) or <= 0 (side -1); bends are numbered. */
export interface Held {
  readonly bend: number;
  readonly side: 1 | -1;
}
