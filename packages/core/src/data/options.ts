/** How to read a data file. */
export interface ReadOptions {
  /** The file's name, for error messages. */
  readonly file?: string;
  /** Refuse compressed data that unpacks to more bytes than this (default 2 GiB). */
  readonly maxBytes?: number;
}

export const defaultMaxBytes = 2 ** 31;
