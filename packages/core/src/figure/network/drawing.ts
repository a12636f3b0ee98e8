/** What a drawing is made of: its elements and how much room they take. */
export interface Drawing {
  readonly elements: readonly SVGElement[];
  readonly width: number;
  readonly height: number;
  /** What it shows, in words. */
  readonly description: string;
}
