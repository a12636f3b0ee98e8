/** A vector of numbers, one a unit, by which a class is multiplied in some weights and divided in others. */
export interface UnitScale {
  readonly units: number;
  /** Entries may be any positive number. */
  readonly magnitude: boolean;
  /** Entries may be negative. */
  readonly sign: boolean;
}
