/** What a number, a seed or a count must be and is not: always one line. */
export class NumberError extends Error {
  override readonly name = "NumberError";
}
