/** A unit of the first network, as the joint network numbers its rows, and the factor that its rows get. */
export interface FirstUnit {
  readonly unit: number;
  readonly firstRow: number;
  readonly factor: number;
}
