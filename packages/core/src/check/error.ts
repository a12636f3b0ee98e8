/** What cannot be confirmed, and at which node, block or value. */
export class Refutation extends Error {
  override readonly name = "Refutation";
  readonly where: string;

  constructor(where: string, reason: string) {
    super(reason);
    this.where = where;
  }
}
